"""Groups of episodes on virtual phones: trajectories as they end, and rewards whatever fails meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent, EpisodeEnded, EpisodeStarted, Record
from manyhands.protocol.tasks.task import read_tasks, select
from manyhands.rollouts.trajectories import EpisodeView, Trajectory
from tests.deploy.fleet.killed_runs import SUITE, Command, started_command, workplace
from tests.deploy.fleet.test_model_away import Server


def steps_left(view: EpisodeView) -> float:
    """A user's function: fewer steps are better."""
    return 1 / len(view.steps)


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(180)
async def test_trajectories_come_one_by_one_and_a_reader_holds_the_fleet_up(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    host, port = adb_server
    found: list[Trajectory] = []
    fleet = Fleet(
        phones=["virtual:2"], mllm_url=["rehearsed"], adb_host=host, adb_port=port, out=tmp_path / "run",
        virtual={"size": "720x1600"}, reward=f"{__name__}:steps_left",
    )  # fmt: skip
    async with fleet, aclosing(fleet.rollouts(select(read_tasks(SUITE), ["dark_mode"]), 3, ahead=1)) as trajectories:
        async for trajectory in trajectories:
            found.append(trajectory)
            assert len(RunFolder(fleet.folder).episode_names) == len(found)
        summary = fleet.summary()
    assert [(one.facts.group, one.facts.ending, one.facts.seed) for one in found] == [
        ("dark_mode", Ending.FINISHED, 0)
    ] * 3
    assert {one.facts.task for one in found} == {f"dark_mode.{number}" for number in (1, 2, 3)}
    for one in found:
        assert one.reward == steps_left(one.view) > 0
        (shown, *_) = (picture for row in one.rows for picture in row.pictures)
        assert one.view.picture(shown).startswith(b"\xff\xd8")
    (group,) = summary.groups
    assert sorted(reward for reward in group.rewards if reward is not None) == sorted(one.reward or 0 for one in found)
    seeds = {
        call.request["seed"]
        for scan in RunFolder(tmp_path / "run").journals.values()
        for record in scan.records
        for call in getattr(record, "calls", ())
    }
    assert seeds == {1, 2, 3}


async def until(run: Command, folder: Path, holds: Callable[[list[Record]], bool]) -> None:
    """Wait until this holds for the journals of a run that goes on."""
    while not (folder / "run.yaml").is_file() or not holds(records_of(folder)):
        assert not run.ended.done(), run.ended.result().errors
        await asyncio.sleep(0.1)


def records_of(folder: Path) -> list[Record]:
    return [record for scan in RunFolder(folder).journals.values() for record in scan.records]


def endings_of(records: list[Record]) -> list[Ending]:
    return [one.ending for one in records if isinstance(one, EpisodeEnded)]


def is_acting_on(serial: str) -> Callable[[list[Record]], bool]:
    """Whether an episode on this phone has sent an action."""

    def holds(records: list[Record]) -> bool:
        episodes = {one.episode for one in records if isinstance(one, EpisodeStarted) and one.serial == serial}
        return any(isinstance(one, ActionSent) and one.key.split(":")[0] in episodes for one in records)

    return holds


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(600)
async def test_a_group_has_all_rewards_after_losses_an_outage_a_straggler_and_a_kill(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    """Each connection to three phones is cut for 6 s; the fourth phone hangs for 20 s; no model answers for 5 s."""
    folder, adb = tmp_path / "group", str(adb_server[1])
    slow = ("simulate", "--phones", "1", "--adb-port", adb, "--size", "720x1600")
    async with (
        AsyncExitStack() as stack,
        workplace(tmp_path, adb_server[1], 3, "--cut", "6@3") as place,
        started_command(*slow) as straggler,
    ):
        server = Server(tmp_path, stack)
        pid = await server.start()
        place.model, place.serials = server.url, [*place.serials, *straggler["serials"]]
        run = await place.run("group", "--task", "dark_mode", "--group", "8")
        await until(run, folder, is_acting_on(straggler["serials"][0]))
        os.kill(straggler["pid"], signal.SIGSTOP)
        try:
            os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(5)
            await server.start()
            await until(run, folder, lambda records: endings_of(records).count(Ending.FINISHED) >= 2)
            await run.kill_tree()
        finally:
            os.kill(straggler["pid"], signal.SIGCONT)
        done = await (await place.resume("group")).ended
    assert done.code == 0, done.errors
    (group,) = done.value["groups"]
    assert (group["rewards"], group["faults"], group["pass_at"]["8"]) == ([1.0] * 8, {}, 1.0)
    assert {row["fault"] for row in done.value["by_task"]} == {None}
    assert {*endings_of(records_of(folder))} >= {Ending.FINISHED, Ending.PHONE_LOST}
    assert done.value["away_s"] > 1
    report = audit_folders(folder)
    assert report.violations == ()
