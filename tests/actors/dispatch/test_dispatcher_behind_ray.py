"""A host that is a process of its own, and is killed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.dispatch.batch_recovery import RUN_CUT_OFF
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.remote import DispatchProxy, HostProxy, spawn, stop
from manyhands.actors.remote.calls import call
from manyhands.protocol.base import Ending
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.utilities.backoff import Backoff
from tests.actors.dispatch.dispatch_parts import LeaseBook, ListStore, SleepyHost, tasks


@pytest.mark.ray
async def test_the_episode_of_a_host_that_is_killed_goes_on_in_place(ray_local: str, tmp_path: Path) -> None:
    go = tmp_path / "go"
    actors = [await spawn(SleepyHost, go) for _ in range(2)]
    settings = DispatchSettings(run="r", serials=("p0", "p1"), backoff=Backoff(first_s=0.05, longest_s=0.1))
    book = LeaseBook(settings.serials, RealClock())
    hosts = [HostProxy(actor) for actor in actors]
    dispatcher = Dispatcher(settings, hosts, book, LongTermMemory(), ListStore())
    async with asyncio.TaskGroup() as group:
        run = group.create_task(dispatcher.run("b", tasks(2)))
        async with asyncio.timeout(30):
            while len(pids := {item.doing for item in (await dispatcher.progress()).running} - {"starting"}) < 2:
                await asyncio.sleep(0.02)
        os.kill(int(min(pids)), signal.SIGKILL)
        async with asyncio.timeout(30):
            while len(book.attached) < 3:
                await asyncio.sleep(0.02)
        go.touch()
    assert [result.ending for result in run.result()] == [Ending.FINISHED] * 2
    assert [result.attempt for result in run.result()] == [1, 1]
    assert sorted(book.attached) in (["p0", "p0", "p1"], ["p0", "p1", "p1"])  # the one goes on on its phone
    assert book.held == {}
    for actor in actors:
        await stop(actor)


class Killable(Dispatcher):
    async def pid(self) -> int:
        return os.getpid()


@pytest.mark.ray
async def test_a_dispatcher_that_is_killed_is_started_again_and_joins_what_runs(ray_local: str, tmp_path: Path) -> None:
    go = tmp_path / "go"
    host = await spawn(SleepyHost, go)
    settings = DispatchSettings(run="r", serials=("p0", "p1"))
    given = (settings, [HostProxy(host)], LeaseBook(settings.serials, RealClock()), LongTermMemory(), ListStore())
    actor = await spawn(Killable, *given, max_restarts=-1)
    proxy = DispatchProxy(actor)
    async with asyncio.TaskGroup() as group, asyncio.timeout(60):
        run = group.create_task(proxy.run("b", tasks(2)))
        for _ in range(2):
            while len(await HostProxy(host).progress()) < 2 or len((await proxy.progress()).running) < 2:
                await asyncio.sleep(0.02)
            os.kill(await call(actor, "pid", ()), signal.SIGKILL)
            while (await proxy.progress()).total < 2:
                await asyncio.sleep(0.02)
        go.touch()
    assert [(result.ending, result.attempt) for result in run.result()] == [(Ending.FINISHED, 1)] * 2
    orders = go.with_suffix(".orders").read_text().splitlines()
    assert sorted(line for line in orders if line.endswith(" None")) == ["t0 None", "t1 None"]
    assert {line for line in orders if not line.endswith(" None")} == {f"{task} {RUN_CUT_OFF}" for task in ("t0", "t1")}
    for one in (actor, host):
        await stop(one)


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(120)
async def test_a_host_that_is_frozen_is_replaced_in_time_and_its_episode_goes_on(
    ray_local: str, tmp_path: Path
) -> None:
    go, lease_s = tmp_path / "go", 10.0
    actor = await spawn(SleepyHost, go, max_restarts=-1)
    settings = DispatchSettings(run="r", serials=("p0",), episode=EpisodeSettings(lease_s=lease_s))
    book = LeaseBook(settings.serials, RealClock())
    dispatcher = Dispatcher(settings, [HostProxy(actor)], book, LongTermMemory(), ListStore())

    async def runs_in() -> int:
        async with asyncio.timeout(lease_s + 15):
            while True:
                for episode in (await dispatcher.progress()).running:
                    if episode.doing.isdecimal():
                        return int(episode.doing)
                await asyncio.sleep(0.1)

    async with asyncio.TaskGroup() as group:
        run = group.create_task(dispatcher.run("b", tasks(1)))
        frozen = psutil.Process(await runs_in())
        frozen.suspend()
        assert await runs_in() != frozen.pid
        assert not frozen.is_running()
        go.touch()
    assert [(result.ending, result.attempt) for result in run.result()] == [(Ending.FINISHED, 1)]
    assert book.attached == ["p0", "p0"]
    assert book.held == {}
    await stop(actor)
