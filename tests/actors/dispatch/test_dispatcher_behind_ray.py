"""A host that is a process of its own, and is killed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from manyhands.actors.clock import RealClock
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.health import Backoff
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.remote import HostProxy, spawn, stop
from manyhands.protocol.base import Ending
from manyhands.protocol.memory import LongTermMemory
from tests.actors.dispatch.dispatch_parts import LeaseBook, ListStore, SleepyHost, tasks


@pytest.mark.ray
async def test_killing_a_host_loses_no_task(ray_local: str, tmp_path: Path) -> None:
    go = tmp_path / "go"
    actors = [await spawn(SleepyHost, go) for _ in range(2)]
    settings = DispatchSettings(run="r", serials=("p0", "p1"), backoff=Backoff(first_s=0.05, limit_s=0.1))
    book = LeaseBook(settings.serials, RealClock())
    hosts = [HostProxy(actor) for actor in actors]
    dispatcher = Dispatcher(settings, hosts, book, LongTermMemory(), ListStore())
    async with asyncio.TaskGroup() as group:
        run = group.create_task(dispatcher.run(tasks(2)))
        async with asyncio.timeout(30):
            while len(pids := {item.doing for item in (await dispatcher.progress()).running} - {"starting"}) < 2:
                await asyncio.sleep(0.02)
        os.kill(int(min(pids)), signal.SIGKILL)
        async with asyncio.timeout(30):
            while len(book.attached) < 3:
                await asyncio.sleep(0.02)
        go.touch()
    assert [result.ending for result in run.result()] == [Ending.FINISHED] * 2
    assert max(result.attempt for result in run.result()) > 1
    assert book.held == {}
    for actor in actors:
        await stop(actor)
