"""What a chaos takes hold of: processes of one run, an adb server of its own, a disk that can be full, journals."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import adbutils
import aiohttp
import pytest

from manyhands.actors.phones.adb.server_start import server_runs
from manyhands.benchmarks.chaos import interposer
from manyhands.benchmarks.chaos.injection import killed_actors
from manyhands.benchmarks.chaos.interposer import Interposer
from manyhands.benchmarks.chaos.judged_round import SteppedClock
from manyhands.benchmarks.chaos.plan import FaultKind
from manyhands.benchmarks.chaos.processes import RunProcesses, listener, name_of, send
from manyhands.benchmarks.chaos.recovery import JournalFollower
from manyhands.benchmarks.chaos.world import Disk, HostileModel, Model, can_mount, move_for, phones_of
from manyhands.benchmarks.testbed import HOST, OwnAdbServer
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.run_folder import InjectedFault
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import ActionSent, EpisodeEnded, EpisodeStarted, Record, Resumed
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.tasks.task import TaskSpec

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "child"])
print(child.pid, flush=True)
time.sleep(60)
"""


async def test_phones_of_vendors_are_among_the_phones(adb_server: tuple[str, int], tmp_path: Path) -> None:
    host, port = adb_server
    virtual = {"size": "360x800", "vendors": ["input-refused@1"]}
    settings = load_settings({"adb_host": host, "adb_port": port, "virtual": virtual})
    async with phones_of(settings, 2, tmp_path) as phones:
        devices = map(adbutils.AdbClient(host, port).device, phones.serials)
        tapped = [await asyncio.to_thread(device.shell2, "input tap 9 9", v2=True) for device in devices]
        assert [answer.returncode for answer in tapped] == [0, 255]


def test_processes_of_a_run_are_found_by_its_folder_also_without_a_parent(tmp_path: Path) -> None:
    processes = RunProcesses(tmp_path)
    assert processes.everything() == []
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path / "ray")], stdout=subprocess.PIPE)
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert {process.pid for process in processes.everything()} == {parent.pid, child}
        assert processes.actors("EpisodeHost") == []
        parent.kill()
        parent.wait()
        [left] = processes.everything()
        assert left.pid == child
        assert name_of(left).startswith("python")
        assert send(left, signal.SIGKILL)
        _until_gone(processes)
        assert name_of(left) == ""
        assert other.poll() is None
    finally:
        for process in (parent, other):
            process.kill()
            process.wait()


def _until_gone(processes: RunProcesses) -> None:
    deadline = time.monotonic() + 10
    while processes.everything():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_chaos_kills_and_starts_its_own_adb_server_alone() -> None:
    async with OwnAdbServer() as server:
        assert await server_runs(HOST, server.port)
        assert await server.kill()
        assert not await server.until_back(0.3)
        assert await server_runs(HOST, server.port)
        assert await server.until_back(0.3)
    assert listener(server.port) is None
    assert not await server.kill()


def _has_room(path: Path) -> bool:
    try:
        path.write_bytes(bytes(100_000))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True


@pytest.mark.skipif(not can_mount(), reason="a file system of its own needs root")
async def test_a_disk_is_full_for_a_while_and_has_room_again(tmp_path: Path) -> None:
    async with Disk(tmp_path / "disk") as disk:
        (disk.folder / "before").write_bytes(bytes(5000))
        full = asyncio.create_task(disk.full_for(0.5))
        deadline = time.monotonic() + 10
        names = itertools.count()
        while _has_room(disk.folder / f"meanwhile-{next(names)}"):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)
        await full
        (disk.folder / "after").write_bytes(bytes(100_000))
        assert (disk.folder / "before").stat().st_size == 5000
    assert not disk.folder.exists()


PROBE = """
import datetime, os, sys, time
folder = sys.argv[1]
journal = open(folder + "/journal", "ab", buffering=0)

def told(call):
    try:
        call()
    except OSError as error:
        return error.errno
    return 0

for _ in sys.stdin:
    print(
        told(lambda: journal.write(b"x")),
        told(lambda: os.mkdir(f"{folder}/{time.monotonic_ns()}")),
        told(lambda: open(folder + "/journal").read()),
        told(lambda: open(sys.argv[2], "w").close()),
        time.time(), datetime.datetime.now().timestamp(), time.monotonic(), flush=True,
    )
"""


@pytest.mark.skipif(interposer.missing() is not None, reason="a library of its own needs Linux and a C compiler")
async def test_files_fail_and_the_clock_steps_for_the_processes_of_a_run_alone(tmp_path: Path) -> None:
    (folder := tmp_path / "runs").mkdir()
    async with Interposer(tmp_path / "library", folder) as library:
        probe = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROBE, str(folder), str(tmp_path / "elsewhere"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **library.environment},
        )  # fmt: skip
        to_probe, from_probe = probe.stdin, probe.stdout
        assert to_probe is not None
        assert from_probe is not None

        async def ask() -> tuple[list[int], float, float, float]:
            to_probe.write(b"\n")
            *errors, wall, local, monotonic = (await from_probe.readline()).split()
            return [int(number) for number in errors], float(wall), float(local), float(monotonic)

        async def during(fault: Coroutine[Any, Any, None]) -> tuple[list[int], float, float, float]:
            task = asyncio.create_task(fault)
            await asyncio.sleep(0)
            found = await ask()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return found

        try:
            fine = [0, 0, 0, 0]
            assert (await ask())[0] == fine
            assert library.is_loaded(probe.pid)
            assert not library.is_loaded(os.getpid())
            assert (await during(library.read_only_for(600)))[0] == [errno.EROFS, errno.EROFS, 0, 0]
            assert (await during(library.broken_for(600)))[0] == [errno.EIO, errno.EIO, errno.EIO, 0]
            for offset_s in (8 * 86400, -7200):
                errors, wall, local, monotonic = await during(library.clock_off_for(600, offset_s))
                assert errors == fine
                assert wall - time.time() == pytest.approx(offset_s, abs=600)
                assert local - time.time() == pytest.approx(offset_s, abs=600)
                assert monotonic == pytest.approx(time.monotonic(), abs=600)
            errors, wall, _, _ = await ask()
            assert errors == fine
            assert wall == pytest.approx(time.time(), abs=600)
        finally:
            probe.kill()
            await probe.wait()


