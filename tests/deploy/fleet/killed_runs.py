"""Runs as commands of their own, on phones and a model that outlive them, to be killed and gone on with."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from manyhands.actors.phones.leases import Leases
from manyhands.benchmarks.chaos.processes import RunProcesses, name_of, send
from manyhands.deploy import process_reaper
from manyhands.evaluation.audit import read_ledger
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import Acted, EpisodeStarted
from tests.deploy.cluster.head import short_folder

SUITE = Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml"
LOOK_EVERY_S = 0.1


@dataclass
class Outcome:
    """What a command ended with."""

    code: int
    out: str
    errors: str

    @property
    def value(self) -> dict[str, Any]:
        """The one JSON value on its standard output."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


@dataclass
class Workplace:
    """Phones, a model, and folders for runs; ``state``: leases, ``ray``: where Ray's folders are made."""

    folder: Path
    ray: Path
    adb_port: int
    serials: Sequence[str]
    model: str
    commands: list[Command] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return {"RAY_TMPDIR": str(self.ray), "MANYHANDS_STATE_DIR": str(self.folder / "state")}

    async def run(self, name: str, *options: str, serials: Sequence[str] = ()) -> Command:
        """Start ``manyhands run`` on the suite, in the folder ``name``."""
        phones = ",".join(serials or self.serials)
        where = ["--phones", phones, "--mllm-url", self.model, "--adb-port", str(self.adb_port)]
        return await self.command("run", str(SUITE), *options, *where, "--out", str(self.folder / name))

    async def resume(self, name: str) -> Command:
        return await self.command("resume", str(self.folder / name))

    async def command(self, *words: str) -> Command:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "manyhands",
            *words,
            "--json",
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, **self.environment},
            start_new_session=True,
        )
        self.commands.append(Command(process, self.ray))
        return self.commands[-1]

    async def held(self) -> dict[str, str]:
        """Who holds which phone now."""
        leases = Leases(self.folder / "state")
        try:
            return await asyncio.to_thread(leases.holders)
        finally:
            leases.close()


class Command:
    """A command that runs."""

    def __init__(self, process: Process, ray: Path) -> None:
        self.process = process
        self.ended = asyncio.create_task(self._end())
        self._ray = ray

    async def _end(self) -> Outcome:
        out, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return Outcome(self.process.returncode, out.decode(), errors.decode())

    async def kill(self) -> None:
        """Kill the command alone."""
        self.process.kill()
        await self.ended

    async def kill_tree(self) -> None:
        """Kill all that it has started at once, what is to clear up after it as well."""
        processes = RunProcesses(self._ray)
        processes.driver = self.process.pid
        while found := await asyncio.to_thread(processes.everything):
            for process in found:
                send(process, signal.SIGKILL)
            await asyncio.sleep(0.02)
        await self.ended

    async def after(self, folder: Path, seconds: float) -> bool:
        """Wait until its run has written to a journal, and so long again; False if it has ended by then."""
        before = written(folder)
        while not self.ended.done() and written(folder) == before:
            await asyncio.sleep(LOOK_EVERY_S)
        await asyncio.wait({self.ended}, timeout=seconds)
        return not self.ended.done()


def written(folder: Path) -> int:
    """How many bytes the journals of a run have."""
    return sum(path.stat().st_size for path in folder.glob("episodes/*/journal.mh"))


def lines_of_cut_off_work(folder: Path) -> int:
    """How many lines of input phones received for steps that a kill cut off, and for resets after the first one."""
    run = RunFolder(folder)
    cut = {
        (scan.records[0].episode, str(record.step))
        for scan in run.journals.values()
        for record in scan.records
        if isinstance(record, Acted) and record.fault == "lost" and isinstance(scan.records[0], EpisodeStarted)
    }
    rows = [row for path in folder.glob("ledgers/*.json") for row in read_ledger(run, path).rows if row.key is not None]
    return sum(_is_of(row.key or "", cut) for row in rows)


def _is_of(key: str, cut: Collection[tuple[str, str]]) -> bool:
    episode, step, *rest = key.split(":")
    return (episode, step) in cut or (step == "reset" and bool(rest))


def left_over(ray: Path) -> list[str]:
    """What runs that make their Ray's folders in one folder have left: processes, and those folders."""
    folders = [*ray.glob(f"{process_reaper.PREFIX}*"), *ray.glob(f"*/{process_reaper.PREFIX}*")]
    helpers = [psutil.Process(pid) for folder in folders for pid in process_reaper.processes_of(str(folder))]
    return [*map(name_of, {*RunProcesses(ray).everything(), *helpers}), *(path.name for path in ray.iterdir())]


async def until_nothing_is_left(ray: Path, limit_s: float) -> None:
    give_up_at = asyncio.get_running_loop().time() + limit_s
    while left := await asyncio.to_thread(left_over, ray):
        assert asyncio.get_running_loop().time() < give_up_at, left
        await asyncio.sleep(LOOK_EVERY_S)


def actor_of(ray: Path, kind: str) -> psutil.Process:
    (found,) = RunProcesses(ray).actors(kind)
    return found


@asynccontextmanager
async def started_command(*words: str) -> AsyncIterator[dict[str, Any]]:
    """What a command that stays says when it is ready, and its process id as ``pid``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "manyhands", *words, "--json", stdin=DEVNULL, stdout=PIPE, start_new_session=True
    )
    try:
        assert process.stdout is not None
        said = json.loads(await process.stdout.readline())
        assert isinstance(said, dict)
        yield {**said, "pid": process.pid}
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def workplace(folder: Path, adb_port: int, phones: int, *options: str) -> AsyncIterator[Workplace]:
    """Start phones and a model that live on whatever becomes of runs. ``options``: those of the phones."""
    async with AsyncExitStack() as stack:
        ray = stack.enter_context(short_folder())
        model = await stack.enter_async_context(started_command("rehearse"))
        made = await stack.enter_async_context(
            started_command(
                "simulate", "--phones", str(phones), "--adb-port", str(adb_port), "--size", "720x1600", *options
            )
        )
        place = Workplace(folder, ray, adb_port, made["serials"], model["url"])
        try:
            yield place
        finally:
            for command in place.commands:
                if not command.ended.done():
                    await command.kill_tree()


def moments(seed: int, count: int, longest_s: float) -> list[float]:
    return [random.Random(f"{seed}-{number}").uniform(0, longest_s) for number in range(count)]
