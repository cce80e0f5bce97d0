"""What flows saved, and where their screens were others, from the records of episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.flow_figures import count_episodes
from tests.actors.profiles.flow.test_flow import FLOW, PAGES, changed
from tests.actors.profiles.flow.world import FlowWorld, Page, play
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import write_run

RENAMED = changed(list=Page(["Notes", "Shopping", "Write one"], {"Write one": "form"}))
COSTLY = {**FLOW, "calls": 6, "seconds": 100.0, "versions": {"org.example": "10"}}
OTHER_VERSION = "org.example has version 11, and the flow was made for version 10"


def played(pages: dict[str, Page]) -> RecordedEpisode:
    world = FlowWorld(pages=pages, taps={"list": "Write one"}, app="org.example", app_version="11")
    play(world, COSTLY)
    episode = episode_of(world.written("run-task-1"))
    assert episode is not None
    return episode


def test_each_step_says_how_often_its_screen_was_another_one() -> None:
    figures = count_episodes([played(PAGES), played(RENAMED)])["task"]
    assert (figures.episodes, figures.calls) == (2, 1)
    assert [step.flakiness for _, step in sorted(figures.steps.items())] == [0, 0.5, 0, 0, 0, 0]
    assert figures.steps[1].reasons == {'"New note" is not on the screen': {"manyhands_world"}}
    assert figures.steps[1].moves == {"step": 1, "wait": 2, "agent": 1}


def test_only_verified_episodes_save_something() -> None:
    figures = count_episodes([played(PAGES)])["task"]  # the task has no check
    assert (figures.verified, figures.saved_calls, figures.saved_s) == (0, 0, 0.0)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    asked = {"phones": ["p"], "run_id": "run", "tasks": [{"id": "task", "goal": "Go to the goal"}]}
    write_run(folder, asked, {"task-1-x": played(RENAMED).records})
    return folder


def test_the_command_shows_them(run: Path) -> None:
    shown = manyhands("flow", "figures", run, "--json")
    value = json.loads(shown.stdout)["task"]
    assert (shown.returncode, value["episodes"], value["calls"]) == (0, 1, 1)
    assert value["steps"]["2"]["flakiness"] == 1.0
    assert value["other_versions"] == {OTHER_VERSION: ["manyhands_world"]}
    text = manyhands("flow", "figures", run).stdout
    assert '"New note" is not on the screen' in text
    assert "manyhands_world" in text
    assert OTHER_VERSION in text


def test_a_run_without_flows_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write_run(folder, {"phones": ["p"], "run_id": "run", "tasks": []}, {})
    done = manyhands("flow", "figures", folder)
    assert (done.returncode, "no episode followed a flow" in done.stderr) == (2, True)