async def test_a_folder_is_at_another_place_and_what_was_made_at_its_own_is_kept_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "round-1"
    for made in (False, True):
        folder.mkdir(exist_ok=True)
        (folder / "journal").write_text("mine")
        moving = asyncio.create_task(move_for(folder, 1))
        await asyncio.sleep(0)
        while folder.exists():
            await asyncio.sleep(0)
        if made:
            folder.mkdir()
        note = await moving
        assert note == ("its old place was made anew, now round-1.anew-1" if made else None)
        assert (folder / "journal").read_text() == "mine"


@pytest.mark.parametrize(
    ("profile", "agents"),
    [
        ("e", ("Planner", "Operator", "Reflector", "Notetaker")),
        ("native", ("NativeAgent", "ChatPlanner")),
    ],
)
def test_the_roles_that_a_profile_asks_in_its_steps_are_killed(profile: str, agents: tuple[str, ...]) -> None:
    assert killed_actors(FaultKind.KILL_ROLE, EpisodeSettings(profile=profile)) == agents
    assert killed_actors(FaultKind.KILL_HOST, EpisodeSettings(profile=profile)) == ("EpisodeHost",)
    assert killed_actors(FaultKind.KILL_MODEL, EpisodeSettings(profile=profile)) == ()


def test_a_time_of_a_stepped_clock_is_told_from_one_that_is_true() -> None:
    for by in (-7200.0, 691200.0):
        clock = SteppedClock([InjectedFault(kind="clock", at=1000.0, over=1005.0, clock_s=by)])
        for at in (900.0, 1002.0, 1100.0):
            assert clock.true(at) == at
        assert clock.true(1002.0 + by) == 1002.0


def test_a_follower_knows_who_is_at_work_and_what_was_sent(tmp_path: Path) -> None:
    task = TaskSpec(id="one", goal="Go on.")

    def started(episode: str, at: float) -> EpisodeStarted:
        return EpisodeStarted(
            at=at, run="r", episode=episode, attempt=1, task=task, serial="p", epoch=1, profile="e",
            schedule="overlap", memory=LongTermMemory(),
        )  # fmt: skip

    ended = EpisodeEnded(at=5.0, ending=Ending.PHONE_LOST, reason="why", steps=1, verified=None, rubrics={})
    resumed = Resumed(at=6.0, step=0, serial="p", epoch=2, cause="its phone was away")
    follower = JournalFollower(tmp_path)

    def append(episode: str, data: bytes) -> None:
        path = tmp_path / "episodes" / episode / "journal.mh"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)
        for _ in range(10):  # so often are journals of ended episodes passed over
            follower.look()

    def write(episode: str, *records: Record) -> None:
        append(episode, b"".join(encode(record, episode) for record in records))

    follower.look()
    assert (follower.running, follower.begun_tasks) == ({}, 0)
    write("e1", started("e1", 1.0), ActionSent(at=2.0, step=0, key="k", action=Tap(x=1, y=1)))
    assert (follower.running, follower.begun_tasks, follower.sent("p")) == ({"p": "e1"}, 1, 1)
    write("e1", ended)
    assert follower.running == {}
    write("e1", resumed)
    assert follower.running == {"p": "e1"}
    later = encode(ActionSent(at=9.0, step=1, key="l", action=Tap(x=1, y=1)), "e1")
    append("e1", later[:-3])  # half written
    assert follower.sent("p") == 1
    append("e1", later[-3:])
    assert follower.sent("p") == 2
    write("e2", started("e2", 3.0))  # the run's clock has stepped back
    assert (follower.running, follower.begun_tasks) == ({"p": "e2"}, 1)


async def test_a_second_address_of_the_model_answers_with_anything_for_a_while(tmp_path: Path) -> None:
    settings = FleetSettings()
    async with (
        Model(settings, tmp_path) as model,
        HostileModel(model.url, 1, tmp_path) as hostile,
        aiohttp.ClientSession() as client,
    ):

        async def answer() -> bytes:
            async with client.get(f"{hostile.url}/models") as response:
                return await response.read()

        async with client.get(f"{model.url}/models") as response:
            healthy = await response.read()
        assert await answer() == healthy
        fault = asyncio.create_task(hostile.hostile_for(600))
        deadline = time.monotonic() + 60
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            while await answer() == healthy:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.01)
        fault.cancel()
        await asyncio.gather(fault, return_exceptions=True)
        assert await answer() == healthy
