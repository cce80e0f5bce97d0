"""Carry out one fault after another on a running run, and wait until the fleet has recovered."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from manyhands.actors.profiles import profile_of
from manyhands.benchmarks.chaos.plan import IN_THE_FOLDER, INTERPOSED, FaultKind, PlannedFault
from manyhands.benchmarks.chaos.processes import GONE_S, Driver, end, send
from manyhands.benchmarks.chaos.recovery import JournalFollower
from manyhands.benchmarks.chaos.world import Outage, World, clock_offset, outage_of
from manyhands.evaluation.run_folder import InjectedFault
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.simulator.system.capture import CaptureFault

PERCEPTION, HOST, DISPATCHER, STORE, GATEWAY, LINKED = (
    "PerceptionService",
    "EpisodeHost",
    "Dispatcher",
    "RunStore",
    "PhoneGateway",
    "MqttGateway",
)
KILLED: Mapping[FaultKind, tuple[str, ...]] = {
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
"""Seconds for which a process is frozen beyond the length of a lease."""
ADB_BACK_S = 30.0
ACTOR_BACK_S = 30.0
"""Seconds to wait for a process that is to be killed or frozen; it may still recover from an earlier fault."""
IN_COMMAND_S = 20.0
"""Seconds to wait for an action, so that a phone can be cut off in the middle of it."""
RECOVERED_S = 90.0
RAYLET, GCS = "raylet", "gcs_server"
RAY_BACK_S = 90.0
"""Seconds in which a run must continue without what Ray has lost, or end with an error."""
LEFT_OVER = "left over"
STUCK = "stuck"
_LOOK_S = 0.25
_LOOK_CLOSELY_S = 0.03


def killed_actors(kind: FaultKind, settings: EpisodeSettings) -> tuple[str, ...]:
    """Return the classes of the actors of which a fault kills one; empty for a fault that kills no actor.

    The roles are those that the steps of the settings' profile ask.
    """
    if kind is not FaultKind.KILL_ROLE:
        return KILLED.get(kind, ())
    agents = profile_of(settings.profile).agents(settings)
    return tuple(agent.__name__ for agent in agents if agent.role.spec.in_steps)


@dataclass(frozen=True)
class Scene:
    """Hold one round, on which faults are carried out."""

    driver: Driver
    world: World
    folder: Path
    """The run folder."""
    follower: JournalFollower
    settings: EpisodeSettings
    away_s: float
    tasks: int
    resume_driver: Callable[[], Awaitable[None]]
    """Start ``manyhands resume``."""


class NotPossible(Exception):
    """Signal that the target of a fault is not there."""


class Injector:
    """Carry out faults on one round."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._resuming = 0
        """The number of faults that have killed the driver and are about to resume the run."""
        self._holding = 0
        """The number of faults that make the run folder unusable at the moment."""
        self._blinded = CaptureFault.TINY

    async def inject(self, planned: PlannedFault) -> InjectedFault:
        """Carry out a fault, and return a record of it when it is over. Raises NotPossible, CallError."""
        kind = planned.kind
        if classes := killed_actors(kind, self._scene.settings):
            return await self._kill(planned, classes)
        if kind in FROZEN:
            return await self._freeze(planned)
        if kind in INTERPOSED:
            await asyncio.to_thread(self._check_library)
        outage = outage_of(planned, self._scene.world, self._scene.folder, self._scene.away_s)
        if outage is not None:
            return await self._away(planned, outage)
        match kind:
            case FaultKind.KILL_ADB:
                return await self._kill_adb(planned)
            case FaultKind.KILL_RAYLET | FaultKind.KILL_GCS:
                return await self._kill_ray(planned)
            case FaultKind.PHONE_CUT:
                return await self._cut(planned)
            case FaultKind.DUMB_PHONE:
                return await self._blind(planned)
            case FaultKind.KILL_DRIVER:
                return await self._kill_driver(planned)
            case FaultKind.PAIR:
                return await self._both(planned)
        raise NotPossible(f"{kind}: not here")

    def _check_library(self) -> None:
        """Raise NotPossible if an actor of the run did not load the library that makes files and the clock fail."""
        library, driver = self._scene.world.interposer, self._scene.driver
        actors = [process for name in (HOST, STORE, GATEWAY) for process in driver.processes.actors(name)]
        if library is not None and not all(library.is_loaded(process.pid) for process in actors):
            raise NotPossible("a process of the run was not loaded with the library")

    async def recovered(self, fault: InjectedFault) -> bool:
        """Wait until each phone that the fault hit got another action, or has no work left.

        Return True then, or False after RECOVERED_S or if the run ends before.
        """
        await self._look(0)
        give_up_at, before = time.time() + RECOVERED_S, self._count_sent(fault.hit)
        while not self._all_act(before):
            if time.time() > give_up_at or self._scene.driver.ended:
                return False
            await self._look(_LOOK_S)
        return True

    def _count_sent(self, serials: Iterable[str]) -> dict[str, int]:
        return {serial: self._scene.follower.sent(serial) for serial in serials}

    def _all_act(self, before: Mapping[str, int]) -> bool:
        """Return whether each phone has got more actions than before, or has no work left."""
        follower = self._scene.follower
        all_begun = follower.begun_tasks >= self._scene.tasks
        return all(
            follower.sent(serial) > count or (all_begun and serial not in follower.running)
            for serial, count in before.items()
        )

    async def _look(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self._scene.follower.look)

    def _fault(self, planned: PlannedFault, at: float, hit: Mapping[str, str], note: str = "") -> InjectedFault:
        return InjectedFault(kind=planned.kind.value, at=at, over=time.time(), hit=dict(hit), note=note)

    # ------------------------------------------------------------------ the faults
    async def _kill(self, planned: PlannedFault, classes: Sequence[str]) -> InjectedFault:
        name = classes[planned.choose(len(classes))]
        process, hit, at = await self._signalled(self._actor(name), signal.SIGKILL)
        return InjectedFault(kind=planned.kind.value, at=at, over=at, hit=hit, note=f"{name} (process {process.pid})")

    async def _freeze(self, planned: PlannedFault) -> InjectedFault:
        (name,) = FROZEN[planned.kind]
        frozen, hit, at = await self._signalled(self._actor(name), signal.SIGSTOP)
        try:
            await self._wait_out(self._scene.settings.lease_s + PAST_LEASE_S)
        finally:
            was_there = send(frozen, signal.SIGCONT)
        return self._fault(planned, at, hit, name if was_there else f"{name}, which was ended before it was woken")

    def _actor(self, name: str) -> str:
        """Return the class name of an actor. The gateway's class depends on where the phones are."""
        return LINKED if name == GATEWAY and self._scene.world.edge is not None else name

    async def _signalled(self, name: str, number: signal.Signals) -> tuple[psutil.Process, dict[str, str], float]:
        """Send a signal to a process; return the process, the episodes that it met, and the time."""
        process = await self._find(name)
        hit, at = dict(self._scene.follower.running), time.time()
        if not send(process, number):
            raise NotPossible(f"{name} has just ended")
        return process, hit, at

    async def _find(self, name: str) -> psutil.Process:
        give_up_at = time.time() + ACTOR_BACK_S
        while not (actors := await asyncio.to_thread(self._scene.driver.processes.actors, name)):
            if time.time() > give_up_at or (self._scene.driver.ended and not self._resuming):
                raise NotPossible(f"no process of {name}")
            await self._look(_LOOK_S)
        return actors[0]

    async def _kill_adb(self, planned: PlannedFault) -> InjectedFault:
        hit, at = dict(self._scene.follower.running), time.time()
        if not await self._scene.world.adb.kill():
            raise NotPossible("no adb server listens")
        by_run = await self._scene.world.adb.until_back(ADB_BACK_S)
        return self._fault(planned, at, hit, "" if by_run else f"not started again by the run in {ADB_BACK_S:.0f} s")

    async def _away(self, planned: PlannedFault, take_away: Outage) -> InjectedFault:
        hit, at = dict(self._scene.follower.running), time.time()
        is_in_folder = planned.kind in IN_THE_FOLDER
        self._holding += is_in_folder
        try:
            note = await take_away()
        finally:
            self._holding -= is_in_folder
        offset_s = clock_offset(planned)
        text = note or ("" if offset_s is None else f"{offset_s:+d} s")
        return self._fault(planned, at, hit, text).model_copy(update={"clock_s": float(offset_s or 0)})

    async def _both(self, planned: PlannedFault) -> InjectedFault:
        """Carry out two faults at once. If one is not possible, the other counts alone."""
        assert planned.both is not None
        results = await asyncio.gather(*map(self.inject, planned.both), return_exceptions=True)
        faults = [fault for fault in results if isinstance(fault, InjectedFault)]
        failed = [failure for failure in results if isinstance(failure, BaseException)]
        for failure in failed:
            if not isinstance(failure, NotPossible | ManyhandsError | OSError):
                raise failure
        if not faults:
            raise NotPossible(" and ".join(map(str, failed)))
        if failed:
            return faults[0].model_copy(update={"note": f"{faults[0].note}, alone: {failed[0]}"})
        notes = (f"{fault.kind} ({fault.note})" if fault.note else fault.kind for fault in faults)
        return InjectedFault(
            kind=planned.kind.value,
            at=min(fault.at for fault in faults),
            over=max(fault.over for fault in faults),
            hit={serial: episode for fault in faults for serial, episode in fault.hit.items()},
            pair=tuple(fault.kind for fault in faults),
            clock_s=sum(fault.clock_s for fault in faults),
            note=" and ".join(notes),
        )

    async def _cut(self, planned: PlannedFault) -> InjectedFault:
        """Cut a phone off as soon as the journal says that an action is being sent to it."""
        follower, give_up_at = self._scene.follower, time.time() + IN_COMMAND_S
        serial, there = self._at_work(planned)
        before = follower.sent(serial)
        while follower.sent(serial) == before and time.time() < give_up_at:
            await self._look(_LOOK_CLOSELY_S)
        in_command = follower.sent(serial) > before
        hit, at = {serial: follower.running.get(serial, "")}, time.time()
        await self._scene.world.phones.cut(there, self._scene.away_s)
        return self._fault(planned, at, hit, "in a command" if in_command else "between commands")

    async def _blind(self, planned: PlannedFault) -> InjectedFault:
        """Make a phone's screenshots fail: alternately they are empty, or have one pixel."""
        serial, there = self._at_work(planned)
        self._blinded = CaptureFault.TINY if self._blinded is CaptureFault.EMPTY else CaptureFault.EMPTY
        hit, at = {serial: self._scene.follower.running.get(serial, "")}, time.time()
        await self._scene.world.phones.blind(there, self._scene.away_s, self._blinded)
        return self._fault(planned, at, hit, self._blinded.name.lower())

    def _at_work(self, planned: PlannedFault) -> tuple[str, str]:
        """Return a phone that carries out an episode: the run's name for it, and its own serial."""
        running = sorted(self._scene.follower.running)
        if not running:
            raise NotPossible("no phone is at work")
        there = {self._scene.world.named(serial): serial for serial in self._scene.world.phones.serials}
        serial = running[planned.choose(len(running))]
        return serial, there[serial]

    async def _kill_ray(self, planned: PlannedFault) -> InjectedFault:
        """Kill one of Ray's own processes. If the run ends because of that, resume it, as its user would."""
        name = RAYLET if planned.kind is FaultKind.KILL_RAYLET else GCS
        process, hit, at = await self._signalled(name, signal.SIGKILL)
        driver, before, give_up_at = self._scene.driver, self._count_sent(hit), time.time() + RAY_BACK_S
        note = "the run went on by itself"
        while not driver.ended and not self._goes_on(process, name, before):
            if time.time() > give_up_at:
                note = f"{STUCK}: the run neither went on nor ended in {RAY_BACK_S:.0f} s, and was killed and resumed"
                await asyncio.to_thread(end, await driver.kill())
                break
            await self._look(_LOOK_S)
        if driver.ended:
            note = note if note.startswith(STUCK) else f"the run ended with exit code {await driver.wait()}, resumed"
            await self._resume()
        return InjectedFault(kind=planned.kind.value, at=at, over=at, hit=hit, note=note)

    def _goes_on(self, killed: psutil.Process, name: str, before: Mapping[str, int]) -> bool:
        """Return whether a new process has replaced the killed one, and all phones get actions again.

        Actions alone prove nothing: without a raylet, the actors can still carry out requests that they got before.
        """
        if not self._all_act(before):
            return False
        return any(process.pid != killed.pid for process in self._scene.driver.processes.actors(name))

    async def _resume(self) -> None:
        """Start ``manyhands resume`` as soon as the run folder can be used."""
        while self._holding:
            await self._look(_LOOK_S)
        await self._scene.resume_driver()

    async def _kill_driver(self, planned: PlannedFault) -> InjectedFault:
        """Kill the driver and resume at once.

        Processes of the killed run that still exist after GONE_S are left over.
        """
        hit, at = dict(self._scene.follower.running), time.time()
        self._resuming += 1
        try:
            had = await self._scene.driver.kill()
            await self._resume()
        finally:
            self._resuming -= 1
        await self._wait_out(GONE_S)
        remaining = await asyncio.to_thread(end, had)
        note = f"{LEFT_OVER} and killed: {', '.join(remaining)}" if remaining else ""
        return InjectedFault(kind=planned.kind.value, at=at, over=at, hit=hit, note=note)

    async def _wait_out(self, seconds: float) -> None:
        until = time.time() + seconds
        while time.time() < until:
            await self._look(min(_LOOK_S, max(0.0, until - time.time())))
