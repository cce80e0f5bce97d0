"""A site in virtual time: a real gateway with its leases and keys, an EdgeServer, phones and a broker in memory."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from manyhands.actors.edge.link import IncomingMessage
from manyhands.actors.edge.settings import SiteSettings
from manyhands.actors.edge.site_server import EdgeServer
from manyhands.actors.frames import Frame, ModelImage, content_id, encode_jpeg
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.protocol.base import Message
from manyhands.protocol.edge.messages import (
    AttachReply,
    AttachRequest,
    EdgeReply,
    EdgeRequest,
    ErrorReply,
    PictureChunk,
    Presence,
)
from manyhands.protocol.edge.topics import Topics
from manyhands.protocol.edge.wire import PackedMessage, pack
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.phones import Lease, Perform, PhoneInfo, Receipt, Reset, SettleSpec, TransportStatus
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from tests.actors.edge.memory_broker import MemoryBroker, MemoryLink
from tests.permitted import permitted
from tests.virtual_clock import VirtualClock, run_virtual

SITE = "lab"
TOPICS = Topics(SITE)
ONE, OTHER = "usb-1", "10.0.0.7:5555"
R = TypeVar("R", bound=EdgeReply)


@dataclass
class Touched:
    """A line of a phone's ledger."""

    key: str
    at: float


