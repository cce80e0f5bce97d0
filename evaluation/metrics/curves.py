"""Compute curves: satisfaction by steps (Mobile-Agent-E, figure 5), errors in failed episodes (v2, figure 4)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence, Set

from manyhands.evaluation.metrics.figure import Missing
from manyhands.evaluation.metrics.outcomes import Case, fulfilled_after
from manyhands.protocol.base import Message, Outcome

Point = tuple[float, float]
THIRDS = 3


# ---------------------------------------------------------------------------- satisfaction by steps
class Polyline(Message):
    task: str
    points: tuple[Point, ...]
    """The share of steps done, from 0 to 1, and the satisfaction score after them."""


class Satisfaction(Message):
    """Hold the SSS curve of a run: a polyline for each task, and the regression line through all their points."""

    polylines: tuple[Polyline, ...]
    slope: float | None
    intercept: float | None
    """``slope`` and ``intercept`` are None without points."""
    reason: str | None
    """Why there is no curve."""


def satisfaction_by_steps(cases: Iterable[Case]) -> Satisfaction:
    """Return SSS (Mobile-Agent-E, section 5.2): SS after t of T steps at t / T. Each task's line begins at (0, 0)."""
    lines, reason = [], None
    for case in cases:
        line = polyline(case)
        if isinstance(line, Missing):
            reason = reason or line.reason
        else:
            lines.append(line)
    if not lines:
        return Satisfaction(polylines=(), slope=None, intercept=None, reason=reason or "no task was decided")
    slope, intercept = regression([point for line in lines for point in line.points])
    return Satisfaction(polylines=tuple(lines), slope=slope, intercept=intercept, reason=None)


def polyline(case: Case) -> Polyline | Missing:
    """Return a task's curve. A rubric counts from the step that fulfilled it, so the curve never falls."""
    fulfilled, steps = fulfilled_after(case), case.episode.steps
    if isinstance(fulfilled, Missing):
        return fulfilled
    if not steps:
        return Missing("the episode has no step")
    total = len(case.task.rubrics)
    fulfilled_counts = [sum(min(step, steps - 1) < after for step in fulfilled) for after in range(steps + 1)]
    points = tuple((after / steps, count / total) for after, count in enumerate(fulfilled_counts))
    return Polyline(task=case.task.id, points=points)


def regression(points: Sequence[Point]) -> tuple[float, float]:
    """Return slope and intercept of the regression line. At least two points must differ in x."""
    line = statistics.linear_regression(*zip(*points, strict=True))
    return line.slope, line.intercept


# ---------------------------------------------------------------------------- where it went wrong
class Thirds(Message):
    """Count wrong operations of failed episodes by the third of the episode in which they lie."""

    wrong: tuple[int, ...] | None
    """Operations that led to a wrong page. If ``ineffective`` is None: all operations that were not right."""
    ineffective: tuple[int, ...] | None
    """Operations that changed nothing. None if the judge left open for a wrong one whether it had an effect."""
    episodes: int
    """How many failed episodes were counted."""
    reason: str | None = None
    """Why nothing was counted. Then ``wrong`` and ``ineffective`` are None."""

    @property
    def together(self) -> tuple[int, ...] | None:
        """Return, for each third, the sum of wrong and ineffective operations."""
        if self.wrong is None or self.ineffective is None:
            return self.wrong
        return tuple(map(sum, zip(self.wrong, self.ineffective, strict=True)))


def judged_thirds(cases: Iterable[Case]) -> Thirds:
    """Return figure 4 of Mobile-Agent-v2 by a judge: the operations of failed episodes that were not right.

    Ineffective operations are separate if the judge said of each wrong operation whether it had an effect.
    """
    failed = [case for case in cases if case.judgement.success is False]
    judged = [case for case in failed if set(case.judgement.actions) >= _acted(case)]
    if not judged:
        return _none("no task was judged as failed" if not failed else "nobody judged the actions of failed tasks")
    together = _counted(judged, _judged_wrong)
    if not any(together):
        return _none("no operation of failed tasks was judged as wrong", len(judged))
    if any(_judged_wrong(case) - set(case.judgement.effects) for case in judged):
        return Thirds(wrong=together, ineffective=None, episodes=len(judged))
    wrong, ineffective = (_counted(judged, _judged_effect(had_one)) for had_one in (True, False))
    return Thirds(wrong=wrong, ineffective=ineffective, episodes=len(judged))


def thirds_by_verdicts(cases: Iterable[Case]) -> Thirds:
    """Return figure 4 of Mobile-Agent-v2 by the agent's own verdicts B and C, which nobody checked.

    The phone's state tells which episodes failed.
    """
    failed = [case for case in cases if case.judgement.success is False]
    if not failed:
        return _none("no task failed by the phone's state")
    if not any(case.verdicts for case in failed):
        return _none("the agent gave no verdict")
    wrong, ineffective = (_counted(failed, _with_verdict(outcome)) for outcome in (Outcome.B, Outcome.C))
    if not any((*wrong, *ineffective)):
        return _none("the agent found no operation of failed tasks wrong or ineffective", len(failed))
    return Thirds(wrong=wrong, ineffective=ineffective, episodes=len(failed))


def _judged_wrong(case: Case) -> Set[int]:
    return {step for step, right in case.judgement.actions.items() if not right} & _acted(case)


def _judged_effect(had_one: bool) -> Callable[[Case], Set[int]]:
    return lambda case: {step for step in _judged_wrong(case) if case.judgement.effects[step] is had_one}


def _with_verdict(outcome: Outcome) -> Callable[[Case], Set[int]]:
    return lambda case: {step for step, verdict in case.verdicts.items() if verdict.outcome is outcome}


def _counted(cases: Sequence[Case], bad: Callable[[Case], Set[int]]) -> tuple[int, ...]:
    counts = [0] * THIRDS
    for case in cases:
        acted, steps = sorted(_acted(case)), bad(case)
        for place, step in enumerate(acted):
            if step in steps:
                counts[place * THIRDS // len(acted)] += 1
    return tuple(counts)


def _acted(case: Case) -> set[int]:
    return {step for step, decision in case.decisions.items() if decision.action is not None}


def _none(reason: str, episodes: int = 0) -> Thirds:
    return Thirds(wrong=None, ineffective=None, episodes=episodes, reason=reason)
