"""Drives virtual phones that take their time, and asks them when their screens had truly come to rest.

No model and no Ray: actions and screenshots go through a gateway, over a real adb server, and between them the driver
waits as a model would.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from actors.frames import Rgb
from actors.phones import AdbGateway, GatewaySettings
from deploy.adb import AdbServer
from deploy.groups import first_error
from deploy.settings import VirtualOptions
from deploy.stand_ins import PROVIDER, VirtualPhones
from evaluation.bench.settle import SettledAction
from protocol.actions import Atom, Back, Home, OpenApp, Swipe, Tap
from protocol.errors import CallError
from protocol.geometry import Size
from protocol.messages import CallContext
from protocol.phones import Lease, Perform, SettleSpec
from protocol.screens import Screenshot

HOLDER = "bench settle"
LEASE_S = 3600.0
CALL_S = 60.0
REST_POLL_S = 0.05
STATUS_BAR_SHARE = 0.04
APPS = ("Settings", "Notes", "Messages", "Browser")
"""Without toasts, which vanish by themselves."""

ROUND = ("Open_App", "Tap", "Back", "Swipe", "Home")
"""What is done in each app."""

Tell = Callable[[SettledAction], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured. ``rounds``: how often each phone goes through the apps; ``think_s``: between the actions."""

    virtual: VirtualOptions
    worlds: int
    rounds: int
    think_s: float
    settle: SettleSpec


async def measure(plan: Plan, adb: AdbServer, scratch: Path, tell: Tell) -> list[SettledAction]:
    """Play every world at the same time, each with a phone and a gateway of its own. Raises what phones raise."""
    with first_error():
        async with asyncio.TaskGroup() as group:
            worlds = [group.create_task(_world(plan, adb, scratch, tell, number)) for number in range(plan.worlds)]
    return [action for world in worlds for action in world.result()]


async def _world(plan: Plan, adb: AdbServer, scratch: Path, tell: Tell, number: int) -> list[SettledAction]:
    options = plan.virtual.model_copy(update={"seed": plan.virtual.seed + 100 * number})
    folder = scratch / f"world{number}"
    settings = GatewaySettings(
        adb_host=adb.host,
        adb_port=adb.port,
        state_dir=folder / "state",
        label_providers=(f"{PROVIDER}/apps",),
        reset_provider=PROVIDER,
    )
    async with VirtualPhones(1, options, adb, folder) as phones:
        gateway = AdbGateway(settings)
        await gateway.start()
        try:
            lease = await gateway.attach(phones.serials[0], HOLDER, LEASE_S)
            driver = _Driver(plan, gateway, lease, number)
            for round_number in range(plan.rounds):
                await driver.round(round_number, options.seed, tell)
            await gateway.detach(lease)
        finally:
            await gateway.stop()
    return driver.done


class _Driver:
    """One phone, action by action."""

    def __init__(self, plan: Plan, gateway: AdbGateway, lease: Lease, world: int) -> None:
        self._plan = plan
        self._gateway = gateway
        self._lease = lease
        self._world = world
        self._visits: Counter[tuple[str, str]] = Counter()
        self._keys = 0
        self.done: list[SettledAction] = []

    async def round(self, number: int, seed: int, tell: Tell) -> None:
        """All actions once, from the same contents each time."""
        await self._gateway.reset(self._lease, f"bench:{number}", seed, self._context())
        screenshot, before = await self._rest()
        for action in actions_of_a_round(screenshot.size):
            screenshot, before, done = await self._act(action, screenshot, before)
            self.done.append(done)
            tell(done)

    async def _act(self, action: Atom, last: Screenshot, before: Rgb) -> tuple[Screenshot, Rgb, SettledAction]:
        self._keys += 1
        minute = time.time() // 60
        key = f"bench:{self._world}:{self._keys}"
        app = action.app if isinstance(action, OpenApp) else last.app or ""
        self._visits[app, action.name] += 1
        receipt = await self._gateway.perform(self._lease, Perform(key=key, action=action), self._context())
        if receipt.status != "done":
            raise CallError(f"{action.name} on a virtual phone: {receipt.status}, {receipt.detail}")
        received_at = time.time()
        screenshot, _, frame = await self._gateway.capture(self._lease, self._plan.settle, self._context())
        returned_at = time.time()
        await asyncio.sleep(self._plan.think_s)
        ended_at = await self._ended_at()
        _, after = await self._rest()
        settling = screenshot.settling
        assert settling is not None, "it was asked to settle"
        done = SettledAction(
            world=self._world,
            app=app,
            action=action.name,
            visit=self._visits[app, action.name],
            judged=time.time() // 60 == minute,
            changed=not _same(before, after),
            final=_same(frame.rgb(), after),
            ended_at=ended_at,
            transition_ms=(ended_at - received_at) * 1000,
            taken_at=screenshot.taken_at,
            returned_at=returned_at,
            settled=settling.settled,
            frames=settling.frames,
            quiet_ms=settling.quiet_ms,
            learned=settling.learned,
            pauses=settling.pauses,
        )
        return screenshot, after, done

    async def _ended_at(self) -> float:
        """When the screen came to rest, as the phone itself knows; waits until it has."""
        while True:
            state = await self._gateway.state(self._lease, f"{PROVIDER}/rest", self._context())
            if state["resting"]:
                return float(state["since"])
            await asyncio.sleep(REST_POLL_S)

    async def _rest(self) -> tuple[Screenshot, Rgb]:
        """A screen that has come to rest, for comparing with."""
        await self._ended_at()
        screenshot, _, frame = await self._gateway.capture(self._lease, None, self._context())
        return screenshot, frame.rgb()

    def _context(self) -> CallContext:
        return CallContext(episode=HOLDER, step=0, deadline=time.time() + CALL_S)


def actions_of_a_round(size: Size) -> Sequence[Atom]:
    """``ROUND`` in each of ``APPS``."""
    middle, low, high = size.width // 2, round(size.height * 0.7), round(size.height * 0.4)
    swipe = Swipe(x1=middle, y1=low, x2=middle, y2=high, ms=100)
    made: list[Atom] = []
    for app in APPS:
        made += [OpenApp(app=app), Tap(x=middle, y=high), Back(), swipe, Home()]
    return made


def _same(one: Rgb, other: Rgb) -> bool:
    """Below the status bar, whose clock goes on."""
    top = round(one.shape[0] * STATUS_BAR_SHARE)
    return one.shape == other.shape and bool(np.array_equal(one[top:], other[top:]))
