"""The small world of the episodes behind a gateway elsewhere: its phone is reached through a broker in memory."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manyhands.actors.clock import Clock
from manyhands.actors.edge.link import Link
from manyhands.actors.edge.mqtt_gateway import MqttGateway
from manyhands.actors.edge.settings import BrokerSettings, MqttGatewaySettings, SiteSettings
from manyhands.actors.edge.site_server import EdgeServer
from manyhands.actors.episode.host import Collaborators
from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.protocol.edge.wire import unpack
from manyhands.protocol.errors import PhoneBusy, PhoneLost
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, PhoneInfo, Receipt, SettleSpec
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import VIEWS, Element, Screen, Screenshot
from tests.actors.edge.memory_broker import Faults, MemoryBroker, MemoryLink, as_sent
from tests.actors.episode.world import SERIAL, SIZE, World, WorldGateway, WorldPerception
from tests.virtual_clock import VirtualClock

AHEAD = 100.0
"""How far the clock of a site is ahead."""
SITE = "lab"
PHONE = f"{SITE}/{SERIAL}"


class AheadClock(VirtualClock):
    """The clock of a site."""

    def now(self) -> float:
        return super().now() + AHEAD


def pixels_of(name: str) -> Rgb:
    """A picture that no two names share."""
    drawn = np.random.default_rng(zlib.crc32(name.encode())).integers(0, 255, (SIZE.height // 8, SIZE.width // 4, 3))
    return np.asarray(np.kron(drawn, np.ones((8, 4, 1))), np.uint8)


class SiteGateway(WorldGateway):
    """The gateway at a site: one phone, its turns, its leases, real pictures, and the site's time in all it says."""

    def __init__(self, world: World, clock: Clock) -> None:
        super().__init__(world)
        self._site_clock = clock
        self._turn = asyncio.Lock()
        self._holder: str | None = None
        self.there = True
        self.shown_before: tuple[str, str] | None = None
        self.seems_alike = False
        """Whether it finds that whatever is shown now differs from what was shown before by a clock alone."""

    # ------------------------------------------------------------------ without a lease
    async def phones(self) -> Sequence[PhoneInfo]:
        return (PhoneInfo(serial=SERIAL, state="device", model="Paper"),)

    async def connect(self, serial: str) -> None:
        if not self.there:
            raise PhoneLost(f"{serial} does not answer")

    async def size(self, serial: str) -> Size:
        return SIZE

    async def labels(self, serial: str) -> Mapping[str, str]:
        return {"model": "Paper", "told_by": serial}

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return {"screen": self.world.screen, "source": source}

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        if source == VIEWS:
            return {"shown": self.shown_before and self.shown_before[1], "views": []}
        return await super().state(lease, source, context)

    # ------------------------------------------------------------------ leases
    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        async with self.world.asked("attach", holder):
            if self._holder not in (None, holder):
                raise PhoneBusy(f"{serial} is held by {self._holder}")
            undisturbed, self._holder = self._holder == holder, holder
            self.world.epoch += 1
            expires_at = self._site_clock.now() + ttl_s
            return Lease(
                serial=serial, holder=holder, epoch=self.world.epoch, expires_at=expires_at, undisturbed=undisturbed
            )

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        renewed = await super().renew(lease, ttl_s)
        return renewed.model_copy(update={"expires_at": self._site_clock.now() + ttl_s})

    async def detach(self, lease: Lease) -> None:
        async with self.world.asked("detach", lease):
            if lease.epoch == self.world.epoch:
                self._holder = None

    @property
    def holder(self) -> str | None:
        return self._holder

    # ------------------------------------------------------------------ the phone
    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        async with self._turn:
            screenshot, _, _ = await super().capture(lease, settle, context)
        rgb = pixels_of(self.world.screen)
        image = ModelImage(content_id(rgb), encode_jpeg(rgb))
        self.world.names[content_id(Frame("jpeg", image.jpeg).rgb())] = self.world.screen
        changes = {
            "content_id": image.content_id,
            "taken_at": self._site_clock.now(),
            "serial": lease.serial,
            "alike": self._alike_to(self.world.screen),
        }
        self.shown_before = self.world.screen, image.content_id
        return screenshot.model_copy(update=changes), image, Frame("rgb", rgb)

    def _alike_to(self, screen: str) -> str | None:
        if self.shown_before is None or not (self.seems_alike or self.shown_before[0] == screen):
            return None
        return self.shown_before[1]

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        async with self._turn:
            receipt = await super().perform(lease, perform, context)
        return receipt.model_copy(update={"sent_at": receipt.sent_at + AHEAD})

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        async with self._turn:
            found = await super().recall(lease, keys, context)
        return [receipt.model_copy(update={"sent_at": receipt.sent_at + AHEAD}) for receipt in found]


