"""A way to reach phones other than adb: a class that makes phones, of which the gateway and an episode ask no more."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.episode.stages.permission import FRONT
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhoneBusy, PhoneLost, PhoneUnknown
from manyhands.protocol.phones import Perform, PhoneInfo, Receipt, Reset, SettleSpec, TransportStatus
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot
from tests.actors.episode.world import SIZE, World, content_id, order
from tests.actors.phones.world import within
from tests.permitted import permitted

SERIAL = "wall phone (7)"


class WallPhone:
    """A phone that is a world of named screens; nothing of adb."""

    def __init__(self, serial: str, world: World) -> None:
        self.serial = serial
        self.lost = False
        self.did: list[str] = []
        self._world = world

    async def prepare(self, *, for_task: bool) -> None:
        if self.serial != SERIAL:
            raise PhoneUnknown(f"nothing on the wall is called {self.serial!r}")
        self.did.append("prepare")

    async def release(self) -> None:
        self.did.append("release")

    async def close(self) -> None:
        self.did.append("close")

    async def capture(self, settle: SettleSpec | None) -> tuple[Screenshot, ModelImage, Frame]:
        name = self._world.screen
        screenshot = Screenshot(
            content_id=content_id(name),
            size=SIZE,
            serial=self.serial,
            taken_at=time.time(),
            capture_ms=1.0,
            keyboard="hidden",
            app="org.example",
        )
        self._world.names[screenshot.content_id] = name
        return screenshot, ModelImage(screenshot.content_id, name.encode()), Frame("rgb", np.zeros((2, 2, 3), np.uint8))

    async def perform(self, perform: Perform) -> Receipt:
        if self.lost:
            raise PhoneLost("somebody took it off the wall")
        self.did.append(perform.key)
        self._world.screen = self._world.moves(self._world.screen, perform.action)
        return Receipt(key=perform.key, status="done", sent_at=time.time(), ms=1.0)

    async def size(self) -> Size:
        return SIZE

    async def reset(self, reset: Reset) -> Receipt:
        self.did.append(reset.key)
        return Receipt(key=reset.key, status="done", sent_at=time.time(), ms=1.0)

    async def labels(self) -> Mapping[str, str]:
        return {}

    async def state(self, source: str) -> Mapping[str, Any]:
        return {"app": {"front": self._world.app}} if source == FRONT else {"screen": self._world.screen}


class Wall:
    """Implements ``PhoneTransport`` in memory."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.made: list[WallPhone] = []
        self.runs = False

    async def ensure_running(self) -> None: ...

    async def status(self) -> TransportStatus:
        return TransportStatus(name="wall", address="memory", running=True)

    async def start(self) -> None:
        self.runs = True

    async def stop(self) -> None:
        self.runs = False

    async def phones(self) -> Sequence[PhoneInfo]:
        return [PhoneInfo(serial=SERIAL, state="device", model="Wall")]

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        await tell(await self.phones())
        await asyncio.Event().wait()

    async def connect(self, serial: str) -> None: ...

    def phone(self, serial: str) -> WallPhone:
        self.made.append(WallPhone(serial, self.world))
        return self.made[-1]


@pytest.fixture
def wall() -> Wall:
    return Wall(World(clock=RealClock()))


@pytest.fixture
async def gateway(wall: Wall, tmp_path: Path) -> AsyncIterator[PhoneGateway]:
    gateway = PhoneGateway(GatewaySettings(state_dir=tmp_path), wall)
    await gateway.start()
    assert wall.runs
    yield gateway
    await gateway.stop()
    assert not wall.runs


async def test_the_directory_needs_no_lease_and_touches_no_phone(gateway: PhoneGateway, wall: Wall) -> None:
    await gateway.connect(SERIAL)
    assert [phone.serial for phone in await gateway.phones()] == [SERIAL]
    assert await gateway.size(SERIAL) == SIZE
    assert await gateway.labels(SERIAL) == {}, "a phone of the wall tells nothing of itself"
    assert await gateway.look(SERIAL, "content://wall/state") == {"screen": wall.world.screen}
    assert not any(phone.did for phone in wall.made)


async def test_leases_and_keys_are_those_of_any_phone(gateway: PhoneGateway, wall: Wall) -> None:
    lease = await gateway.attach(SERIAL, "one", 60)
    with pytest.raises(PhoneBusy, match="held by one"):
        await gateway.attach(SERIAL, "two", 60)
    with pytest.raises(PhoneUnknown, match="nothing on the wall"):
        await gateway.attach("elsewhere", "two", 60)
    (phone, _) = wall.made
    tap = permitted(key="k", action=Tap(x=0, y=100))
    phone.lost = True
    with pytest.raises(PhoneLost, match="off the wall"):
        await gateway.perform(lease, tap, within())
    phone.lost = False
    performed, image, _ = await gateway.perform_and_capture(lease, tap, None, within())
    assert (performed.receipt.status, performed.receipt.repeated) == ("done", False)
    assert image is not None
    assert image.jpeg == b"s1"
    assert (await gateway.perform(lease, tap, within())).repeated
    await gateway.detach(lease)
    assert phone.did == ["prepare", "k", "close", "release"]


async def test_a_whole_episode(gateway: PhoneGateway, wall: Wall) -> None:
    world, lease = wall.world, await gateway.attach(SERIAL, "run", 60)
    collaborators = dataclasses.replace(world.collaborators(), gateway=gateway)
    host = EpisodeHost(HostSettings(), collaborators, RealClock())
    check = {"source": "wall://seven/screen", "holds": {"path": "screen", "equals": world.goal_screen}}
    result = await host.run_episode(order(task={"check": check}).model_copy(update={"lease": lease}))
    assert (result.ending, result.serial, world.screen) == (Ending.FINISHED, SERIAL, world.goal_screen)
    assert result.verified
    tried = [f"run-task-1:{step}:1:0" for step in range(3)]
    assert wall.made[0].did == ["prepare", "run-task-1:reset", *tried]


class Unplugged(Wall):
    async def start(self) -> None:
        raise PhoneLost("the wall has no current")


async def test_a_transport_that_cannot_start_leaves_no_database_open(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    gateway = PhoneGateway(GatewaySettings(state_dir=tmp_path), Unplugged(World(clock=RealClock())))
    with pytest.raises(PhoneLost, match="no current") as kept:  # with all that its frames hold: nothing ends by chance
        await gateway.start()
    left = set(threading.enumerate()) - before
    for thread in left:
        await asyncio.to_thread(thread.join, 5)
    assert kept.value.code == PhoneLost.code
    assert not any(thread.name.startswith("leases") and thread.is_alive() for thread in left)
