"""Rubrics name the reference operation that brings them about, as playing it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.tasks.task import parse_tasks
from manyhands.protocol.utilities.yaml_document import read_yaml
from manyhands.simulator.suites import load_suite, suites
from manyhands.simulator.suites.brought_about import brought_about, main, with_operations

SUITE = """\
tasks:
  - id: one
    goal: g
    check: &check
      source: content://manyhands.simulator/state
      holds: {path: settings.dark_mode, equals: true}
    rubrics: &shared
      - {name: opened Settings, by: 9, holds: {path: "visited.*", equals: Settings}}  # kept
      - {name: Wi-Fi was left alone, holds: {path: settings.wifi, equals: true}}
      - {name: dark mode is on, holds: {path: settings.dark_mode, equals: true}}
    human_operations: [open Settings, tap Display, tap Dark mode, back, back, wait, wait, wait, wait]
  - id: two
    goal: h
    check: *check
    rubrics: *shared
    human_operations: [open Settings, wait, tap Display, tap Dark mode, back, back, wait, wait, wait]
"""


@pytest.mark.parametrize("path", suites(), ids=lambda path: path.stem)
def test_every_suite_says_what_playing_it_shows(path: Path) -> None:
    """If this fails: python -m manyhands.simulator.suites.brought_about, with the suite's path."""
    text, tasks = path.read_text(encoding="utf-8"), load_suite(path)
    assert with_operations(text, tasks) == text
    for task in tasks:
        assert any(rubric.by for rubric in task.rubrics), task.id


def test_a_rubric_that_holds_from_the_start_is_nobodys_doing() -> None:
    (task,) = [task for task in load_suite() if task.id == "dark_mode"]
    assert brought_about(task) == {"opened Settings": 1, "opened the Display page": 2, "dark mode is on": 3}


def test_only_what_playing_shows_is_written_and_only_where_all_tasks_agree(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    assert main([str(path)]) == 0
    written = path.read_text(encoding="utf-8")
    assert written == SUITE.replace("by: 9", "by: 1")  # dark mode is on after the third operation, or the fourth
    assert [rubric.by for rubric in parse_tasks(read_yaml(path))[1].rubrics] == [1, None, None]


def test_a_file_that_is_no_suite_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "suite.yaml").write_text("tasks: 3\n", encoding="utf-8")
    assert main([str(tmp_path / "suite.yaml")]) == 2
    assert "suite.yaml" in capsys.readouterr().err
