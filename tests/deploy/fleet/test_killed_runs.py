"""Runs that are killed leave nothing behind and go on; a run of which an actor is killed tells one JSON value."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.tasks.task import read_tasks
from tests.deploy.fleet.killed_runs import (
    SUITE,
    actor_of,
    left_over,
    lines_of_cut_off_work,
    moments,
    until_nothing_is_left,
    workplace,
)

KILLS = int(os.environ.get("MH_TEST_KILLS", "3"))
"""At how many moments a run is killed; an evening's run may have 50, and then plays the whole suite."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(max(900, 60 * KILLS))]
SOME = (
    "dark_mode",
    "network_speed_zh",
    "greeting",
    "meeting_note",
    "weather_note_zh",
    "bakery_phone",
    "hotel_message",
    "laptop_cart",
)
TASKS = SOME if len(SOME) >= KILLS else tuple(task.id for task in read_tasks(SUITE))
LEFT_S, LEASE_S = 10.0, 35.0


async def test_an_actor_that_is_killed_costs_no_json(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with workplace(tmp_path, adb_server[1], 1) as place:
        run = await place.run("run", "--task", "greeting")
        assert await run.after(tmp_path / "run", 2.0)
        actor_of(place.ray, "EpisodeHost").kill()
        done = await run.ended
    assert done.value["verified"] == 1, done.errors
    assert "(raylet)" not in done.errors
    assert "(raylet) A worker died" in (tmp_path / "run" / "logs" / "ray.log").read_text()


async def test_a_driver_that_is_killed_leaves_no_process_and_no_lease(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with workplace(tmp_path, adb_server[1], 2) as place:
        killed, other = place.serials
        beside = await place.run("beside", serials=[other])
        root = place.ray
        for number, seconds in enumerate(moments(7, KILLS, 8.0)):
            place.ray = root / str(number)
            place.ray.mkdir()
            run = await place.run(f"run-{number}", "--task", "greeting", "--task", "hotel_message", serials=[killed])
            await run.after(tmp_path / f"run-{number}", seconds)
            await run.kill()
            await until_nothing_is_left(place.ray, LEFT_S)
        ends_at = asyncio.get_running_loop().time() + LEASE_S
        while killed in await place.held():
            assert asyncio.get_running_loop().time() < ends_at
            await asyncio.sleep(0.5)
        if not beside.ended.done():
            assert "EpisodeHost" in left_over(root)
            beside.process.send_signal(signal.SIGINT)
        done = await beside.ended
    assert done.code in (0, 130), done.errors
    assert {row["verified"] for row in done.value["by_task"] if row["finished"] != "cancelled"} == {True}
    report = audit_folders(tmp_path / "beside")
    assert report.violations == ()


async def test_what_is_verified_without_kills_is_verified_with_them(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    """The whole tree is killed, what clears up after a killed driver as well: nothing can be done in time.

    Phones receive no more than without kills, but for what was cut off and has to be done again. No call is recorded
    twice, and each has its tokens.
    """
    rows = {}
    longest_s = 0.0
    tasks = [word for task in TASKS for word in ("--task", task)]
    for name, kills in (("calm", 0), ("killed", KILLS)):
        async with workplace(tmp_path, adb_server[1], 4) as place:
            folder = tmp_path / name
            run = await place.run(name, *tasks, "--record-tokens")
            killed = 0
            for seconds in moments(3, kills, longest_s):
                if not await run.after(folder, seconds):  # the machine became faster meanwhile
                    break
                await run.kill_tree()
                killed += 1
                run = await place.resume(name)
            assert killed > 0 or not kills, "it ended before it was killed"
            done = await run.ended
            await until_nothing_is_left(place.ray, LEFT_S)
        assert done.code == 0, done.errors
        assert [(row["id"], row["verified"], row["attempts"]) for row in done.value["by_task"]] == [
            (task, True, 1) for task in TASKS
        ]
        report = audit_folders(folder)
        assert (report.verdict, report.violations) == ("agrees", ())
        calls = [one.call for one in recorded_calls(RunFolder(folder))]
        assert len({(call.role, call.started_at) for call in calls}) == len(calls) > len(TASKS)
        assert all(call.tokens is not None for call in calls if call.reply is not None)
        rows[name] = report.rows - lines_of_cut_off_work(folder)
        longest_s = done.value["wall_s"] / KILLS  # half of it on average: some work goes on beside the waiting
    assert rows["killed"] <= 1.1 * rows["calm"]
