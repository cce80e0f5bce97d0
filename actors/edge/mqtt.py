"""Links over a real broker."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from manyhands.actors.edge.connection import Terms
from manyhands.actors.edge.lane import Lane
from manyhands.actors.edge.link import Intake, LinkCounts, Listener, Will
from manyhands.actors.edge.settings import BrokerSettings, LinkSettings
from manyhands.protocol.edge.topics import is_for_pictures
from manyhands.protocol.errors import BadInput, LinkAway, LinkForbidden

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Opened:
    """Hold what ``start`` opens."""

    control: Lane
    pictures: Lane
    keeping: tuple[asyncio.Task[None], ...]

    def lane_of(self, topic: str) -> Lane:
        return self.pictures if is_for_pictures(topic) else self.control


class MqttLink:
    """Implements ``actors.edge.link.Link``. Control never waits behind pictures: they have a connection of their own.

    ``name`` must be no other link's at the broker, and the same whenever this one is started: so a new connection ends
    the old one, whose will is told before anything that the new one tells.
    """

    def __init__(self, name: str, broker: BrokerSettings, settings: LinkSettings | None = None) -> None:
        self._name = name
        self._broker = broker
        self._settings = settings or LinkSettings()
        self._filters: dict[str, None] = {}
        self._opened: _Opened | None = None
        self.counts = LinkCounts()

    @property
    def connected(self) -> bool:
        return self._opened is not None and self._opened.control.connected

    async def start(self, listener: Listener, will: Will | None = None) -> None:
        """Return once both connections stand and the listener has told what it tells. After BadInput, it may be tried
        again."""
        if self._broker.readable_on_the_way:
            _log.warning(
                "%s: without TLS whoever is on the way can read screens and passwords, and send actions; use mqtts://",
                self._broker.name,
            )
        take = Intake(listener, self.counts).take
        control = Lane(Terms(self._name, self._broker, self._settings, will), self.counts, take)
        pictures = Lane(Terms(f"{self._name}-frames", self._broker, self._settings), self.counts, take)
        try:
            for lane in (control, pictures):
                await lane.subscribe(tuple(one for one in self._filters if is_for_pictures(one) is (lane is pictures)))
                await lane.open()
            self._opened = _Opened(control, pictures, ())
            await self._greet(listener)
        except BaseException as error:
            self._opened = None
            await asyncio.gather(control.close(), pictures.close())
            if isinstance(error, LinkAway):
                raise BadInput(str(error)) from error
            raise
        keeping = (control.keep(lambda: self._greet(listener)), pictures.keep())
        self._opened = _Opened(control, pictures, tuple(map(asyncio.create_task, keeping)))

    async def _greet(self, listener: Listener) -> None:
        self.counts.connects += 1
        await listener.connected()

    async def stop(self) -> None:
        opened, self._opened = self._opened, None
        if opened is None:
            return
        for task in opened.keeping:
            task.cancel()
        await asyncio.wait(opened.keeping)
        await asyncio.gather(opened.control.close(), opened.pictures.close())

    async def subscribe(self, *filters: str) -> None:
        self._filters |= dict.fromkeys(filters)
        if self._opened is None:
            return
        for lane in (self._opened.control, self._opened.pictures):
            try:
                await lane.subscribe(tuple(one for one in filters if self._opened.lane_of(one) is lane))
            except LinkForbidden as error:
                raise BadInput(str(error)) from error
            except LinkAway:
                pass  # the next connection listens to all

    async def publish(self, topic: str, data: bytes, *, retain: bool = False) -> None:
        if self._opened is None:
            raise LinkAway(f"the link to {self._broker.name} is not started, or was stopped")
        await self._opened.lane_of(topic).publish(topic, data, retain)
