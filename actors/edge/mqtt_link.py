"""Connect to an MQTT broker by two connections: one for control, one for pictures.

A connection that breaks is made again. The messages that the broker had not accepted before fail.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from manyhands.actors.edge.link import LastWill, LinkCounts, LinkListener, MessageReceiver
from manyhands.actors.edge.mqtt_connection import (
    ABORTED,
    BrokerCredentials,
    ConnectionSettings,
    DeliverMessage,
    MqttConnection,
)
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.protocol.edge.topics import is_picture_topic
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden, ManyhandsError

OnConnect = Callable[[], Awaitable[None]]
_QUICK_LOSSES = 3
"""So many connections in a row that are lost soon after they were made are no coincidence."""
_SAME_NAME_HINT = "again and again, soon after it was made: another process may have the same name and credentials"
logger = logging.getLogger(__name__)


class _ReconnectingConnection:
    """Hold one connection at a time; ``deliver`` is called with each message that arrives."""

    def __init__(
        self,
        settings: ConnectionSettings,
        counts: LinkCounts,
        deliver: DeliverMessage,
        primary: _ReconnectingConnection | None = None,
    ) -> None:
        """``primary``: the other connection of the link. If both are lost, only the primary logs it."""
        self._settings = settings
        self._primary = primary
        self._counts = counts
        self._deliver = deliver
        self._filters: dict[str, None] = {}
        self._connection: MqttConnection | None = None
        self._slots = asyncio.Semaphore(settings.link.in_flight)
        """Limits the messages in flight. Beyond this limit the client library would queue messages that nobody could
        withdraw."""

    @property
    def connected(self) -> bool:
        return self._connection is not None

    async def open(self) -> None:
        """Connect, and subscribe to all filters. Raises LinkAway, and BadInput for credentials that cannot be read."""
        credentials = await asyncio.to_thread(BrokerCredentials, self._settings.broker)
        connection = MqttConnection(self._settings, credentials, self._deliver)
        await connection.open()
        try:
            await connection.subscribe_all(self._filters)
        except BaseException:
            connection.abort()
            raise
        self._connection = connection

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def keep_connected(self, on_connect: OnConnect | None = None) -> None:
        """Reconnect whenever the connection breaks, then call ``on_connect``. Runs until cancelled.

        Each reason for a failure is logged once, until a connection lasts. That connection is logged too.
        """
        announcing: asyncio.Task[None] | None = None
        quick_losses, pauses = 0, self._settings.link.retry.pauses()
        logged: set[str] = set()
        while True:
            try:
                since = asyncio.get_running_loop().time()
                why = await self._wait_until_lost()
                quick_losses += 1
                if asyncio.get_running_loop().time() - since > self._settings.link.retry.longest_s:
                    # It lasted, so no other link of its name ends it.
                    quick_losses, pauses = 0, self._settings.link.retry.pauses()
                    logged.clear()
            finally:
                if announcing is not None:
                    announcing.cancel()
                    await asyncio.wait({announcing})
            if quick_losses >= _QUICK_LOSSES and why != ABORTED:
                why = f"{why} {_SAME_NAME_HINT}"
            why, worth_logging, failed = f"{self._settings.broker.name}: {why}", False, False
            while self._connection is None:
                self._counts.failures += 1
                alone = self._primary is None or (failed and self._primary.connected)
                level = logging.WARNING if alone and why not in logged else logging.DEBUG
                worth_logging |= level == logging.WARNING
                logged |= {why} if alone else set()
                failed = True
                logger.log(level, "%s: no connection, trying again: %s", self._settings.name, why)
                await asyncio.sleep(next(pauses))
                try:
                    await self.open()
                except (LinkAway, BadInput) as error:
                    why = str(error)
            level = logging.WARNING if worth_logging else logging.INFO
            logger.log(level, "%s: connected to %s again", self._settings.name, self._settings.broker.name)
            announcing = (
                None if on_connect is None else asyncio.create_task(self._announce(on_connect, self._connection))
            )

    async def _wait_until_lost(self) -> str:
        """Wait until the connection is lost, and return the reason."""
        connection = self._connection
        if connection is None:
            return "it was closed"
        try:
            return await connection.wait_until_lost()
        finally:
            connection.abort()
            self._connection = None

    async def _announce(self, on_connect: OnConnect, connection: MqttConnection) -> None:
        try:
            await on_connect()
        except ManyhandsError as error:
            logger.warning("%s: what others must know could not be told: %s", self._settings.name, error)
            connection.abort()
        except Exception:  # a defect in the listener must not end the connection
            logger.exception("%s: a defect: what others must know was not told", self._settings.name)

    # ------------------------------------------------------------------ messages
    async def subscribe(self, filters: tuple[str, ...]) -> None:
        """Subscribe to more filters, now and after each connection. Raises LinkForbidden, LinkAway."""
        self._filters |= dict.fromkeys(filters)
        if self._connection is not None:
            await self._connection.subscribe_all(filters)

    async def publish(self, topic: str, data: bytes, retain: bool) -> None:
        """Return once the broker has accepted a message. Raises LinkAway, at once if there is no connection."""
        counts = self._counts
        counts.queue += 1
        try:
            if self._connection is None:
                raise LinkAway(f"{self._settings.broker.name} is not connected")
            async with self._slots:
                if self._connection is None:
                    raise LinkAway(f"{self._settings.broker.name} was lost while a message waited for its turn")
                await self._connection.send(topic, data, retain)
        except LinkAway:
            counts.unsent += 1
            raise
        finally:
            counts.queue -= 1
        counts.sent += 1
        counts.bytes_out += len(data)


@dataclass(frozen=True, slots=True)
class _Connections:
    """Hold the connections of a link, and the tasks that reconnect them."""

    control: _ReconnectingConnection
    pictures: _ReconnectingConnection
    tasks: tuple[asyncio.Task[None], ...]

    def connection_of(self, topic: str) -> _ReconnectingConnection:
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
            logger.warning(
                "%s: without TLS whoever is on the way can read screens and passwords, and send actions; use mqtts://",
                self._broker.name,
            )
        deliver = MessageReceiver(listener, self.counts).receive
        control = _ReconnectingConnection(
            ConnectionSettings(self._name, self._broker, self._settings, will), self.counts, deliver
        )
        pictures = _ReconnectingConnection(
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
