"""Run the gateways of ``bench broker`` in a separate process: real gateways, leases and keys, but canned phones."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.clock import RealClock
from manyhands.actors.edge.mqtt_link import MqttLink
from manyhands.actors.edge.settings import BrokerSettings, SiteSettings
from manyhands.actors.edge.site.server import EdgeServer
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.protocol.base import Input
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import Perform, PhoneInfo, Receipt, SettleSpec, TransportStatus
from manyhands.protocol.screens import Screenshot

_STATES = ("device", "offline")


class SitesLoad(Input):
    """Describe the sites and their phones."""

    sites: tuple[str, ...]
    phones: int
    """The number of phones at each site."""
    picture_bytes: int
    changes_s: float
    """How many phones of each site change their state in a second."""
    broker: BrokerSettings
    state_dir: Path


def serials(count: int) -> tuple[str, ...]:
    return tuple(f"canned-{number:04}" for number in range(count))


class CannedPhone:
    """Implement ``Phone``: do nothing, answer at once, and always show the same picture."""

    def __init__(self, serial: str, picture: bytes) -> None:
        self.serial = serial
        self._picture = picture

    async def prepare(self, *, for_task: bool) -> None: ...

    async def release(self) -> None: ...

    async def close(self) -> None: ...

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        shot = Screenshot(
            content_id="0" * 32, size=await self.size(), serial=self.serial, taken_at=time.time(), capture_ms=0
        )
        return shot, ModelImage(shot.content_id, self._picture), Frame("jpeg", self._picture)

    async def perform(self, perform: Perform) -> Receipt:
        return Receipt(key=perform.key, status="done", sent_at=time.time(), ms=0)

    async def size(self) -> Size:
        return Size(width=1080, height=2400)

    async def reset(self, key: str, seed: int | None) -> Receipt:
        return Receipt(key=key, status="done", sent_at=time.time(), ms=0)

    async def labels(self) -> Mapping[str, str]:
        return {}

    async def state(self, source: str) -> Mapping[str, Any]:
        return {}


class CannedPhones:
    """Implement ``PhoneTransport`` for canned phones."""

    def __init__(self, load: SitesLoad) -> None:
        self._serials = serials(load.phones)
        self._picture = random.Random(load.picture_bytes).randbytes(load.picture_bytes)
        self._offline: set[str] = set()

    async def ensure_running(self) -> None: ...

    async def status(self) -> TransportStatus:
        return TransportStatus(name="canned sites", address="memory", running=True)

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def phones(self) -> Sequence[PhoneInfo]:
        return [PhoneInfo(serial=one, state=_STATES[one in self._offline], model="Canned") for one in self._serials]

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        await tell(await self.phones())

    async def connect(self, serial: str) -> None: ...

    def change(self, chance: random.Random) -> None:
        """Connect or disconnect one phone."""
        self._offline ^= {chance.choice(self._serials)}

    def phone(self, serial: str) -> CannedPhone:
        """Return a phone whose picture is unique: it begins with the phone's serial."""
        name = serial.encode()
        return CannedPhone(serial, name + self._picture[len(name) :])


async def serve(load: SitesLoad) -> None:
    """Serve until SIGTERM. Print a line when all sites are there."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    opened: list[tuple[PhoneGateway, EdgeServer]] = []
    changing: list[asyncio.Task[None]] = []
    try:
        for site in load.sites:
            canned = CannedPhones(load)
            gateway = PhoneGateway(GatewaySettings(state_dir=load.state_dir / site), canned)
            await gateway.start()
            server = EdgeServer(
                gateway, MqttLink(f"manyhands-{site}", load.broker), SiteSettings(site=site), RealClock()
            )
            await server.start()
            opened.append((gateway, server))
            await server.publish_phones(await canned.phones())
            changing.append(asyncio.create_task(_change(load, canned, server)))
        print("ready", flush=True)  # noqa: T201  to the process that started this one
        await ended.wait()
    finally:
        for task in changing:
            task.cancel()
        for gateway, server in opened:
            await server.stop()
            await gateway.stop()


async def _change(load: SitesLoad, canned: CannedPhones, server: EdgeServer) -> None:
    chance = random.Random(0)
    while load.changes_s:
        await asyncio.sleep(1 / load.changes_s)
        canned.change(chance)
        await server.publish_phones(await canned.phones())


if __name__ == "__main__":
    asyncio.run(serve(SitesLoad.model_validate_json(sys.argv[1])))
