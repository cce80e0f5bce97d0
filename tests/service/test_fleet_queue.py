"""A fleet that takes tasks from a service, is closed in their midst, and goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.audit import audit_folders
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.runs.progress import Decisions
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.fleet import PhonePhase
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.fleet_queue import FleetQueue

GOAL = "Turn on dark mode."
PATIENCE_S = 300


def batch(id: str, count: int) -> tuple[TaskSpec, ...]:
    return tuple(TaskSpec(id=f"{id}.{number}", goal=GOAL, reset_seed=1) for number in range(count))


async def results_of(queue: FleetQueue, wanted: int) -> dict[str, EpisodeResult]:
    """Ask until so many tasks have a result."""
    last, found = Decisions(), {}
    async with asyncio.timeout(PATIENCE_S):
        while len(found) < wanted:
            last = await queue.decisions(last)
            found |= {result.task: result for result in last.results}
            await asyncio.sleep(0.2)
    return found


async def until_running(queue: FleetQueue, task: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while task not in {episode.task for episode in (await queue.progress()).running if episode.step > 0}:
            await asyncio.sleep(0.05)


async def labels_of(queue: FleetQueue, serial: str, name: str) -> dict[str, str]:
    """Return a phone's labels once the one with this name has been read."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            (labels,) = [phone.labels for phone in await queue.phones() if phone.serial == serial]
            if name in labels:
                return labels
            await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(2 * PATIENCE_S)
async def test_tasks_come_end_and_survive_a_restart(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    given: Any = {"mllm_url": ["rehearsed"], "adb_port": adb_server[1]}
    folder = tmp_path / "run"
    async with Fleet(phones=["virtual:2"], out=folder, **given) as fleet:
        queue = FleetQueue(fleet)
        carried = asyncio.create_task(fleet.run_queue())
        first, second = fleet.serials
        labelled = await queue.label(first, {"model": "one"})
        assert (labelled.labels["model"], labelled.labels["serial"]) == ("one", first)
        assert labelled.own_labels == {"model": "one"}
        labels = await labels_of(queue, second, "app:Maps")
        assert (labels["model"], labels["maker"], labels["android"]) == ("Manyhands Virtual Phone", "Manyhands", "14")
        assert (await labels_of(queue, first, "app:Maps"))["model"] == "one", "people's label wins"
        await queue.read_batteries()
        assert {phone.serial: (phone.battery, phone.celsius) for phone in await queue.phones()} == {
            first: (87, 28),
            second: (87, 28),
        }
        with pytest.raises(PhoneUnknown, match="the fleet has no such phone"):
            await queue.set_aside("no-such-phone", "because")
        assert (await queue.set_aside(second, "its screen flickers")).phase is PhonePhase.ASIDE
        await queue.hand_over("b1", "anna", batch("b1", 3))
        await queue.hand_over("b1", "anna", batch("b1", 3))
        await queue.hold(["b1.2"])
        done = await results_of(queue, 2)
        assert {task: result.ending for task, result in done.items()} == {
            "b1.0": Ending.FINISHED,
            "b1.1": Ending.FINISHED,
        }
        assert {result.serial for result in done.values()} == {first}
        await queue.hand_over("b2", "ben", batch("b2", 2))
        await until_running(queue, "b2.0")
        carried.cancel()
        await asyncio.wait({carried})
    async with Fleet.resume(folder, **given) as fleet:
        queue = FleetQueue(fleet)
        carried = asyncio.create_task(fleet.run_queue())
        assert {phone.phase for phone in await queue.phones()} == {PhonePhase.FREE}, "other virtual phones"
        await queue.cancel(["b2.1"], "not needed any more")
        await queue.release(["b1.2"])
        done = await results_of(queue, 5)
        assert {task: result.ending for task, result in done.items()} == {
            **dict.fromkeys(("b1.0", "b1.1", "b1.2", "b2.0"), Ending.FINISHED),
            "b2.1": Ending.CANCELLED,
        }
        assert done["b2.1"].reason == "not needed any more"
        assert {model.role for model in await queue.models() if model.calls} >= {"decide", "reflect"}
        carried.cancel()
        await asyncio.wait({carried})
    assert audit_folders(folder).violations == ()
