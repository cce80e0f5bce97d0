"""What is told of a run whose run.yaml was edited by hand: tasks and journals belong together by place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.run_folder import RunFolder, has_finished
from manyhands.evaluation.summary import summarise
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import ended, started, write_run

BATCHES = [{"name": "batch-1", "tasks": 2}, {"name": "batch-2", "tasks": 1}]


def journals() -> dict[str, list[Record]]:
    places = {"a": ("batch-1", 0), "b": ("batch-1", 1), "c": ("batch-2", 0)}
    return {
        task: [started(task, TaskSpec(id=task, goal="g"), batch=batch, place=place), ended(9)]
        for task, (batch, place) in places.items()
    }


def rows(folder: Path, tasks: list[str], batches: Any) -> list[tuple[str, Ending]]:
    asked = {"tasks": [{"id": task, "goal": "g"} for task in tasks], "batches": batches}
    write_run(folder, asked, journals())
    return [(row.id, row.finished) for row in summarise(folder).by_task]


@pytest.mark.parametrize(
    ("tasks", "batches"),
    [
        (["a", "b", "c"], BATCHES),
        (["a", "another", "c"], BATCHES),
        (["b", "a", "c"], BATCHES),
        (["a", "b", "c", "added"], BATCHES),
        (["b", "c"], BATCHES),
        (["c"], [{"name": "batch-2", "tasks": 1}]),
        ([], []),
    ],
)
def test_every_task_that_was_done_is_there_once_and_no_other(tmp_path: Path, tasks: list[str], batches: Any) -> None:
    assert sorted(rows(tmp_path, tasks, batches)) == [(task, Ending.FINISHED) for task in ("a", "b", "c")]


def test_a_task_that_a_batch_has_and_no_journal_was_not_started(tmp_path: Path) -> None:
    batches = [BATCHES[0], {"name": "batch-2", "tasks": 2}]
    assert rows(tmp_path, ["a", "b", "c", "added"], batches)[-1] == ("added", Ending.CANCELLED)


def test_a_task_that_was_renamed_is_still_to_be_done_and_one_that_was_done_is_not(tmp_path: Path) -> None:
    for tasks, done in ((["a", "b", "c"], True), (["a", "another", "c"], False)):
        folder = tmp_path / tasks[1]
        folder.mkdir()
        rows(folder, tasks, BATCHES)
        assert has_finished(RunFolder(folder), ()) is done


def test_batches_that_are_none_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="batches"):
        rows(tmp_path, ["a"], [{"name": "batch-1", "tasks": "many"}])
