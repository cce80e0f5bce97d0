"""Retries and repeats in results: shown as what they are, and never as a plain pass."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from junitparser import JUnitXml
from junitparser.xunit2 import JUnitXml as JUnitXmlOfSurefire
from junitparser.xunit2 import TestCase as SurefireCase

from manyhands.evaluation.formats.results import run_to_junit, to_html
from manyhands.evaluation.results import results_of, to_csv
from manyhands.evaluation.run_folder import RunFolder, has_finished
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Record
from manyhands.protocol.tasks.repeats import repeat_tasks
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import ended, started, write_run

TASK = TaskSpec.model_validate(
    {
        "id": "dark",
        "goal": "Turn on dark mode.",
        "retries": 2,
        "check": {"source": "content://example/state", "holds": {"path": "dark", "equals": True}},
    }
)
UNMET = UnmetTest(expected="dark is true", found="false")


def attempt(task: TaskSpec, number: int, passes: bool, place: int = 0) -> tuple[Record, ...]:
    at = 100.0 * number
    return (
        started(f"{task.id}-{number}", task, at=at, attempt=number, batch="batch-1", place=place),
        ended(at + 5, steps=2, verified=passes, unmet=() if passes else (UNMET,)),
    )


def write(folder: Path, tasks: tuple[TaskSpec, ...], episodes: list[tuple[Record, ...]]) -> RunFolder:
    folder.mkdir()
    asked = {
        "run_id": "night",
        "tasks": [task.model_dump(mode="json") for task in tasks],
        "batches": [{"name": "batch-1", "tasks": len(tasks)}],
    }
    write_run(folder, asked, {records[0].episode: records for records in episodes})  # type: ignore[union-attr]
    return RunFolder(folder)


@pytest.mark.parametrize("passes", [True, False])
def test_a_retry_is_named_with_what_came_before_it(tmp_path: Path, passes: bool) -> None:
    tries = [attempt(TASK, 1, False), attempt(TASK, 2, False), attempt(TASK, 3, passes)]
    run = write(tmp_path / "run", (TASK,), tries)
    (result,) = results_of(run)
    word = "passed" if passes else "failed"
    assert (result.verdict, result.retries, result.attempts) == ("passed_on_retry" if passes else "failed", 2, 3)
    assert result.shown_verdict == f"{word} on retry 2"
    assert [(one.episode, one.unmet) for one in result.failed_tries] == [("dark-1", (UNMET,)), ("dark-2", (UNMET,))]
    assert f"{word} on retry 2" in to_html([result], run)

    xml = run_to_junit(run, [result]).encode()
    (suite,) = JUnitXml.fromstring(xml)
    assert (suite.tests, suite.failures, suite.errors) == (1, 0 if passes else 1, 0)
    (suite,) = JUnitXmlOfSurefire.fromstring(xml)
    (case,) = suite
    assert isinstance(case, SurefireCase)
    again = case.flaky_failures() if passes else case.rerun_failures()
    assert [one.message for one in again] == [str(UNMET)] * 2


def test_what_was_lost_is_no_retry(tmp_path: Path) -> None:
    lost = (started("lost", TASK, batch="batch-1"), ended(3, Ending.PHONE_LOST))
    (result,) = results_of(write(tmp_path / "run", (TASK,), [lost, attempt(TASK, 2, True)]))
    assert (result.verdict, result.retries, result.attempts) == ("passed", 0, 2)


def test_a_run_with_a_retry_left_has_not_finished(tmp_path: Path) -> None:
    """Its process was killed between two attempts: ``resume`` makes the next one."""
    tries = [attempt(TASK, number, False) for number in (1, 2, 3)]
    assert not has_finished(write(tmp_path / "one", (TASK,), tries[:1]), ())
    assert not has_finished(write(tmp_path / "two", (TASK,), tries[:2]), ())
    assert has_finished(write(tmp_path / "three", (TASK,), tries), ())


def test_repeats_are_rows_with_the_count_of_their_task(tmp_path: Path) -> None:
    tasks = repeat_tasks([TASK.model_copy(update={"retries": 0})], 3)
    run = write(tmp_path / "run", tasks, [attempt(task, 1, place != 1, place) for place, task in enumerate(tasks)])
    results = results_of(run)
    assert [(row.id, row.verdict) for row in results] == [
        ("dark.1", "passed"),
        ("dark.2", "failed"),
        ("dark.3", "passed"),
    ]
    assert {str(row.repeats) for row in results} == {"2 of 3 passed: flaky"}
    rows = list(csv.DictReader(io.StringIO(to_csv(results), newline="")))
    assert {(row["repeat_of"], row["repeats"]) for row in rows} == {("dark", "2 of 3 passed: flaky")}
    assert '<span class="badge flaky">flaky</span>' in to_html(results, run)
    (suite,) = JUnitXmlOfSurefire.fromstring(run_to_junit(run, results).encode())
    properties = {(one.name, one.value) for case in suite for one in case.properties()}
    assert properties == {("repeats", "dark: 2 of 3 passed: flaky"), ("phone", "p")}
