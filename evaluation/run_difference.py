"""Compare two runs of the same tasks, task by task: what fails or passes now, is slower, or goes by other screens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, get_args

from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.screen_paths import Parting, find_parting
from manyhands.protocol.base import Message
from manyhands.protocol.repeats import TaskRepeats, count_repeats

SLOWER = 1.5
"""A task is slower from this many times the seconds, or the steps, of the earlier run."""
_SLOWER_S = 2.0
"""A smaller difference in seconds is noise."""

Change = Literal[
    "newly_failing", "newly_passing", "newly_flaky", "otherwise_failing", "slower", "other_screens", "added", "removed",
    "same",
]  # fmt: skip
"""``newly_flaky``: the task passes on a retry only. ``otherwise_failing``: it failed in both runs, with another ending
or another part of its check. ``other_screens``: the same result, by other pages. The first that applies counts."""
WORTH_TELLING: tuple[Change, ...] = tuple(change for change in get_args(Change) if change != "same")


class TaskDifference(Message):
    """Compare one task of two runs. ``before`` or ``after`` is None if that run lacks the task."""

    task: str
    change: Change
    before: TaskResult | None
    after: TaskResult | None
    seconds_more: float | None = None
    steps_more: int | None = None
    """How many seconds and steps the later run took more; negative for fewer. None if a run lacks the task."""
    parting: Parting | None = None
    """Where the pages that the two runs went through first differ; None if they do not."""

    @property
    def slower_by(self) -> str:
        """Return how much more time and how many more steps the task took: ``+6.0 s (1.6 x), +2 steps``."""
        if self.before is None or self.after is None or self.seconds_more is None or self.steps_more is None:
            return ""
        times = f" ({self.after.seconds / self.before.seconds:.1f} x)" if self.before.seconds > 0 else ""
        steps = f", {self.steps_more:+d} {'step' if abs(self.steps_more) == 1 else 'steps'}" if self.steps_more else ""
        return f"{self.seconds_more:+.1f} s{times}{steps}"

    @property
    def why(self) -> str:
        """Return why the task does not pass in the later run, or how much slower it is, or where the pages part."""
        if self.change == "slower":
            return self.slower_by
        if self.after is not None and not self.after.passes:
            return "; ".join(map(str, self.after.unmet)) or self.after.reason
        if self.change == "newly_flaky" and self.after is not None:
            return "; ".join(map(str, self.after.failed_tries))
        return str(self.parting) if self.change == "other_screens" else ""


class OtherStability(Message):
    """Name a repeated task that is more or less stable than before."""

    task: str
    before: TaskRepeats
    after: TaskRepeats


class RunDifference(Message):
    """Compare two runs."""

    before: str
    after: str
    tasks: tuple[TaskDifference, ...]
    repeats: tuple[OtherStability, ...] = ()
    """Tasks that both runs repeated, and that are stable, flaky or broken in one of them only."""

    def having(self, change: Change) -> tuple[TaskDifference, ...]:
        """Return the tasks with this change."""
        return tuple(task for task in self.tasks if task.change == change)


def compare_runs(before: Sequence[TaskResult], after: Sequence[TaskResult], names: tuple[str, str]) -> RunDifference:
    """Compare tasks by id. If a run has an id several times, compare the first with the first, and so on."""
    first, second = _by_id(before), _by_id(after)
    ids = dict.fromkeys((*first, *second))
    tasks = tuple(_difference(id, first.get((id, place)), second.get((id, place))) for id, place in ids)
    repeats = tuple(_other_stabilities(before, after))
    return RunDifference(before=names[0], after=names[1], tasks=tasks, repeats=repeats)


def _other_stabilities(before: Sequence[TaskResult], after: Sequence[TaskResult]) -> Iterator[OtherStability]:
    known = {one.task: one for one in count_repeats(before)}
    for one in count_repeats(after):
        if one.task in known and known[one.task].stability != one.stability:
            yield OtherStability(task=one.task, before=known[one.task], after=one)


def _by_id(results: Iterable[TaskResult]) -> dict[tuple[str, int], TaskResult]:
    found: dict[tuple[str, int], TaskResult] = {}
    seen: dict[str, int] = defaultdict(int)
    for result in results:
        found[(result.id, seen[result.id])] = result
        seen[result.id] += 1
    return found


def _difference(id: str, before: TaskResult | None, after: TaskResult | None) -> TaskDifference:
    if before is None or after is None:
        return TaskDifference(task=id, change="added" if before is None else "removed", before=before, after=after)
    parting = find_parting(before.screens, after.screens)
    return TaskDifference(
        task=id,
        change=_change(before, after, parting),
        before=before,
        after=after,
        seconds_more=after.seconds - before.seconds,
        steps_more=after.steps - before.steps,
        parting=parting,
    )


def _change(before: TaskResult, after: TaskResult, parting: Parting | None) -> Change:
    passed, passes = before.passes, after.passes
    if passed != passes:
        return "newly_passing" if passes else "newly_failing"
    if not passes:
        same = (before.finished, before.unmet) == (after.finished, after.unmet)
        return _by_screens(parting) if same else "otherwise_failing"
    if after.retries and not before.retries:
        return "newly_flaky"
    took_longer = after.seconds >= max(SLOWER * before.seconds, before.seconds + _SLOWER_S)
    slower = took_longer or after.steps >= SLOWER * max(before.steps, 1)
    return "slower" if slower else _by_screens(parting)


def _by_screens(parting: Parting | None) -> Change:
    return "same" if parting is None else "other_screens"
