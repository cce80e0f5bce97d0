"""Connect to an MQTT broker by two connections: one for control, one for pictures."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from manyhands.actors.edge.link import LastWill, LinkCounts, LinkListener, MessageReceiver
from manyhands.actors.edge.mqtt_connection import ConnectionSettings
from manyhands.actors.edge.reconnecting_connection import ReconnectingConnection
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.protocol.edge.topics import is_picture_topic
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Connections:
    """Hold the connections of a link, and the tasks that reconnect them."""

    control: ReconnectingConnection
    pictures: ReconnectingConnection
    tasks: tuple[asyncio.Task[None], ...]

    def connection_of(self, topic: str) -> ReconnectingConnection:
        return self.pictures if is_picture_topic(topic) else self.control


class MqttLink:
    """Implements ``actors.edge.link.Link``. Control never waits for pictures, which have their own connection.

    ``name`` is the MQTT client id: unique at the broker, and the same at each start. So a new connection ends the old
    one. The broker publishes the old connection's last will before any message of the new one.
    """

    def __init__(self, name: str, broker: BrokerSettings, settings: LinkSettings | None = None) -> None:
        self._name = name
        self._broker = broker
        self._settings = settings or LinkSettings()
        self._filters: dict[str, None] = {}
        self._connections: _Connections | None = None
        self.counts = LinkCounts()

    @property
    def connected(self) -> bool:
        return self._connections is not None and self._connections.control.connected

    async def start(self, listener: LinkListener, will: LastWill | None = None) -> None:
        """Open both connections and call the listener's ``on_connect``. After BadInput, it may be called again."""
        if self._broker.readable_on_the_way:
            _log.warning(
                "%s: without TLS whoever is on the way can read screens and passwords, and send actions; use mqtts://",
                self._broker.name,
            )
        deliver = MessageReceiver(listener, self.counts).receive
        control = ReconnectingConnection(
            ConnectionSettings(self._name, self._broker, self._settings, will), self.counts, deliver
        )
        pictures = ReconnectingConnection(
            ConnectionSettings(f"{self._name}-frames", self._broker, self._settings), self.counts, deliver, control
        )
        try:
            for connection in (control, pictures):
                await connection.subscribe(
                    tuple(one for one in self._filters if is_picture_topic(one) is (connection is pictures))
                )
                await connection.open()
            self._connections = _Connections(control, pictures, ())
            await self._announce(listener)
        except BaseException as error:
            self._connections = None
            await asyncio.gather(control.close(), pictures.close())
            if isinstance(error, LinkAway):
                raise BadInput(str(error)) from error
            raise
        reconnecting = (control.keep_connected(lambda: self._announce(listener)), pictures.keep_connected())
        self._connections = _Connections(control, pictures, tuple(map(asyncio.create_task, reconnecting)))

    async def _announce(self, listener: LinkListener) -> None:
        self.counts.connects += 1
        await listener.on_connect()

    async def stop(self) -> None:
        connections, self._connections = self._connections, None
        if connections is None:
            return
        for task in connections.tasks:
            task.cancel()
        await asyncio.wait(connections.tasks)
        await asyncio.gather(connections.control.close(), connections.pictures.close())

    async def subscribe(self, *filters: str) -> None:
        self._filters |= dict.fromkeys(filters)
        if self._connections is None:
            return
        for connection in (self._connections.control, self._connections.pictures):
            try:
                await connection.subscribe(
                    tuple(one for one in filters if self._connections.connection_of(one) is connection)
                )
            except LinkForbidden as error:
                raise BadInput(str(error)) from error
            except LinkAway:
                pass  # the next connection subscribes to all topics

    async def publish(self, topic: str, data: bytes, *, retain: bool = False) -> None:
        if self._connections is None:
            raise LinkAway(f"the link to {self._broker.name} is not started, or was stopped")
        await self._connections.connection_of(topic).publish(topic, data, retain)
