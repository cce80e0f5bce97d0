"""Repeat tasks, to find out which of them are flaky: which pass sometimes, with nothing changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.results import has_failed
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.tasks.task import TaskSpec

Stability = Literal["stable", "flaky", "broken", "unknown"]
"""``stable``: every repeat passed at its first attempt. ``broken``: no repeat passed. ``flaky``: some repeats passed,
or some passed only on a retry. ``unknown``: no repeat passed or failed, because of reasons outside the task."""


class TaskRepeats(Message):
    """Count the repeats of a task."""

    task: str
    passed: int
    failed: int
    left_out: int
    """Repeats that tell nothing about the task: cancelled, lost, or with a check that nobody could ask."""
    stability: Stability

    @property
    def share(self) -> float:
        """Return the share of repeats that passed, from 0 to 1; 0 if no repeat passed or failed."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else 0.0

    def __str__(self) -> str:
        """Write ``3 of 5 passed: flaky``."""
        left_out = f" ({self.left_out} left out)" if self.left_out else ""
        return f"{self.passed} of {self.passed + self.failed} passed{left_out}: {self.stability}"


def repeat_id(task: str, number: int) -> str:
    """Return the id of a task's repeat, counted from 1: ``dark_mode.2``."""
    return f"{task}.{number}"


def repeat_tasks(tasks: Sequence[TaskSpec], times: int | None) -> tuple[TaskSpec, ...]:
    """Return each task ``times`` times, one after another, with an id for each repeat. For 1 and None,
    return the tasks unchanged.

    Raises BadInput if such an id is too long.
    """
    if times is None or times == 1:
        return tuple(tasks)
    return tuple(_repeat(task, number) for task in tasks for number in range(1, times + 1))


def _repeat(task: TaskSpec, number: int) -> TaskSpec:
    id = repeat_id(task.id, number)
    try:
        return TaskSpec.model_validate({**dict(task), "id": id, "repeat_of": task.id})
    except ValidationError:
        raise BadInput(f"--repeat: {id} is too long for an id; shorten the id {task.id}") from None


def set_retries(tasks: Sequence[TaskSpec], retries: int | None) -> tuple[TaskSpec, ...]:
    """Return the same tasks with another number of retries, if one is given."""
    if retries is None:
        return tuple(tasks)
    return tuple(task.model_copy(update={"retries": retries}) for task in tasks)


def count_repeats(rows: Iterable[TaskRow]) -> tuple[TaskRepeats, ...]:
    """Count the repeats of each task that was repeated, in the order of the rows."""
    by_task: dict[str, list[TaskRow]] = {}
    for row in rows:
        if row.repeat_of is not None:
            by_task.setdefault(row.repeat_of, []).append(row)
    return tuple(count_passes(task, rows) for task, rows in by_task.items())


def count_passes(task: str, rows: Sequence[TaskRow]) -> TaskRepeats:
    """Count how many of these rows of one task passed and failed."""
    passes = [row for row in rows if row.is_done]
    failed = sum(has_failed(row.finished, row.verified, row.has_check, "", row.answered) for row in rows)
    stability: Stability = "flaky"
    if not passes:
        stability = "broken" if failed else "unknown"
    elif not failed and not any(row.retries for row in passes):
        stability = "stable"
    left_out = len(rows) - len(passes) - failed
    return TaskRepeats(task=task, passed=len(passes), failed=failed, left_out=left_out, stability=stability)
