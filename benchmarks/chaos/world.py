"""Provide what a run works with and does not own, and take it away: phones, a model, an adb server, a disk."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from manyhands.benchmarks.chaos.edge import SITE, Edge, open_edge
from manyhands.benchmarks.chaos.interposer import Interposer, missing
from manyhands.benchmarks.chaos.plan import BEHIND_A_BROKER, INTERPOSED, FaultKind, PlannedFault
from manyhands.benchmarks.testbed import HOST, OwnAdbServer
from manyhands.deploy.child_process import SidecarProcess, run_program
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins import connect_phones, phone_process, rehearsed_server
from manyhands.protocol.errors import CallError
from manyhands.simulator.system.capture import CaptureFault

DISK_MIB = 4096
"""Size of the disk that can be filled. It is memory, used only as it fills."""
CAP_SYS_ADMIN = 21
"""Linux's number for the capability to mount."""
_PAGE = 4096
_STOP_S = 10.0


class Phones:
    """Control virtual phones in a process that no run started. A phone can be cut off, as if its cable were pulled."""

    def __init__(self, process: SidecarProcess, serials: Sequence[str]) -> None:
        self._process = process
        self.serials = tuple(serials)

    async def cut(self, serial: str, seconds: float) -> None:
        """Drop the phone's connections and close its port for so many seconds. Raises CallError."""
        index = self.serials.index(serial)
        await self._tell(f"vanish {index}")
        await asyncio.sleep(seconds)
        await self._tell(f"return {index}")

    async def blind(self, serial: str, seconds: float, fault: CaptureFault) -> None:
        """Make the phone's screenshots fail for so many seconds. Raises CallError."""
        index = self.serials.index(serial)
        await self._tell(f"set {index} screenshots {fault.value}")
        await asyncio.sleep(seconds)
        await self._tell(f"set {index} screenshots {CaptureFault.NONE.value}")

    async def _tell(self, line: str) -> None:
        await self._process.write_line(line)
        answer = await self._process.read_json()
        if "error" in answer:
            raise CallError(f"virtual phones refused {line!r}: {answer['error']}")


@asynccontextmanager
async def phones_of(settings: FleetSettings, count: int, logs: Path) -> AsyncIterator[Phones]:
    """Run virtual phones, connected to the adb server of the settings, while the context is open."""
    process = phone_process(settings.virtual, count, logs)
    async with connect_phones(settings.groups.adb, process) as serials:
        yield Phones(process, serials)


