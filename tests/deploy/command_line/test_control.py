"""What a run is told from the command line: it stands in its folder, or one line says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.deploy.fleet.run_files.run_folder import only_run_in
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import Add, Drain, Go, Pause, read_control
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import ended, started, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    write_run(folder, {"phones": ["p0", "p1"], "tasks": [{"id": "a", "goal": "g"}, {"id": "b", "goal": "g"}]}, {})
    (tmp_path / "more.yaml").write_text("- {id: c, goal: g}\n- {id: d, goal: g}\n")
    return folder


def control(run: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["control", str(run), *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def refused(run: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["control", str(run), *arguments], catch_exceptions=False)
    assert result.exit_code == 2
    return result.stderr.replace("\n", " ")


def test_what_is_said_stands_in_the_folder_in_order(run: Path) -> None:
    assert control(run, "pause", "--phone", "p0", "--task", "b").splitlines()[0] == "run: pause phone p0, task b"
    assert control(run, "go") == "run: go all\n"
    assert json.loads(control(run, "drain", "--json"))["kind"] == "drain"
    assert control(run, "add", str(run.parent / "more.yaml"), "--task", "d").splitlines()[0] == "run: 1 more task"
    control(run, "pause", "--task", "d")
    pause, go, drain, add, again = read_control(run)
    assert isinstance(pause, Pause)
    assert (pause.phones, pause.tasks) == (("p0",), ("b",))
    assert isinstance(go, Go)
    assert isinstance(drain, Drain)
    assert isinstance(add, Add)
    assert [task.id for task in add.tasks] == ["d"]
    assert isinstance(again, Pause)


def test_a_run_is_called_by_its_folder_also_from_within(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run)
    assert control(Path(), "pause").splitlines()[0] == "run: pause all"


def test_where_no_run_goes_on_it_says_that_it_holds_for_resume(run: Path) -> None:
    def stderr(*options: str) -> str:
        return CliRunner().invoke(app, ["control", str(run), "pause", *options], catch_exceptions=False).stderr

    hint = "No run goes on in run now: this holds for manyhands resume.\n"
    assert stderr() == hint
    with only_run_in(run):
        assert stderr() == ""
    assert stderr("--json") == hint  # whose lock file is there still
    assert len(read_control(run)) == 3


def test_what_is_held_is_told_with_what_lets_it_go_on(run: Path) -> None:
    resume = f"run does not go on now: manyhands resume {run} goes on with it\n"
    assert control(run, "status") == f"{resume}nothing is paused or drained\n"
    said = control(run, "pause", "--phone", "p0").splitlines()[1]
    assert said == f"paused by manyhands control for 0 s: phone p0; to go on: manyhands control {run} go --phone p0"
    control(run, "drain", "--task", "b")
    with only_run_in(run):
        goes_on, paused, drained = control(run, "status").splitlines()
    assert goes_on == "run goes on"
    assert paused.startswith("paused by manyhands control for ")
    assert drained.endswith(f" s: task b; to go on: manyhands control {run} go --task b")
    told = json.loads(control(run, "status", "--json"))
    assert (told["goes_on"], told["finished"]) == (False, False)
    assert [(one["what"], one["drained"]) for one in told["held"]] == [("phone p0", False), ("task b", True)]
    assert "leave --phone and --task out" in refused(run, "status", "--task", "b")


def test_a_run_that_has_finished_has_nothing_to_pause(tmp_path: Path) -> None:
    task = TaskSpec(id="a", goal="g")
    folder = tmp_path / "run"
    folder.mkdir()
    journal = [started("a-1", task), ended(9)]
    write_run(folder, {"phones": ["p"], "tasks": [{"id": "a", "goal": "g"}]}, {"a-1": journal})
    for action in ("pause", "drain", "go"):
        assert f"run has finished, all of its tasks are decided: there is nothing to {action}" in refused(
            folder, action
        )
    assert control(folder, "status").startswith("run has finished: all of its tasks are decided\n")
    (tmp_path / "more.yaml").write_text("- {id: c, goal: g}\n")
    control(folder, "add", str(tmp_path / "more.yaml"))
    control(folder, "pause")  # of what was added


@pytest.mark.parametrize("ending", [Ending.CANCELLED, Ending.HOST_LOST, Ending.NO_MODEL])
def test_a_run_whose_tasks_resume_takes_up_again_can_be_paused(tmp_path: Path, ending: Ending) -> None:
    journal = [started("a-1", TaskSpec(id="a", goal="g")), ended(9, ending)]
    write_run(tmp_path, {"phones": ["p"], "tasks": [{"id": "a", "goal": "g"}]}, {"a-1": journal})
    control(tmp_path, "pause")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pause", "--phone", "p7"], "--phone p7: the run has p0, p1"),
        (["go", "--task", "z"], "--task z: the run has a, b"),
        (["add"], "add takes a file of tasks"),
        (["add", "more.yaml", "--phone", "p0"], "tasks are added for all phones"),
        (["add", "known.yaml"], "the run has tasks of these ids already: a"),
        (["drain", "more.yaml"], "only add takes a file of tasks"),
    ],
)
def test_what_cannot_be_said_is_a_line(
    run: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.parent)
    Path("known.yaml").write_text("- {id: a, goal: g}\n")
    assert said in refused(run, *arguments)
    assert read_control(run) == ()


def test_a_folder_that_is_none_of_a_run_is_a_line(tmp_path: Path) -> None:
    assert "not a run folder" in refused(tmp_path, "pause")
