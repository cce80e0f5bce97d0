"""Compare two runs of the same tasks, task by task: what fails now, what passes now, what became slower."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from manyhands.evaluation.results import TaskResult
from manyhands.protocol.base import Message

SLOWER = 1.5
"""How many times the earlier seconds or steps count as slower."""
_SLOWER_S = 2.0
"""A smaller difference in seconds is noise."""

Change = Literal["newly_failing", "newly_passing", "otherwise_failing", "slower", "added", "removed", "same"]
"""``otherwise_failing``: the task failed in both runs, with another ending or another part of its check."""
WORTH_TELLING: tuple[Change, ...] = (
    "newly_failing", "newly_passing", "otherwise_failing", "slower", "added", "removed",
)  # fmt: skip


class TaskDifference(Message):
    """Compare one task of two runs. ``before`` or ``after`` is None if that run lacks the task."""

    task: str
    change: Change
    before: TaskResult | None
    after: TaskResult | None
    other_screen: bool = False
    """Whether the last screens differ."""


class RunDifference(Message):
    """Compare two runs."""

    before: str
    after: str
    tasks: tuple[TaskDifference, ...]

    def having(self, change: Change) -> tuple[TaskDifference, ...]:
        """Return the tasks with this change."""
        return tuple(task for task in self.tasks if task.change == change)


def compare_runs(before: Sequence[TaskResult], after: Sequence[TaskResult], names: tuple[str, str]) -> RunDifference:
    """Compare tasks by id. If a run has an id several times, compare the first with the first, and so on."""
    first, second = _by_id(before), _by_id(after)
    ids = dict.fromkeys((*first, *second))
    tasks = tuple(_difference(id, first.get((id, place)), second.get((id, place))) for id, place in ids)
    return RunDifference(before=names[0], after=names[1], tasks=tasks)


def _by_id(results: Iterable[TaskResult]) -> dict[tuple[str, int], TaskResult]:
    found: dict[tuple[str, int], TaskResult] = {}
    seen: dict[str, int] = defaultdict(int)
    for result in results:
        found[(result.id, seen[result.id])] = result
        seen[result.id] += 1
    return found


def _difference(id: str, before: TaskResult | None, after: TaskResult | None) -> TaskDifference:
    other_screen = before is not None and after is not None and before.last_screen != after.last_screen
    return TaskDifference(task=id, change=_change(before, after), before=before, after=after, other_screen=other_screen)


def _change(before: TaskResult | None, after: TaskResult | None) -> Change:
    if before is None or after is None:
        return "added" if before is None else "removed"
    passed, passes = before.passes, after.passes
    if passed != passes:
        return "newly_passing" if passes else "newly_failing"
    if not passes:
        same = (before.finished, before.unmet) == (after.finished, after.unmet)
        return "same" if same else "otherwise_failing"
    took_longer = after.seconds >= max(SLOWER * before.seconds, before.seconds + _SLOWER_S)
    return "slower" if took_longer or after.steps >= SLOWER * max(before.steps, 1) else "same"
