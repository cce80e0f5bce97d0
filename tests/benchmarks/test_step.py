"""A player: a fleet in a process of its own, told what to play. And what the command refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.benchmarks import BENCHMARKS, fleet
from manyhands.benchmarks.step import command
from manyhands.benchmarks.step.figures import read_run, schedule_figures
from manyhands.benchmarks.step.player import Player, ScheduleComparison, play_in_turns
from manyhands.benchmarks.testbed import endless, everyday
from manyhands.deploy.command_line.cli import app
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import STEP_ROLES, Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import limit_steps


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_schedules_play_the_same_tasks_in_fleets_of_their_own(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    flags = {"phones": ["virtual:1"], "mllm_url": ["rehearsed"], "virtual": {"size": "540x1200"}}
    places = {"adb_port": adb_server[1], "state_dir": tmp_path / "state"}
    comparison = ScheduleComparison(
        settings=load_settings({**flags, **places}),
        schedules=("speculate",),
        batches=(limit_steps(everyday(["two_notes"]), 3),),
        out=tmp_path / "out",
    )
    told: list[tuple[str, EpisodeResult]] = []
    played = await play_in_turns(comparison, lambda name, results: told.extend((name, result) for result in results))
    [(name, result)] = told
    assert (name, result.ending, result.steps) == ("speculate", Ending.STEP_LIMIT, 3)
    run = read_run(played["speculate"].folder)
    assert run.summary.schedule == "speculate"
    assert run.summary.phones_source.startswith("virtual phones")
    [figures] = schedule_figures({"speculate": run}, {"speculate": 10**9}).values()
    assert figures.steps == 2
    assert figures.tokens > 0  # whether anything was asked ahead is left to chance while a client is new (Room)
    server_tokens = played["speculate"].server_tokens
    assert server_tokens is not None
    assert server_tokens >= figures.tokens


async def test_a_player_that_cannot_start_says_why(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "phones": ["virtual:1"],
            "mllm_url": ["http://127.0.0.1:9/v1"],
            "model_wait_s": 0,
            "out": tmp_path / "run",
        }
    )
    with pytest.raises(BadInput, match=r"127\.0\.0\.1:9"):
        async with Player(settings, tmp_path / "log"):
            pass


def test_the_tasks_of_a_benchmark() -> None:
    assert [task.id for task in everyday(["two_notes", "dark_mode"])] == ["dark_mode", "two_notes"]
    assert [(task.id, task.limits.max_steps) for task in endless(2, 5)] == [("canned-1", 5), ("canned-2", 5)]


def test_runs_differ_in_schedule_and_folder_alone(tmp_path: Path) -> None:
    settings = load_settings({"phones": ["virtual:1"], "mllm_url": ["rehearsed"]})
    comparison = ScheduleComparison(settings, ("serial", "overlap"), (), tmp_path)
    one, other = (comparison.settings_of(name) for name in comparison.schedules)
    assert (one.episode.schedule, one.out) == ("serial", tmp_path / "serial")
    assert other.model_copy(update={"episode": one.episode, "out": one.out, "name": one.name}) == one
    beside = comparison.settings_of("native overlap")
    assert (beside.episode.profile, beside.episode.schedule) == ("native", "overlap")
    assert beside.out == tmp_path / "native-overlap"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--schedule", "fast"], "--schedule fast: there are serial, overlap, speculate"),
        (["--task", "nothing"], "--task nothing: no such task"),
        (["--latency", "plan"], "--latency plan: write ROLE=SECONDS"),
        (["--plot", __file__], "that is a file"),
        (["--profile", "v1", "--schedule", "speculate"], "profile 'v1' assumes nothing; choose serial or overlap"),
        (["--profile", "v3"], "'v3' is not a profile"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["bench", "step", "--json", *arguments])
    assert done.exit_code == 2
    error = json.loads(done.stdout)
    assert error["code"] == "bad_input"
    assert said in error["error"]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_help_with_an_example(name: str) -> None:
    done = CliRunner().invoke(app, ["bench", name, "--help"])
    assert done.exit_code == 0
    said = " ".join(done.stdout.replace("│", " ").split())
    assert f"manyhands bench {name}" in said
    assert "--json" in said


@pytest.mark.parametrize("latencies", [fleet.LATENCIES, command.LATENCIES])
def test_no_role_of_a_step_answers_at_once(latencies: dict[Role, float]) -> None:
    assert all(latencies[role] > 0 for role in STEP_ROLES)


def test_the_group_lists_every_benchmark() -> None:
    done = CliRunner().invoke(app, ["bench", "--help"])
    assert done.exit_code == 0
    assert all(f" {name} " in done.stdout for name in BENCHMARKS)
    assert CliRunner().invoke(app, ["bench", "nothing"]).exit_code == 2
