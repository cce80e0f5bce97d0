"""``manyhands suite single-step`` asks a profile's own stages for one decision on each labelled screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.evaluation.single_step import is_right, read_labels
from manyhands.simulator.suites.steps import main


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    assert main([str(tmp_path), "--task", "dark_mode", "--size", "540x1200"]) == 0
    return tmp_path / "steps.json"


def test_labels_of_a_virtual_phone_say_what_a_human_does(labels: Path) -> None:
    read = read_labels(labels)
    assert "virtual phones" in read.source
    (task,) = read.tasks
    assert [step.operation for step in task.steps] == ["open Settings", "tap Display", "tap Dark mode"]
    assert [step.action.name for step in task.steps] == ["Open_App", "Tap", "Tap"]
    assert all(is_right(step, step.action) for step in task.steps)
    _, display, _ = task.steps
    assert display.box is not None
    assert display.box[2] - display.box[0] > 400  # the whole row takes the touch, not its words alone


def test_an_unknown_task_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--task", "fly"]) == 2
    assert "no such task" in capsys.readouterr().err


@pytest.mark.timeout(180)
def test_the_rehearsed_model_decides_on_each_screen_by_itself(labels: Path) -> None:
    done = CliRunner().invoke(app, ["suite", "single-step", str(labels), "--mllm-url", "rehearsed", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [answer["right"] for answer in found["answers"]] == [True, True, True], found["answers"]
    assert found["accuracy"]["value"] == 1
    assert "stand-in for Qwen-VL" in found["model_source"]
    assert "virtual phones" in found["screens_source"]


def test_options_of_phones_and_schedules_are_no_options_of_it() -> None:
    help_ = CliRunner().invoke(app, ["suite", "single-step", "--help"], env={"COLUMNS": "200"}).stdout
    assert "--mllm-url" in help_
    assert not {option for option in ("--phones", "--schedule", "--cut", "--metrics-port") if option in help_}


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["suite", "single-step", str(tmp_path / "no.json"), "--mllm-url", "rehearsed"])
    assert done.exit_code == 2
