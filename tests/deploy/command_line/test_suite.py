"""``manyhands suite``: what can be played is listed and run; real phones get the instructions word for word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.deploy.command_line.commands.suite.choosing import chosen_instructions, instructed, played
from manyhands.evaluation.suites.instructions import Level
from manyhands.protocol.errors import BadInput

NO_MODEL = ("--mllm-url", "http://127.0.0.1:9/v1")


def answered(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["suite", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["suite", *arguments, "--json"])
    assert done.exit_code == 2, done.output
    return str(json.loads(done.stdout)["error"])


@pytest.mark.parametrize("command", ["list", "run", "judge", "score", "compare", "single-step"])
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, ["suite", command, "--help"])
    assert done.exit_code == 0
    assert f"Example: manyhands suite {command}" in " ".join(done.stdout.split())


def test_the_list_has_suites_levels_and_what_can_be_played() -> None:
    said = answered("list")
    assert [(one["name"], one["instructions"], one["waits"]) for one in said["suites"]] == [
        ("mobile_eval", 33, 18),
        ("mobile_eval_v2.en", 44, 24),
        ("mobile_eval_v2.zh", 44, 29),
        ("mobile_eval_e", 25, 6),
    ]
    assert said["suites"][1]["levels"] == {"basic": 22, "advanced": 22}
    assert len(said["instructions"]) == 146
    (abstract,) = answered("list", "mobile_eval.gmail", "--level", "abstract")["instructions"]
    assert (abstract["id"], abstract["waits_for"]) == ("mobile_eval.gmail.3", ["mail"])
    shown = CliRunner().invoke(app, ["suite", "list", "mobile_eval.settings"]).stdout
    assert "Turn on the dark mode." in shown
    assert "3 instructions:" in shown


def test_unknown_names_and_values_are_refused() -> None:
    assert "there are mobile_eval, mobile_eval_v2.en" in refused("list", "moby")
    assert "no such instruction in mobile_eval_e; there are " in refused("run", "mobile_eval_e.9", *NO_MODEL)
    assert "No such file" in refused("run", "scenario_9.json", *NO_MODEL)
    assert "no instruction has the level basic" in refused("list", "mobile_eval_e", "--level", "basic")


def test_a_placeholder_without_a_value_names_the_variable() -> None:
    line = refused("run", "mobile_eval.gmail", "mobile_eval_v2.en.whatsapp.basic", *NO_MODEL, "--set", "contact=Ann")
    assert line.startswith("address has no value (--set address=...), needed by mobile_eval.gmail.1, ")
    assert "contact" not in line
    assert "no such variable" in refused("run", "mobile_eval.gmail", *NO_MODEL, "--set", "adress=a@b.example")
    assert "write NAME=VALUE" in refused("run", "mobile_eval.gmail", *NO_MODEL, "--set", "address")


def test_virtual_phones_refuse_what_they_cannot_play() -> None:
    virtual = ("--phones", "virtual:1", "--mllm-url", "rehearsed")
    assert "mobile_eval.play.1 waits for app market" in refused("run", "mobile_eval.play", *virtual)
    assert "--set: virtual phones" in refused("run", "mobile_eval.settings", *virtual, "--set", "a=b")


def test_hints_and_the_run_whose_failures_are_repeated_are_those_of_the_suites_tasks(tmp_path: Path) -> None:
    virtual = ("run", "mobile_eval.settings.1", "--phones", "virtual:1", "--mllm-url", "rehearsed")
    hints = tmp_path / "hints.yaml"
    hints.write_text("mobile_eval.settings.1: It is under Display.\n")
    assert "mobile_eval.settings.1: no such task; there are dark_mode" in refused(*virtual, "--inject", str(hints))
    (tmp_path / "run.yaml").write_text("tasks: []\n")
    assert "none of these tasks has failed in that run" in refused(*virtual, "--failed-of", str(tmp_path))


def test_real_phones_get_the_instructions_word_for_word(tmp_path: Path) -> None:
    given = {"address": "a@b.example"}
    mail, travel = instructed(
        chosen_instructions(["mobile_eval.gmail.1", "mobile_eval_e.5_things_to_do_la"], []), given
    )
    assert (mail.id, mail.goal) == ("mobile_eval.gmail.1", "Send an empty email to to a@b.example.")
    assert mail.check is None
    assert travel.tags == ("multi_app", "mobile_eval_e.5_things_to_do_la")
    path = tmp_path / "scenario.json"
    task = {"instruction": "Find it.", "rubrics": ["Found it."], "human_reference_operations": ["Look", "Find"]}
    path.write_text(json.dumps([task]))
    (authors,) = instructed(chosen_instructions([str(path)], []), {})
    assert [(rubric.name, rubric.holds) for rubric in authors.rubrics] == [("Found it.", None)]
    assert authors.human_operations == ("Look", "Find")
    path.write_text(json.dumps([{**task, "rubrics": ["Found it.", "Found it."]}]))
    with pytest.raises(BadInput, match=r"task_1.*two rubrics have the same name"):
        instructed(chosen_instructions([str(path)], []), {})
    with pytest.raises(BadInput, match="task_1 has no task"):
        played(chosen_instructions([str(path)], []))


def test_virtual_phones_play_a_task_once_for_all_its_instructions() -> None:
    both = chosen_instructions(["mobile_eval.settings.1", "mobile_eval_v2.en.settings.basic.1", "mobile_eval.play"], [])
    (task,) = played(both)
    assert task.id == "dark_mode"
    assert task.check is not None
    assert task.tags == ("simple", "basic", "mobile_eval.settings.1", "mobile_eval_v2.en.settings.basic.1")
    with pytest.raises(BadInput, match="has the level"):
        chosen_instructions(["mobile_eval"], [Level.BASIC])


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_suite_runs_once_for_each_seed(adb_server: tuple[str, int], tmp_path: Path) -> None:
    phones = ["--phones", "virtual:1", "--size", "720x1600", "--adb-port", str(adb_server[1])]
    options = ["--mllm-url", "rehearsed", "--out", str(tmp_path / "runs"), "--seed", "4", "--seeds", "2", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", "suite", "run", "mobile_eval.settings.1", *phones, *options],
        capture_output=True,
        text=True,
        timeout=220,
        env={**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")},
    )
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    assert [(one["seed"], one["verified"], Path(one["out"]).name) for one in runs] == [
        (4, 1, "seed-4"),
        (5, 1, "seed-5"),
    ]
    written = yaml.safe_load((tmp_path / "runs" / "seed-5" / "run.yaml").read_text())
    assert {written["settings"][part]["seed"] for part in ("rehearsal", "virtual")} == {5}
    assert written["settings"]["seed"] == 5
