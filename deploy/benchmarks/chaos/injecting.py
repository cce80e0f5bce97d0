"""Carries out one fault after the other on a run that goes on, and waits until the fleet has recovered."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

import psutil

from manyhands.actors.profiles import profile_of
from manyhands.deploy.benchmarks.chaos.driver import GONE_S, Driver, end
from manyhands.deploy.benchmarks.chaos.edge import Edge
from manyhands.deploy.benchmarks.chaos.following import JournalFollower
from manyhands.deploy.benchmarks.chaos.plan import BEHIND_A_BROKER, FaultKind, PlannedFault
from manyhands.deploy.benchmarks.chaos.processes import send
from manyhands.deploy.benchmarks.chaos.world import World
from manyhands.evaluation.faults import Fault
from manyhands.protocol.runs import EpisodeSettings

ROLES = tuple(kind.__name__ for kind in profile_of("e").agents(EpisodeSettings()))
PERCEPTION, HOST, DISPATCHER, STORE, GATEWAY, LINKED = (
    "PerceptionService",
    "EpisodeHost",
    "Dispatcher",
    "RunStore",
    "PhoneGateway",
    "MqttGateway",
)
KILLED: Mapping[FaultKind, tuple[str, ...]] = {
    FaultKind.KILL_ROLE: ROLES,
    FaultKind.KILL_PERCEPTION: (PERCEPTION,),
    FaultKind.KILL_HOST: (HOST,),
    FaultKind.KILL_DISPATCHER: (DISPATCHER,),
    FaultKind.KILL_STORE: (STORE,),
    FaultKind.KILL_GATEWAY: (GATEWAY,),
}
FROZEN: Mapping[FaultKind, tuple[str, ...]] = {
    FaultKind.FREEZE_HOST: (HOST,),
    FaultKind.FREEZE_GATEWAY: (GATEWAY,),
    FaultKind.FREEZE_DISPATCHER: (DISPATCHER,),
    FaultKind.FREEZE_STORE: (STORE,),
}
PAST_LEASE_S = 1.5
"""A process is frozen for so much longer than a lease."""
ADB_BACK_S = 30.0
ACTOR_BACK_S = 30.0
"""A process that is to be killed or frozen may still be coming back from what hit it before."""
IN_COMMAND_S = 20.0
"""So long it is waited for a command in whose middle a phone can be cut off."""
RECOVERED_S = 90.0
LEFT_OVER = "left over"
_LOOK_S = 0.25
_LOOK_CLOSELY_S = 0.03


@dataclass(frozen=True)
class Scene:
    """What faults are carried out on: one round."""

    driver: Driver
    world: World
    follower: JournalFollower
    lease_s: float
    away_s: float
    tasks: int
    go_on: Callable[[], Awaitable[None]]
    """Starts ``manyhands resume``."""


class NotPossible(Exception):
    """What is to be hit is not there."""


class Injector:
    """Put faults into one round."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    async def inject(self, planned: PlannedFault) -> Fault:
        """Carry out a fault, and return it when it is over. Raises NotPossible, CallError."""
        kind = planned.kind
        if kind in KILLED:
            return await self._kill(planned)
        if kind in FROZEN:
            return await self._freeze(planned)
        world = self._scene.world
        if world.edge is not None and kind in BEHIND_A_BROKER:
            return await self._away(planned, self._beyond(world.edge, kind))
        match kind:
            case FaultKind.KILL_ADB:
                return await self._kill_adb(planned)
            case FaultKind.KILL_MODEL:
                return await self._away(planned, partial(world.model.kill_for, self._scene.away_s))
            case FaultKind.DISK_FULL if world.disk is not None:
                return await self._away(planned, partial(world.disk.full_for, self._scene.away_s))
            case FaultKind.PHONE_CUT:
                return await self._cut(planned)
            case FaultKind.KILL_DRIVER:
                return await self._kill_driver(planned)
        raise NotPossible(f"{kind}: not here")

    def _beyond(self, edge: Edge, kind: FaultKind) -> Callable[[], Awaitable[None]]:
        faults: dict[FaultKind, Callable[[], Awaitable[None]]] = {
            FaultKind.KILL_BROKER: edge.kill_broker,
            FaultKind.FREEZE_BROKER: edge.freeze_broker,
            FaultKind.CUT_LINK: edge.cut_link,
            FaultKind.KILL_EDGE: partial(edge.kill_gateway, self._scene.away_s),
        }
        return faults[kind]

    async def recovered(self, fault: Fault) -> bool:
        """Wait until each phone that was hit has been sent an action since, or has nothing left to do."""
        give_up_at = time.time() + RECOVERED_S
        while not all(map(partial(self._acts, fault.over), fault.hit)):
            if time.time() > give_up_at or self._scene.driver.ended:
                return False
            await self._look(_LOOK_S)
        return True

    def _acts(self, since: float, serial: str) -> bool:
        follower = self._scene.follower
        nothing_left = serial not in follower.running and follower.begun >= self._scene.tasks
        return follower.last_sent(serial) > since or nothing_left

    async def _look(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self._scene.follower.look)

    def _fault(self, planned: PlannedFault, at: float, hit: Mapping[str, str], note: str = "") -> Fault:
        return Fault(kind=planned.kind.value, at=at, over=time.time(), hit=dict(hit), note=note)

    # ------------------------------------------------------------------ the faults
    async def _kill(self, planned: PlannedFault) -> Fault:
        classes = KILLED[planned.kind]
        name = classes[planned.choose(len(classes))]
        process, hit, at = await self._signalled(self._actor(name), signal.SIGKILL)
        return Fault(kind=planned.kind.value, at=at, over=at, hit=hit, note=f"{name} (process {process.pid})")

    async def _freeze(self, planned: PlannedFault) -> Fault:
        (name,) = FROZEN[planned.kind]
        frozen, hit, at = await self._signalled(self._actor(name), signal.SIGSTOP)
        try:
            await self._wait_out(self._scene.lease_s + PAST_LEASE_S)
        finally:
            was_there = send(frozen, signal.SIGCONT)
        return self._fault(planned, at, hit, name if was_there else f"{name}, which was ended before it was woken")

    def _actor(self, name: str) -> str:
        """Return the class of an actor: of the gateway, it depends on where the phones are."""
        return LINKED if name == GATEWAY and self._scene.world.edge is not None else name

    async def _signalled(self, name: str, number: signal.Signals) -> tuple[psutil.Process, dict[str, str], float]:
        """Send a signal to a process; return it, whom it met, and when."""
        process = await self._find(name)
        hit, at = dict(self._scene.follower.running), time.time()
        if not send(process, number):
            raise NotPossible(f"{name} has just ended")
        return process, hit, at

    async def _find(self, name: str) -> psutil.Process:
        give_up_at = time.time() + ACTOR_BACK_S
        while not (found := await asyncio.to_thread(self._scene.driver.processes.actors, name)):
            if time.time() > give_up_at or self._scene.driver.ended:
                raise NotPossible(f"no process of {name}")
            await self._look(_LOOK_S)
        return found[0]

    async def _kill_adb(self, planned: PlannedFault) -> Fault:
        hit, at = dict(self._scene.follower.running), time.time()
        if not await self._scene.world.adb.kill():
            raise NotPossible("no adb server listens")
        by_run = await self._scene.world.adb.until_back(ADB_BACK_S)
        return self._fault(planned, at, hit, "" if by_run else f"not started again by the run in {ADB_BACK_S:.0f} s")

    async def _away(self, planned: PlannedFault, take_away: Callable[[], Awaitable[None]]) -> Fault:
        hit, at = dict(self._scene.follower.running), time.time()
        await take_away()
        return self._fault(planned, at, hit)

    async def _cut(self, planned: PlannedFault) -> Fault:
        """Cut a phone off as soon as the journal says that an action goes to it: it is under way then."""
        follower, give_up_at = self._scene.follower, time.time() + IN_COMMAND_S
        running = sorted(follower.running)
        if not running:
            raise NotPossible("no phone is at work")
        there = {self._scene.world.named(serial): serial for serial in self._scene.world.phones.serials}
        serial = running[planned.choose(len(running))]
        before = follower.last_sent(serial)
        while follower.last_sent(serial) == before and time.time() < give_up_at:
            await self._look(_LOOK_CLOSELY_S)
        in_command = follower.last_sent(serial) > before
        hit, at = {serial: follower.running.get(serial, "")}, time.time()
        await self._scene.world.phones.cut(there[serial], self._scene.away_s)
        return self._fault(planned, at, hit, "in a command" if in_command else "between commands")

    async def _kill_driver(self, planned: PlannedFault) -> Fault:
        """Kill the driver and go on at once; what is still there of the killed run GONE_S later is left over."""
        hit, at = dict(self._scene.follower.running), time.time()
        had = await self._scene.driver.kill()
        await self._scene.go_on()
        await self._wait_out(GONE_S)
        left = await asyncio.to_thread(end, had)
        note = f"{LEFT_OVER} and killed: {', '.join(left)}" if left else ""
        return Fault(kind=planned.kind.value, at=at, over=at, hit=hit, note=note)

    async def _wait_out(self, seconds: float) -> None:
        until = time.time() + seconds
        while time.time() < until:
            await self._look(min(_LOOK_S, max(0.0, until - time.time())))