@dataclass
class ShelfPhone:
    """Implements ``Phone``: each action takes ``takes_s`` and changes what the screen shows."""

    serial: str
    takes_s: float = 0.1
    shape: tuple[int, int, int] = (320, 240, 3)
    ledger: list[Touched] = field(default_factory=list)
    broken: Exception | None = None

    async def prepare(self, *, for_task: bool) -> None:
        if self.broken is not None:
            raise self.broken

    async def release(self) -> None: ...

    async def close(self) -> None: ...

    def pixels(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Noise, so that a picture has several chunks, and another one after each action."""
        return np.random.default_rng(len(self.ledger)).integers(0, 255, self.shape, dtype=np.uint8)

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        if self.broken is not None:
            raise self.broken
        rgb = self.pixels()
        shot = Screenshot(
            content_id=content_id(rgb),
            size=await self.size(),
            serial=self.serial,
            taken_at=VirtualClock().now(),
            capture_ms=1,
        )
        return shot, ModelImage(shot.content_id, encode_jpeg(rgb)), Frame("rgb", rgb)

    async def perform(self, perform: Perform) -> Receipt:
        self.ledger.append(Touched(perform.key, VirtualClock().now()))
        await asyncio.sleep(self.takes_s)
        return Receipt(key=perform.key, status="done", sent_at=self.ledger[-1].at, ms=self.takes_s * 1000)

    async def size(self) -> Size:
        return Size(width=self.shape[1], height=self.shape[0])

    async def reset(self, reset: Reset) -> Receipt:
        return await self.perform(permitted(key=reset.key, action=Tap(x=0, y=0)))

    async def labels(self) -> Mapping[str, str]:
        return {"shelf": "3"}

    async def state(self, source: str) -> Mapping[str, Any]:
        return {"source": source, "keys": [line.key for line in self.ledger]}


class Shelf:
    """Implements ``PhoneTransport`` in memory."""

    def __init__(self, serials: Sequence[str]) -> None:
        self.by_serial = {serial: ShelfPhone(serial) for serial in serials}
        self.listed = [PhoneInfo(serial=serial, state="device", model="Shelf") for serial in serials]

    async def ensure_running(self) -> None: ...

    async def status(self) -> TransportStatus:
        return TransportStatus(name="shelf", address="memory", running=True)

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def phones(self) -> Sequence[PhoneInfo]:
        return self.listed

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        await tell(self.listed)
        await asyncio.Event().wait()

    async def connect(self, serial: str) -> None:
        self.phone(serial)

    def phone(self, serial: str) -> ShelfPhone:
        if serial not in self.by_serial:
            raise PhoneUnknown(f"nothing on the shelf is called {serial!r}")
        return self.by_serial[serial]


class Asker:
    """Asks a site by bare messages: it sends what it is told to, when it is told to, and keeps all that comes."""

    def __init__(self, link: MemoryLink, name: str = "asker") -> None:
        self.link = link
        self.name = name
        self.replies: list[EdgeReply] = []
        self.chunks: list[tuple[PictureChunk, bytes]] = []
        self.told: list[Message] = []
        self._number = 0
        self._came = asyncio.Condition()

    async def start(self) -> None:
        await self.link.subscribe(
            TOPICS.replies(self.name), TOPICS.pictures(self.name), TOPICS.presence, TOPICS.all_phone_states
        )
        await self.link.start(self)

    async def on_connect(self) -> None: ...

    def on_message(self, message: IncomingMessage) -> None:
        body, data = message.packet.envelope.body, message.packet.data
        if isinstance(body, EdgeReply):
            self.replies.append(body)
        elif isinstance(body, PictureChunk):
            self.chunks.append((body, data))
        else:
            self.told.append(body)

    @property
    def presence(self) -> list[bool]:
        return [told.online for told in self.told if isinstance(told, Presence)]

    @property
    def states(self) -> list[tuple[str, str]]:
        return [(told.serial, told.state) for told in self.told if isinstance(told, PhoneInfo)]

    def fields(self, seconds: float = 30, number: int | None = None) -> dict[str, Any]:
        """What each request has."""
        self._number += 1
        return {
            "client": self.name,
            "number": self._number if number is None else number,
            "expires_at": VirtualClock().now() + seconds,
        }

    def under(self, lease: Lease, seconds: float = 30, number: int | None = None) -> dict[str, Any]:
        """What each request under a lease has."""
        return {**self.fields(seconds, number), "lease": lease, "episode": "e", "step": 1}

    async def send(self, packed: PackedMessage, serial: str = "") -> None:
        await self.link.publish(TOPICS.phone_commands(serial) if serial else TOPICS.commands, packed.data)

    def answers(self, packed: PackedMessage) -> list[EdgeReply]:
        return [reply for reply in self.replies if reply.answers == packed.id]

    async def answer(self, packed: PackedMessage, seconds: float = 100) -> EdgeReply:
        async with asyncio.timeout(seconds):
            while not self.answers(packed):
                await asyncio.sleep(0.01)
        return self.answers(packed)[0]

    async def ask(self, request: EdgeRequest[R], serial: str = "") -> EdgeReply:
        """Ask once, and return the answer."""
        packed = pack(request, VirtualClock().now())
        await self.send(packed, serial)
        return await self.answer(packed)

    async def attach(self, serial: str, holder: str = "run") -> Lease:
        reply = await self.ask(AttachRequest(**self.fields(), serial=serial, holder=holder, ttl_s=30), serial)
        assert isinstance(reply, AttachReply), reply
        return reply.lease


def why(reply: EdgeReply) -> str:
    """The code of an error."""
    assert isinstance(reply, ErrorReply), reply
    return reply.why.code


@dataclass
class SiteWorld:
    broker: MemoryBroker
    shelf: Shelf
    folder: Path
    settings: SiteSettings
    gateway: PhoneGateway
    link: MemoryLink
    server: EdgeServer
    asker: Asker

    @property
    def one(self) -> ShelfPhone:
        return self.shelf.by_serial[ONE]

    def keys(self, serial: str = ONE) -> list[str]:
        return [line.key for line in self.shelf.by_serial[serial].ledger]

    async def killed_and_started_again(self) -> None:
        """As if its process had been killed: what it knew is lost but for the database."""
        await self.broker.lose(self.link)
        self.gateway, self.link, self.server = await _started(self.broker, self.shelf, self.folder, self.settings)


async def _started(
    broker: MemoryBroker, shelf: Shelf, folder: Path, settings: SiteSettings
) -> tuple[PhoneGateway, MemoryLink, EdgeServer]:
    gateway, link = PhoneGateway(GatewaySettings(state_dir=folder), shelf, VirtualClock()), broker.link()
    await gateway.start()
    server = EdgeServer(gateway, link, settings, VirtualClock())
    await server.start()
    return gateway, link, server


@asynccontextmanager
async def site_world(serials: Sequence[str] = (ONE, OTHER), **settings: Any) -> AsyncIterator[SiteWorld]:
    with tempfile.TemporaryDirectory() as folder:
        broker, shelf, told = MemoryBroker(), Shelf(serials), SiteSettings(site=SITE, **settings)
        gateway, link, server = await _started(broker, shelf, Path(folder), told)
        asker = Asker(broker.link())
        await asker.start()
        world = SiteWorld(broker, shelf, Path(folder), told, gateway, link, server, asker)
        yield world
        await world.server.stop()
        await world.gateway.stop()


def in_site(play: Callable[[SiteWorld], Awaitable[None]], **settings: Any) -> None:
    """Play in a site of its own, in virtual time."""

    async def main() -> None:
        async with site_world(**settings) as world:
            await play(world)

    run_virtual(main())
