"""A run with a healthy model server beside some that begin to answer with anything: it goes on, and no task fails."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import psutil
import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.protocol.base import Ending
from manyhands.protocol.tasks.task import read_tasks, select
from tests.deploy.fleet.test_model_away import SUITE, TASKS, Server, until_acting
from tests.simulator.processes import started

MOST_MB = 500
ASKING = ("ray::Planner", "ray::Operator", "ray::Reflector", "ray::Notetaker", "ray::EpisodeHost", "ray::RunStore")
"""Processes that read what a server sends, or keep it."""


class Sizes:
    """Holds the largest size that each process of a run had, in MB, by what it is."""

    def __init__(self) -> None:
        self.largest: dict[str, float] = {}

    async def watch(self) -> None:
        while True:
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    name, size = " ".join(process.cmdline())[:60], process.memory_info().rss / 1e6
                    self.largest[name] = max(self.largest.get(name, 0), size)
            await asyncio.sleep(0.5)


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(300)
async def test_a_run_goes_on_with_a_healthy_server_beside_hostile_ones(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    sizes = Sizes()
    async with AsyncExitStack() as stack, asyncio.timeout(240):
        healthy = Server(tmp_path, stack)
        await healthy.start()
        arguments = ("--upstream", healthy.url, "--share", "0", "--seed", "5")
        _, ready = await stack.enter_async_context(started("manyhands.simulator.hostile", *arguments))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        base = ready["url"].removesuffix("/v1")
        host, port = adb_server
        fleet = Fleet(
            phones=["virtual:2"],
            mllm_url=[healthy.url, *(f"{base}/s{number}/v1" for number in range(4))],
            adb_host=host,
            adb_port=port,
            out=tmp_path / "run",
            virtual={"size": "720x1600"},
        )
        async with fleet:
            watching = asyncio.create_task(sizes.watch())
            running = asyncio.create_task(fleet.run_batch(select(read_tasks(SUITE), TASKS, [])))
            await until_acting(fleet.folder, running)
            async with session.post(base + "/stand-in/share", data="1") as response:
                assert response.status == 200
            results = await running
            watching.cancel()
        async with session.get(base + "/stand-in/counts") as response:
            counts = await response.json()
    assert [(result.ending, result.verified) for result in results] == [(Ending.FINISHED, True)] * len(TASKS)
    assert sum(counts["hostile"].values()) > 20
    asking = {name: size for name, size in sizes.largest.items() if name.startswith(ASKING)}
    assert len(asking) >= len(ASKING)
    assert max(asking.values()) < MOST_MB
