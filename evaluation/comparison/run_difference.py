"""Compare two runs of the same tasks, task by task: what fails or passes now, is slower, or goes by other screens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, get_args

from manyhands.evaluation.comparison.screen_paths import Parting, find_parting
from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.tasks.repeats import TaskRepeats, count_passes, count_repeats

SLOWER = 1.5
"""A task is slower from this many times the seconds, or the steps, of the earlier run."""
_SLOWER_S = 2.0
"""A smaller difference in seconds is noise."""

Change = Literal[
    "newly_failing", "newly_passing", "newly_flaky", "otherwise_failing", "slower", "other_screens", "added", "removed",
    "same",
]  # fmt: skip
"""``newly_flaky``: the task passes on a retry only, or in some of its repeats only. ``otherwise_failing``: it failed in
both runs, with another ending or another part of its check. ``other_screens``: the same result, by other pages. The
first that applies counts."""
WORTH_TELLING: tuple[Change, ...] = tuple(change for change in get_args(Change) if change != "same")


class TaskDifference(Message):
    """Compare one task of two runs. ``before`` or ``after`` is None if that run lacks the task.

    If one run repeated the task and the other did not, or not as often, the shares that passed are compared. Then
    ``before`` and ``after`` are each run's first repeat that did not pass, or its first repeat if all passed.
    """

    task: str
    change: Change
    before: TaskResult | None
    after: TaskResult | None
    seconds_more: float | None = None
    steps_more: int | None = None
    """How many seconds and steps the later run took more; negative for fewer. None if a run lacks the task."""
    parting: Parting | None = None
    """Where the pages that the two runs went through first differ; None if they do not."""
    repeats_before: TaskRepeats | None = None
    repeats_after: TaskRepeats | None = None
    """How many repeats passed, in a run whose repeats are compared as one task."""

    @property
    def shown_before(self) -> str:
        """Return how the task ended in the earlier run: ``passed (finished)``, ``3 of 5 passed: flaky``."""
        return _show_result(self.before, self.repeats_before)

    @property
    def shown_after(self) -> str:
        """Return how the task ended in the later run."""
        return _show_result(self.after, self.repeats_after)

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
    """Compare tasks by id. If a run has an id several times, compare the first with the first, and so on.

    If only one run repeated a task, or both runs did but not equally often, compare the shares that passed.
    """
    first, second = _by_task(before), _by_task(after)
    tasks = tuple(
        difference
        for task in dict.fromkeys((*first, *second))
        for difference in _differences(task, first.get(task, ()), second.get(task, ()))
    )
    repeats = tuple(_other_stabilities(before, after))
    return RunDifference(before=names[0], after=names[1], tasks=tasks, repeats=repeats)


def unlike_settings(before: RunFolder, after: RunFolder) -> tuple[str, ...]:
    """Return a line for each choice in which the runs differ, such as their profiles. Raises BadInput."""
    names = ("profile", "schedule", "model_source", "phones_source", "perception_source")
    values = ((name.removesuffix("_source"), before.asked.get(name), after.asked.get(name)) for name in names)
    return tuple(
        f"other {name}: {then} before, {now} after" for name, then, now in values if then and now and then != now
    )


def _by_task(results: Iterable[TaskResult]) -> dict[str, list[TaskResult]]:
    """Return results by the id of the task. Repeats of a task are together."""
    by_task: dict[str, list[TaskResult]] = {}
    for result in results:
        by_task.setdefault(result.repeat_of or result.id, []).append(result)
    return by_task


def _differences(task: str, before: Sequence[TaskResult], after: Sequence[TaskResult]) -> Iterator[TaskDifference]:
    first, second = _by_id(before), _by_id(after)
    repeated = any(result.repeat_of is not None for result in (*before, *after))
    if repeated and before and after and first.keys() != second.keys():
        yield _difference_of_shares(task, before, after)
        return
    for id, place in dict.fromkeys((*first, *second)):
        yield _difference(id, first.get((id, place)), second.get((id, place)))


def _difference_of_shares(task: str, before: Sequence[TaskResult], after: Sequence[TaskResult]) -> TaskDifference:
    """Compare all results of one task in each run by the shares that passed."""
    then, now = count_passes(task, before), count_passes(task, after)
    change: Change = "same"
    if now.share != then.share:
        change = "newly_failing" if now.share == 0 else "newly_passing" if now.share == 1 else "newly_flaky"
    return TaskDifference(
        task=task,
        change=change,
        before=_first_to_show(before),
        after=_first_to_show(after),
        repeats_before=_if_repeated(then, before),
        repeats_after=_if_repeated(now, after),
    )


def _first_to_show(results: Sequence[TaskResult]) -> TaskResult:
    return next((result for result in results if not result.passes), results[0])


def _if_repeated(counts: TaskRepeats, results: Sequence[TaskResult]) -> TaskRepeats | None:
    return counts if any(result.repeat_of is not None for result in results) else None


def _show_result(result: TaskResult | None, repeats: TaskRepeats | None) -> str:
    if repeats is not None:
        return str(repeats)
    return "-" if result is None else f"{result.shown_verdict} ({result.finished.value})"


def _other_stabilities(before: Sequence[TaskResult], after: Sequence[TaskResult]) -> Iterator[OtherStability]:
    repeats_before = {one.task: one for one in count_repeats(before)}
    for one in count_repeats(after):
        if one.task in repeats_before and repeats_before[one.task].stability != one.stability:
            yield OtherStability(task=one.task, before=repeats_before[one.task], after=one)


def _by_id(results: Iterable[TaskResult]) -> dict[tuple[str, int], TaskResult]:
    by_occurrence: dict[tuple[str, int], TaskResult] = {}
    occurrences: dict[str, int] = defaultdict(int)
    for result in results:
        by_occurrence[(result.id, occurrences[result.id])] = result
        occurrences[result.id] += 1
    return by_occurrence


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


def to_html(difference: RunDifference, before: RunFolder, after: RunFolder) -> str:
    """Return the page. ``before`` and ``after`` are the folders of the two runs."""
    changed = [task for change in WORTH_TELLING for task in difference.having(change)]
    partings = [task.parting for task in changed if task.parting is not None]
    then = {parting.before.content_id for parting in partings if parting.before is not None}
    now = {parting.after.content_id for parting in partings if parting.after is not None}
    return (
        page_templates("manyhands.evaluation")
        .get_template("difference.html.jinja")
        .render(
            difference=difference,
            changed=changed,
            same=len(difference.tasks) - len(changed),
            counts={change.replace("_", " "): len(difference.having(change)) for change in WORTH_TELLING},
            pictures_before=embed_pictures(before, sorted(then)),
            pictures_after=embed_pictures(after, sorted(now)),
        )
    )