class Model:
    """Serve the rehearsed model in a process that no run started. After a kill it comes back at the same address."""

    def __init__(self, settings: FleetSettings, logs: Path) -> None:
        self._settings = settings
        self._logs = logs
        self._process: SidecarProcess | None = None
        self.url = ""

    async def __aenter__(self) -> Model:
        await self._start(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            await self._process.__aexit__()

    async def kill_for(self, seconds: float) -> None:
        """Kill the server, and start it again after so many seconds."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        await asyncio.sleep(seconds)
        await self._process.__aexit__()
        await self._start(urlsplit(self.url).port or 0)

    async def _start(self, port: int) -> None:
        self._process = None
        process = rehearsed_server(self._settings.rehearsal, port, self._logs)
        await process.__aenter__()
        self._process, self.url = process, process.ready["url"]


class HostileModel:
    """Serve the model at a second address, which answers with garbage for a while."""

    def __init__(self, upstream: str, seed: int, logs: Path) -> None:
        """Prepare. ``upstream``: the model that answers while no garbage is wanted. ``seed`` decides the garbage."""
        words = ("--upstream", upstream, "--share", "0", "--seed", str(seed))
        self._process = SidecarProcess("manyhands.simulator.hostile", words, logs / "hostile_model.log")
        self.url = ""

    async def __aenter__(self) -> HostileModel:
        await self._process.__aenter__()
        self.url = self._process.ready["url"]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._process.__aexit__()

    async def hostile_for(self, seconds: float) -> None:
        """Answer with garbage for so many seconds. Raises CallError."""
        await self._answer_hostile(1)
        try:
            await asyncio.sleep(seconds)
        finally:
            await self._answer_hostile(0)

    async def _answer_hostile(self, share: float) -> None:
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_STOP_S)) as client,
                client.post(self.url.removesuffix("/v1") + "/stand-in/share", data=str(share)) as answer,
            ):
                answer.raise_for_status()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise CallError(f"the hostile server does not take its share: {error!r}") from error


class Disk:
    """Provide a separate file system that can be full: a tmpfs that is shrunk to the size of its content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def __aenter__(self) -> Disk:
        await asyncio.to_thread(self.folder.mkdir, parents=True)
        await _mount("-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=700", "tmpfs", str(self.folder))
        return self

    async def __aexit__(self, *_: object) -> None:
        await run_program("umount", str(self.folder))
        self.folder.rmdir()

    async def full_for(self, seconds: float) -> None:
        """Leave no room for so many seconds: appends, new files and new folders fail with ENOSPC."""
        try:
            for _ in range(20):  # somebody may write between the two calls; then the change is refused
                used = shutil.disk_usage(self.folder).used
                if await self._resize(f"{max(used, _PAGE)}"):
                    break
            await asyncio.sleep(seconds)
        finally:
            await self._resize(f"{DISK_MIB}m")

    async def _resize(self, size: str) -> bool:
        try:
            await _mount("-o", f"remount,size={size}", str(self.folder))
        except CallError:
            return False
        return True


def lacks(kind: FaultKind) -> str | None:
    """Return what this machine lacks for faults of a kind; None if nothing is missing."""
    if kind is FaultKind.DISK_FULL and not can_mount():
        return "the right to mount a tmpfs (root)"
    return missing() if kind in INTERPOSED else None


def can_mount() -> bool:
    """Return whether this process may mount. Even root may not, in some containers."""
    status = Path("/proc/self/status")
    if shutil.which("mount") is None or not status.is_file():
        return False
    match = re.search(r"^CapEff:\s*([0-9a-f]+)$", status.read_text(), re.MULTILINE)
    return match is not None and bool(int(match[1], 16) >> CAP_SYS_ADMIN & 1)


async def _mount(*words: str) -> None:
    mounted = await run_program("mount", *words)
    if mounted.code:
        raise CallError(f"mount {' '.join(words)}: {mounted.errors.strip()}")


@dataclass(frozen=True)
class World:
    """Hold everything that a run works with."""

    phones: Phones
    model: Model
    hostile: HostileModel | None
    """None if no such fault was asked for."""
    adb: OwnAdbServer
    runs: Path
    """The folder in which run folders are made."""
    disk: Disk | None
    edge: Edge | None
    """None if the phones are at the run's own machine."""
    interposer: Interposer | None

    @property
    def model_urls(self) -> str:
        """Return the addresses of the model, separated by commas."""
        return ",".join((self.model.url, *(() if self.hostile is None else (self.hostile.url,))))

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment variables that a run needs in this world."""
        return {
            **({} if self.edge is None else self.edge.environment),
            **({} if self.interposer is None else self.interposer.environment),
        }

    def named(self, serial: str) -> str:
        """Return the run's name for a phone."""
        return serial if self.edge is None else f"{SITE}/{serial}"


@asynccontextmanager
async def open_world(
    settings: FleetSettings, phones: int, out: Path, kinds: Collection[FaultKind]
) -> AsyncIterator[World]:
    """Start what faults of these kinds need, while the context is open. Raises CallError, BadInput."""
    logs = out / "logs"
    async with AsyncExitStack() as stack:
        disk = await stack.enter_async_context(Disk(out / "disk")) if FaultKind.DISK_FULL in kinds else None
        runs = out / "runs" if disk is None else disk.folder
        interposed = not INTERPOSED.isdisjoint(kinds)
        interposer = await stack.enter_async_context(Interposer(out / "interposer", runs)) if interposed else None
        adb = await stack.enter_async_context(OwnAdbServer())
        there = settings.model_copy(update={"adb_host": HOST, "adb_port": adb.port})
        model = await stack.enter_async_context(Model(there, logs))
        hostile = None
        if FaultKind.HOSTILE_MODEL in kinds:
            hostile = await stack.enter_async_context(HostileModel(model.url, settings.rehearsal.seed, logs))
        connected = await stack.enter_async_context(phones_of(there, phones, logs))
        behind_a_broker = not set(BEHIND_A_BROKER).isdisjoint(kinds)
        edge = await stack.enter_async_context(open_edge(adb.port, out)) if behind_a_broker else None
        yield World(connected, model, hostile, adb, runs, disk, edge, interposer)


HOUR_S = 3600
STEPS_S = (2 * HOUR_S, 8 * 24 * HOUR_S)
"""The two steps of a clock, in seconds.

Both are longer than a round, so that times before and after the step cannot be confused. The second step is also longer
than the time for which action keys are stored.
"""

Outage = Callable[[], Awaitable[str | None]]
"""Takes something away, and returns once that is back. The result is None, or a text about what went wrong."""


def outage_of(planned: PlannedFault, world: World, folder: Path, away_s: float) -> Outage | None:
    """Return the outage of a fault that takes something away; None for any other fault."""
    outages: dict[FaultKind, Callable[[], Awaitable[str | None]]] = {
        FaultKind.KILL_MODEL: partial(_quiet, partial(world.model.kill_for, away_s)),
        FaultKind.MOVED_FOLDER: partial(move_for, folder, away_s),
    }
    if world.hostile is not None:
        outages[FaultKind.HOSTILE_MODEL] = partial(_quiet, partial(world.hostile.hostile_for, away_s))
    if world.disk is not None:
        outages[FaultKind.DISK_FULL] = partial(_quiet, partial(world.disk.full_for, away_s))
    if world.interposer is not None:
        interposer, off = world.interposer, partial(world.interposer.clock_off_for, away_s)
        outages[FaultKind.READ_ONLY_FOLDER] = partial(_quiet, partial(interposer.read_only_for, away_s))
        outages[FaultKind.BROKEN_FOLDER] = partial(_quiet, partial(interposer.broken_for, away_s))
        if (offset_s := clock_offset(planned)) is not None:
            outages[planned.kind] = partial(_quiet, partial(off, offset_s))
    if world.edge is not None:
        edge = world.edge
        outages |= {
            FaultKind.KILL_BROKER: partial(_quiet, edge.kill_broker),
            FaultKind.FREEZE_BROKER: partial(_quiet, edge.freeze_broker),
            FaultKind.CUT_LINK: partial(_quiet, edge.cut_link),
            FaultKind.KILL_EDGE: partial(_quiet, partial(edge.kill_gateway, away_s)),
        }
    return outages.get(planned.kind)


def clock_offset(planned: PlannedFault) -> int | None:
    """Return the seconds by which a fault steps the clock; None if it does not."""
    signs: Mapping[FaultKind, int] = {FaultKind.CLOCK_FORWARD: 1, FaultKind.CLOCK_BACK: -1}
    sign = signs.get(planned.kind)
    return None if sign is None else sign * STEPS_S[planned.choose(len(STEPS_S))]


async def move_for(folder: Path, seconds: float) -> str | None:
    """Move a folder away for so many seconds.

    If somebody makes a folder at the old place meanwhile, keep that folder under another name.
    """
    away = folder.with_name(f"{folder.name}.moved")
    await asyncio.to_thread(folder.rename, away)
    try:
        await asyncio.sleep(seconds)
    finally:
        new_place = await asyncio.to_thread(_bring_back, away, folder)
    return None if new_place is None else f"its old place was made anew, now {new_place.name}"


def _bring_back(away: Path, folder: Path) -> Path | None:
    """Rename a folder back. If another folder was at its place, move that one and return its new path."""
    new_place = None
    if folder.exists():
        number = sum(1 for _ in folder.parent.glob(f"{folder.name}.anew-*")) + 1
        new_place = folder.rename(folder.with_name(f"{folder.name}.anew-{number}"))
    away.rename(folder)
    return new_place


async def _quiet(take_away: Callable[[], Awaitable[None]]) -> None:
    """Carry out an outage that has nothing to report."""
    await take_away()