class SeenPerception(WorldPerception):
    """Knows a screen by its pixels."""

    async def perceive(self, screenshot: Screenshot, frame: Frame, context: CallContext) -> Screen:
        assert content_id(frame.rgb()) == screenshot.content_id
        async with self.world.asked("perceive", screenshot, counted=True):
            name = self.world.names[screenshot.content_id]
            element = Element(kind="text", box=Box(x1=0, y1=20, x2=40, y2=30), content=name, confidence=1.0)
            return Screen(
                content_id=screenshot.content_id, size=SIZE, elements=(element,), keyboard=screenshot.keyboard
            )


@dataclass
class EdgeWorld:
    """A site, a broker and one who asks."""

    world: World
    broker: MemoryBroker
    gateway: SiteGateway
    server: EdgeServer
    server_link: MemoryLink
    client: MqttGateway
    client_link: MemoryLink

    async def lease(self, holder: str = "test") -> Lease:
        return await self.client.attach(PHONE, holder, 30)

    def collaborators(self) -> Collaborators:
        return replace(self.world.collaborators(), gateway=self.client, perception=SeenPerception(self.world))

    async def restart_server(self) -> None:
        """Kill the gateway's process, and start another on the same database: what it remembered itself is gone."""
        await self.broker.lose(self.server_link)
        self.server, self.server_link = await _serving(self.broker, self.gateway)


async def _serving(broker: MemoryBroker, gateway: SiteGateway) -> tuple[EdgeServer, MemoryLink]:
    link = broker.link()
    server = EdgeServer(gateway, link, SiteSettings(site=SITE, chunk_bytes=16 * 1024), AheadClock())
    await server.start()
    await server.publish_phones(await gateway.phones())
    return server, link


def client_settings(sites: Sequence[str] = (SITE,), **settings: Any) -> MqttGatewaySettings:
    return MqttGatewaySettings(broker=BrokerSettings(host="broker", port=1883), sites=tuple(sites), **settings)


@asynccontextmanager
async def edge_world(faults: Faults = as_sent, **settings: Any) -> AsyncIterator[EdgeWorld]:
    """Open a site with one phone, and one who asks; the faults begin once both are there."""
    world, broker = World(), MemoryBroker()
    gateway = SiteGateway(world, AheadClock())
    server, server_link = await _serving(broker, gateway)
    links: list[MemoryLink] = []

    def make(_: MqttGatewaySettings, name: str) -> Link:
        links.append(broker.link())
        return links[-1]

    client = MqttGateway(client_settings(**settings), make, VirtualClock())
    await client.start()
    broker.faults = faults
    try:
        yield EdgeWorld(world, broker, gateway, server, server_link, client, links[0])
    finally:
        broker.faults = as_sent
        await client.stop()
        await server.stop()


# ---------------------------------------------------------------------------- faults
def kind_of(data: bytes) -> str:
    """What kind of message it is."""
    return unpack(data).envelope.kind if data else ""


@dataclass
class Losing:
    """Lose messages of some kinds, as long as asked to."""

    kinds: Collection[str]
    most: float = float("inf")
    until: float = float("inf")
    """Seconds of the loop's clock."""
    lost: list[str] = field(default_factory=list)

    def __call__(self, topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
        kind, now = kind_of(data), asyncio.get_running_loop().time()
        if kind in self.kinds and len(self.lost) < self.most and now < self.until:
            self.lost.append(kind)
            return ()
        return ((0.0, data),)
