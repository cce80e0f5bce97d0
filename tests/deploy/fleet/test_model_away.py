"""A model server that is killed in mid-run and started again: no task is lost, none is ended for it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from manyhands.deploy.child_process import SidecarProcess
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.runs.progress import RunProgress
from manyhands.protocol.tasks.task import read_tasks, select

SUITE = Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml"
TASKS = ["dark_mode", "do_not_disturb", "switch_theme", "greeting"]
AWAY_S = 20.0


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Server:
    """The rehearsed model in a process of its own, at one port."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self._port = free_port()
        self._log = folder / "model.log"
        self._stack = stack
        self.url = f"http://127.0.0.1:{self._port}/v1"

    async def start(self) -> int:
        """Its process id."""
        companion = SidecarProcess("manyhands.simulator.rehearsal", ["--port", str(self._port)], self._log)
        await self._stack.enter_async_context(companion)
        return companion.pid


async def until_acting(folder: Path, running: asyncio.Task[object]) -> None:
    """Returns once some episode has sent an action. Raises what the run raises, should it end before."""
    while not (folder / "run.yaml").is_file() or not _acting(folder):
        if running.done():
            raise AssertionError(f"the run has ended: {running.result()}")
        await asyncio.sleep(0.1)


def _acting(folder: Path) -> bool:
    records = (record for scan in RunFolder(folder).journals.values() for record in scan.records)
    return any(isinstance(record, ActionSent) for record in records)


def fleet_on(server: Server, adb_server: tuple[str, int], folder: Path, **episode: object) -> Fleet:
    host, port = adb_server
    return Fleet(
        phones=["virtual:2"],
        mllm_url=[server.url],
        adb_host=host,
        adb_port=port,
        out=folder,
        episode=episode,
        virtual={"size": "720x1600"},
    )


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(300)
async def test_no_task_is_lost_by_a_model_server_that_restarts(adb_server: tuple[str, int], tmp_path: Path) -> None:
    chosen = select(read_tasks(SUITE), TASKS, [])
    seen: list[RunProgress] = []
    async with AsyncExitStack() as stack, asyncio.timeout(240):
        server = Server(tmp_path, stack)
        pid = await server.start()
        async with fleet_on(server, adb_server, tmp_path / "run") as fleet:
            running = asyncio.create_task(fleet.run_batch(chosen))
            await until_acting(fleet.folder, running)
            os.kill(pid, signal.SIGKILL)
            ends_at = asyncio.get_running_loop().time() + AWAY_S
            while asyncio.get_running_loop().time() < ends_at:
                seen.append(await fleet.progress())
                await asyncio.sleep(0.5)
            ended_meanwhile = (await fleet.progress()).done.tasks
            await server.start()
            results = await running
            summary = fleet.summary()
    assert [(result.ending, result.verified, result.attempt) for result in results] == [(Ending.FINISHED, True, 1)] * 4
    waits = [wait for progress in seen for wait in progress.held_up if wait.what == "the model"]
    assert waits
    assert "cannot be reached" in waits[-1].reason
    assert any(episode.doing == "waiting for the model" and episode.is_waiting for episode in seen[-1].running)
    assert ended_meanwhile < len(chosen)
    assert summary.away_s > AWAY_S / 2
    assert summary.step_ms is not None
    assert summary.step_ms.p95 < AWAY_S * 1000


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(300)
async def test_a_run_whose_model_server_does_not_come_back_ends_with_a_name_for_it(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    chosen = select(read_tasks(SUITE), TASKS, [])
    async with AsyncExitStack() as stack, asyncio.timeout(240):
        server = Server(tmp_path, stack)
        pid = await server.start()
        async with fleet_on(server, adb_server, tmp_path / "run", no_model_s=4.0) as fleet:
            running = asyncio.create_task(fleet.run_batch(chosen))
            await until_acting(fleet.folder, running)
            os.kill(pid, signal.SIGKILL)
            results = await running
            summary = fleet.summary()
    ended = [result for result in results if result.ending is not Ending.FINISHED]
    assert {(result.ending, result.verified) for result in ended} == {(Ending.NO_MODEL, None)}
    assert len(ended) >= 3
    assert summary.finished[Ending.NO_MODEL.value] == len(ended)
