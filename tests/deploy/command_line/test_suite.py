"""``manyhands suite``: what can be played is listed and run; real phones get the instructions word for word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.deploy.command_line.commands.suite.instructions import chosen_instructions, instructed, played
from manyhands.evaluation.episodes import RecordedEpisode, episodes_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.suites.coverage import Wording
from manyhands.evaluation.suites.human_operations import read_human_operations
from manyhands.evaluation.suites.instructions import Level
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Learned
from manyhands.protocol.roles.lessons import task_scope
from manyhands.protocol.screens.actions import Tap, Type
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.suites import HERE
from tests.evaluation.run_records import ended, received, sent, started, write_run

NO_MODEL = ("--mllm-url", "http://127.0.0.1:9/v1")


def answered(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["suite", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["suite", *arguments, "--json"])
    assert done.exit_code == 2, done.output
    return str(json.loads(done.stdout)["error"])


@pytest.mark.parametrize("command", ["list", "run", "record-human", "judge", "score", "compare", "single-step"])
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
    one = answered("list", "mobile_eval_e")
    assert ([suite["name"] for suite in one["suites"]], len(one["instructions"])) == (["mobile_eval_e"], 25)
    (abstract,) = answered("list", "mobile_eval.gmail", "--level", "abstract")["instructions"]
    assert (abstract["id"], abstract["waits_for"]) == ("mobile_eval.gmail.3", ["mail"])
    for suite in said["suites"]:
        classes = Counter(one["wording"] for one in said["instructions"] if one["id"].startswith(f"{suite['name']}."))
        assert all(suite[each] == classes[each] for each in Wording), suite["name"]
    (laptop,) = answered("list", "mobile_eval_e.3_laptop_nvidia_gpu")["instructions"]
    assert (laptop["wording"], laptop["goal"], laptop["differs"]) == ("word_for_word", laptop["text"], "")
    assert all(bool(one["differs"]) == (one["wording"] == "other_task") for one in said["instructions"])
    shown = CliRunner().invoke(app, ["suite", "list", "mobile_eval.settings"]).stdout
    assert "(3 word for word, 0 with other contents, 0 by another task)" in " ".join(shown.split())
    assert "Turn on the dark mode." in shown
    assert "3 instructions:" in shown


def test_unknown_names_and_values_are_refused() -> None:
    assert "there are mobile_eval, mobile_eval_v2.en" in refused("list", "moby")
    assert "no such instruction in mobile_eval_e; near it: " in refused("run", "mobile_eval_e.9", *NO_MODEL)
    assert "No such file" in refused("run", "scenario_9.json", *NO_MODEL)
    assert "no instruction has the level basic" in refused("list", "mobile_eval_e", "--level", "basic")


def episode_of(folder: Path, task: str) -> RecordedEpisode:
    episodes = episodes_of([scan.records for scan in RunFolder(folder).journals.values()])
    (found,) = (one for one in episodes if one.started.task.id == task)
    return found


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


def test_hints_and_the_failed_run_are_those_of_the_suites_tasks(tmp_path: Path) -> None:
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
    assert {rubric.origin for rubric in travel.rubrics} <= {"goal", "ours"}
    assert [rubric.name for rubric in mail.rubrics][-1] == "the mail was sent, empty"
    assert all(rubric.holds is None for rubric in (*mail.rubrics, *travel.rubrics))
    assert (mail.human_steps, travel.human_steps) == (4, None)
    path = tmp_path / "scenario.json"
    task = {"instruction": "Find it.", "rubrics": ["Found it."], "human_reference_operations": ["Look", "Find"]}
    path.write_text(json.dumps([task]))
    (authors,) = instructed(chosen_instructions([str(path)], []), {})
    assert [(rubric.name, rubric.origin) for rubric in authors.rubrics] == [("Found it.", "authors")]
    assert authors.human_operations == ("Look", "Find")
    path.write_text(json.dumps([{**task, "rubrics": ["Found it.", "Found it."]}]))
    with pytest.raises(BadInput, match=r"task_1.*two rubrics have the same name"):
        instructed(chosen_instructions([str(path)], []), {})
    with pytest.raises(BadInput, match="task_1 has no task"):
        played(chosen_instructions([str(path)], []))


def test_what_a_person_does_by_hand_is_stored_and_given_to_the_suite(tmp_path: Path) -> None:
    """By options, by lines, and by a run whose episode a person took over before the agent acted."""
    path = tmp_path / "human.yaml"
    lines = CliRunner().invoke(
        app,
        ["suite", "record-human", "mobile_eval_v2.en.notes.basic.1", "--to", str(path)],
        input="open Notes\n tap + \n\nnot this\n",
    )
    assert lines.exit_code == 0, lines.output
    assert "2 operations of mobile_eval_v2.en.notes.basic.1 stored in" in lines.output
    by_option = answered("record-human", "mobile_eval.gmail.1", "--to", str(path), "--operation", "tap Gmail")
    assert (by_option["operations"], by_option["count"]) == (["tap Gmail"], 1)
    run = tmp_path / "run"
    run.mkdir()
    task = TaskSpec(id="mobile_eval.settings.1", goal="Turn on the dark mode.")
    typed = [Tap(x=5, y=6), Type(text="da"), Type(text="rk"), Tap(x=7, y=8)]
    by_person = [sent(0, f"p{at}", action=one).model_copy(update={"by": "ann"}) for at, one in enumerate(typed)]
    records = [started("e-1", task), *by_person, received(0, "p3", "refused"), ended(9)]
    write_run(run, {"tasks": [task.model_dump(mode="json")]}, {"e-1": records})
    taken = answered("record-human", "mobile_eval.settings.1", "--to", str(path), "--from", str(run))
    assert taken["operations"] == ["Tap (5, 6)", "type dark"]
    stored = read_human_operations(path)
    assert {id: len(words) for id, words in stored.items()} == {
        "mobile_eval.gmail.1": 1,
        "mobile_eval.settings.1": 2,
        "mobile_eval_v2.en.notes.basic.1": 2,
    }
    mail, airplane, note = instructed(
        chosen_instructions(["mobile_eval.gmail.1", "mobile_eval.settings.2", "mobile_eval_v2.en.notes.basic.1"], []),
        {"address": "a@b.example"},
        stored,
    )
    assert [(one.human_count, one.human_operations) for one in (mail, airplane, note)] == [
        (1, ("tap Gmail",)),
        (4, ()),  # the paper's count
        (2, ("open Notes", "tap +")),
    ]


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "human.yaml"
    to = ("--to", str(path))
    assert "names 3 instructions; name one" in refused("record-human", "mobile_eval.gmail", *to, "--operation", "x")
    assert "no such instruction" in refused("record-human", "mobile_eval.gmail.9", *to, "--operation", "x")
    run = tmp_path / "run"
    run.mkdir()
    task = TaskSpec(id="mobile_eval.settings.1", goal="g")
    write_run(run, {"tasks": []}, {"e-1": [started("e-1", task), sent(0, "k"), ended(9)]})
    of_run = ("--from", str(run))
    assert "no task was begun that has" in refused("record-human", "mobile_eval.settings.2", *to, *of_run)
    assert "no person acted in e-1" in refused("record-human", "mobile_eval.settings.1", *to, *of_run)
    assert not path.exists()
    path.write_text("mobile_eval.settings.1: []\n")
    virtual = ("--phones", "virtual:1", "--mllm-url", "rehearsed", "--human", str(path))
    assert "--human: virtual phones" in refused("run", "mobile_eval.settings", *virtual)
    assert "human.yaml" in refused("run", "mobile_eval.settings", *NO_MODEL, "--human", str(path))


def dry_run(code: int, *arguments: str) -> Any:
    done = CliRunner().invoke(app, ["suite", "run", *arguments, "--dry-run", "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_a_dry_run_says_what_would_run_where(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    virtual = ("--phones", "virtual:2", "--mllm-url", "rehearsed", "--out", str(out), "--seeds", "2")
    said = dry_run(0, "mobile_eval.settings.1", "mobile_eval.play.1", "mobile_eval_e.1_thai_duck", *virtual)
    assert [(one["id"], one["phones"], one["scenario"]) for one in said["tasks"]] == [
        ("thai_duck", ["virtual:2"], "restaurant_recommendation"),
        ("dark_mode_on", ["virtual:2"], None),
    ]
    assert (said["out"], said["seeds"], said["missing"]) == (str(out), [0, 1], [])
    assert said["left_out"] == {"mobile_eval.play.1": "waits for app market"}
    assert not out.exists()


def test_a_dry_run_says_all_that_is_missing(adb_server: tuple[str, int]) -> None:
    names = ("mobile_eval.gmail.1", "mobile_eval_v2.en.x.basic.1")
    real = (*NO_MODEL, "--adb-port", str(adb_server[1]))
    said = dry_run(2, *names, *real)
    assert [(one["goal"], one["phones"], one["lacks"]) for one in said["tasks"]] == [
        ("Send an empty email to to {address}.", [], []),
        ("Like a post on the homepage of X app.", [], ["rubrics", "human_operations"]),
    ]
    assert said["missing"][0] == "a phone that can be used; see 'manyhands phones'"
    assert "127.0.0.1:9" in said["missing"][1]
    assert "--set address=... for mobile_eval.gmail.1" in said["missing"]
    named = dry_run(2, *names, *real, "--phones", "nobody", "--set", "address=a@b.example")
    assert "nobody: no such phone" in named["missing"][0]
    shown = CliRunner().invoke(app, ["suite", "run", *names, *real, "--dry-run"]).stdout
    assert "SS will be null for 1 task without rubrics" in shown
    assert "CR and RE will be null for 1 task without human operations" in shown
    assert shown.splitlines()[-1] == "Nothing was started."


def test_virtual_phones_play_a_task_once_for_all_its_instructions() -> None:
    both = ("mobile_eval_v2.en.notes.basic.2", "mobile_eval_v2.en.system_app.basic.2")
    (task,) = played(chosen_instructions([*both, "mobile_eval.play"], []))
    assert task.id == "note_power_speed"
    assert task.check is not None
    assert task.tags == ("basic", *both)
    with pytest.raises(BadInput, match="has the level"):
        chosen_instructions(["mobile_eval"], [Level.BASIC])


def test_tasks_of_a_scenario_share_a_memory_and_come_in_the_papers_order() -> None:
    everything = chosen_instructions(["mobile_eval_v2.en", "mobile_eval_e"], [])
    scenarios: dict[str, list[str]] = {}
    for one in chosen_instructions(["mobile_eval_e"], []):
        scenarios.setdefault(str(one.memory_scope), []).append(one.id)
    assert {name: len(ids) for name, ids in scenarios.items()} == {
        "restaurant_recommendation": 5,
        "information_researching": 5,
        "online_shopping": 5,
        "what_s_trending": 5,
        "travel_planning": 5,
    }
    for tasks in (played(everything), instructed(chosen_instructions(["mobile_eval_e"], []), {})):
        by_scope: dict[str, list[str]] = {}
        for task in tasks:
            if task.memory_scope is not None:
                by_scope.setdefault(task.memory_scope, []).append(task.tags[-1])
        assert by_scope.keys() == scenarios.keys()
        for name, ids in by_scope.items():
            assert ids == [id for id in scenarios[name] if id in ids]


def test_unseen_tasks_need_a_profile_that_learns_and_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "unseen.yaml"
    path.write_text("- {id: a, goal: Find it.}")
    virtual = ("--phones", "virtual:1", "--mllm-url", "rehearsed", "--unseen", str(path))
    assert "profile 'e' learns nothing" in refused("run", "mobile_eval_e", *virtual)
    line = refused("run", "mobile_eval.settings", *virtual, "--profile", "e+evo")
    assert line == "--unseen: none of these tasks belongs to a scenario; mobile_eval_e has five"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_scenarios_evolve_side_by_side_and_unseen_tasks_recall_from_all(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    ids = ("1_late_night_korean_food", "1_thai_duck", "5_hotel_champaign")
    names = [f"mobile_eval_e.{id}" for id in ids]
    options = [
        *("--phones", "virtual:2", "--size", "720x1600", "--adb-port", str(adb_server[1])),
        *("--profile", "e+evo", "--mllm-url", "rehearsed", "--out", str(tmp_path / "evolved")),
        *("--unseen", str(HERE / "unseen.yaml"), "--json"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", "suite", "run", *names, *options],
        capture_output=True,
        text=True,
        timeout=880,
        env={**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")},
    )
    assert done.returncode == 0, done.stderr
    _, unseen = json.loads(done.stdout)["runs"]
    assert Path(unseen["out"]).name == "evolved-unseen"
    first, second = (episode_of(tmp_path / "evolved", name) for name in ("late_night_korean", "thai_duck"))
    assert first.started.task.memory_scope == second.started.task.memory_scope == "restaurant_recommendation"
    (learned,) = (record for record in first.records if isinstance(record, Learned))
    assert learned.scope == task_scope("restaurant_recommendation")
    assert learned.at <= second.started.at
    asked = [json.dumps(call.request) for call in learned.calls]
    assert asked
    assert all(second.started.task.goal in request for request in asked)
    other = episode_of(tmp_path / "evolved", "hotel_choice")
    assert other.started.at < learned.at
    for task in ("unseen_evening", "unseen_report"):
        started = episode_of(tmp_path / "evolved-unseen", task).started
        assert started.task.recall_scopes == ("restaurant_recommendation", "travel_planning")


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
