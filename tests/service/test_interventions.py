"""A person pauses, takes over, hands back and stops episodes of a real fleet on virtual phones."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import ActionSent, EpisodeEnded, EpisodeHandedBack, EpisodeTakenOver
from manyhands.protocol.runs.interventions import (
    EpisodePhase,
    HandBackEpisode,
    PauseEpisode,
    PersonAction,
    ResumeEpisode,
    StopEpisode,
    TakeOverEpisode,
)
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.screens.actions import Home, OpenApp
from manyhands.service.fleet_queue import FleetQueue
from tests.service.test_fleet_queue import PATIENCE_S, batch, results_of, until_running


async def running(queue: FleetQueue, task: str) -> EpisodeProgress:
    await until_running(queue, task)
    (found,) = [episode for episode in (await queue.progress()).running if episode.task == task]
    return found


@pytest.mark.slow
@pytest.mark.timeout(2 * PATIENCE_S)
async def test_a_person_takes_an_episode_over_and_stops_another(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    given: Any = {"mllm_url": ["rehearsed"], "adb_port": adb_server[1]}
    folder = tmp_path / "run"
    async with Fleet(phones=["virtual:1"], out=folder, **given) as fleet:
        queue = FleetQueue(fleet)
        carried = asyncio.create_task(fleet.run_queue())
        await queue.hand_over("b1", "anna", batch("b1", 2))
        episode = (await running(queue, "b1.0")).episode

        paused = await queue.intervene(episode, PauseEpisode(by="anna"))
        assert paused.phase is EpisodePhase.PAUSED
        (phone,) = await queue.phones()
        assert phone.doing == "paused by anna"
        await queue.intervene(episode, ResumeEpisode(by="anna"))

        control = await queue.intervene(episode, TakeOverEpisode(by="anna"))
        assert (control.phase, control.by) == (EpisodePhase.TAKEN_OVER, "anna")
        assert control.screen is not None
        (phone,) = await queue.phones()
        assert phone.taken_over_by == "anna"
        for number, action in enumerate((Home(), OpenApp(app="Maps"), Home())):
            asked = PersonAction(by="anna", request=f"r{number}", screen=control.screen, action=action)
            control = await queue.intervene(episode, asked)
            assert control.receipt is not None
            assert control.receipt.status == "done"
            assert control.screen is not None
            assert (folder / "screens" / f"{control.screen}.png").is_file()
            again = await queue.intervene(episode, asked)
            assert again.receipt is not None
            assert again.receipt.key == control.receipt.key
        assert control.person_actions == 3
        await queue.intervene(episode, HandBackEpisode(by="anna"))
        assert (await results_of(queue, 1))["b1.0"].ending is Ending.FINISHED

        other = (await running(queue, "b1.1")).episode
        stopped = await queue.intervene(other, StopEpisode(by="ben", reason="enough"))
        assert (stopped.phase, stopped.ending) == (EpisodePhase.ENDED, Ending.CANCELLED)
        (end,) = [one for one in RunFolder(folder).journals[other].records if isinstance(one, EpisodeEnded)]
        assert end.reason == "stopped by ben: enough"
        result = (await results_of(queue, 2))["b1.1"]
        assert (result.ending, result.reason) == (Ending.CANCELLED, "stopped by ben: enough")
        carried.cancel()
        await asyncio.wait({carried})
    report = audit_folders(folder)
    assert (report.verdict, report.violations) == ("agrees", ())
    records = RunFolder(folder).journals[episode].records
    assert [one.request for one in records if isinstance(one, ActionSent) and one.by] == ["r0", "r1", "r2"]
    assert [type(one) for one in records if isinstance(one, EpisodeTakenOver | EpisodeHandedBack)] == [
        EpisodeTakenOver,
        EpisodeHandedBack,
    ]
    assert fleet.summary().person_actions == 3
