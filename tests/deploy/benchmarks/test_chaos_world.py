"""What a chaos takes hold of: processes of one run, an adb server of its own, a disk that can be full, journals."""

from __future__ import annotations

import asyncio
import errno
import itertools
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from manyhands.actors.phones.adb.starting import server_runs
from manyhands.deploy.benchmarks.adb_server import HOST, OwnAdbServer
from manyhands.deploy.benchmarks.chaos.following import JournalFollower
from manyhands.deploy.benchmarks.chaos.processes import RunProcesses, listener, name_of, send
from manyhands.deploy.benchmarks.chaos.world import Disk, can_mount
from manyhands.protocol.actions import Tap
from manyhands.protocol.base import Ending
from manyhands.protocol.journal import encode
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.records import ActionSent, EpisodeEnded, EpisodeStarted, Record, Resumed
from manyhands.protocol.tasks import TaskSpec

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "child"])
print(child.pid, flush=True)
time.sleep(60)
"""


def test_the_processes_of_a_run_are_found_by_its_folder_and_followed_when_their_parent_dies(tmp_path: Path) -> None:
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


async def test_only_the_adb_server_of_a_chaos_is_killed_and_it_is_started_where_nobody_else_does() -> None:
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
    assert (follower.running, follower.begun) == ({}, 0)
    write("e1", started("e1", 1.0), ActionSent(at=2.0, step=0, key="k", action=Tap(x=1, y=1)))
    assert (follower.running, follower.begun, follower.last_sent("p")) == ({"p": "e1"}, 1, 2.0)
    write("e1", ended)
    assert follower.running == {}
    write("e1", resumed)
    assert follower.running == {"p": "e1"}
    later = encode(ActionSent(at=9.0, step=1, key="l", action=Tap(x=1, y=1)), "e1")
    append("e1", later[:-3])  # half written
    assert follower.last_sent("p") == 2.0
    append("e1", later[-3:])
    assert follower.last_sent("p") == 9.0
    write("e2", started("e2", 10.0))
    assert (follower.running, follower.begun) == ({"p": "e2"}, 1)
