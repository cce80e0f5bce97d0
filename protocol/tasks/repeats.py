"""Repeat tasks: to find out which pass only sometimes, or as groups of episodes that trainers compare."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.runs.results import has_failed
from manyhands.protocol.runs.run_summary import GroupResult, TaskRow
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
    if any(task.group is not None for task in tasks):
        raise BadInput("--repeat: a group is its task's repeats; leave --repeat or the group out")
    return tuple(_repeat(task, number) for task in tasks for number in range(1, times + 1))


def expand_groups(
    tasks: Sequence[TaskSpec], group: int | None = None, enough: int | None = None, most: int | None = None
) -> tuple[TaskSpec, ...]:
    """Return each task with a ``group`` as that many repeats, one after another; other tasks as they are.

    ``group`` and ``enough`` replace what tasks say, as far as they are given. Episodes of a group stay as they are.
    Raises BadInput, also before it makes more than ``most`` tasks.
    """
    count = sum(1 if task.repeat_of is not None else group or task.group or 1 for task in tasks)
    if most is not None and count > most:
        raise BadInput(f"its groups have {count} episodes together; at most {most} are allowed")
    expanded: list[TaskSpec] = []
    for task in tasks:
        if task.repeat_of is None and (group is not None or enough is not None):
            size = group or task.group
            task = change_task(task, {"group": size, "group_enough": enough or task.group_enough})
        if task.group is None or task.repeat_of is not None:
            expanded.append(task)
            continue
        start = {"reset_seed": task.reset_seed or 0}
        expanded += (_repeat(task, number, {**start, "sample": number}) for number in range(1, task.group + 1))
    return tuple(expanded)


def _repeat(task: TaskSpec, number: int, changes: Mapping[str, Any] | None = None) -> TaskSpec:
    return change_task(task, {"id": repeat_id(task.id, number), "repeat_of": task.id, **(changes or {})})


def change_task(task: TaskSpec, changes: Mapping[str, Any]) -> TaskSpec:
    """Return a task with other values of some keys. Raises BadInput if they do not fit together."""
    try:
        return TaskSpec.model_validate({**dict(task), **changes})
    except ValidationError as error:
        if any("id" in one["loc"] for one in error.errors()):
            raise BadInput(f"{changes['id']} is too long for an id; shorten the id {task.id}") from None
        raise BadInput(f"{task.id}: {explain(error, TaskSpec)}") from None


def set_retries(tasks: Sequence[TaskSpec], retries: int | None) -> tuple[TaskSpec, ...]:
    """Return the same tasks with another number of retries, if one is given."""
    if retries is None:
        return tuple(tasks)
    return tuple(task.model_copy(update={"retries": retries}) for task in tasks)


def count_repeats(rows: Iterable[TaskRow]) -> tuple[TaskRepeats, ...]:
    """Count the repeats of each task that was repeated, in the order of the rows. Groups and matrices are left out."""
    by_task: dict[str, list[TaskRow]] = {}
    for row in rows:
        if row.repeat_of is not None and row.group is None and not row.matrix_value:
            by_task.setdefault(row.repeat_of, []).append(row)
    return tuple(count_passes(task, rows) for task, rows in by_task.items())


def groups_of(rows: Iterable[TaskRow]) -> tuple[GroupResult, ...]:
    """Return the result of each group of episodes, in the order of the rows."""
    by_task: dict[tuple[str, int], list[TaskRow]] = {}
    times = Counter[str]()
    for row in rows:
        if row.repeat_of is not None and row.group is not None:
            times[row.id] += 1  # another batch of the run may have the same task
            by_task.setdefault((row.repeat_of, times[row.id]), []).append(row)
    return tuple(_group(task, rows) for (task, _), rows in by_task.items())


def _group(task: str, rows: Sequence[TaskRow]) -> GroupResult:
    size = rows[0].group or len(rows)
    rewards = tuple(row.reward for row in rows)
    values = [reward for reward in rewards if reward is not None]
    passes, count = sum(reward >= 1 for reward in values), len(values)
    sizes = [*(2**power for power in range(count.bit_length()) if 2**power < count), *([count] if count else [])]
    return GroupResult(
        task=task,
        episodes=size,
        enough=rows[0].group_enough or size,
        rewards=rewards,
        faults=Counter(row.fault or "nothing says what it earned" for row in rows if row.reward is None),
        pass_at={size: 1 - math.comb(count - passes, size) / math.comb(count, size) for size in sizes},
    )


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
