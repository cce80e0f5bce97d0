"""The limits of an episode: when it ends without having finished (Mobile-Agent-E, section 4.2, and wall time).

A limit is declared once, as a field of ``Limits``. The field's name is the key in a file of tasks, its ``Field`` gives
the default and the bounds, and its ``Limit`` the ending and what is counted. All else reads that: episodes ask the
limits in the order of the fields (``actors.episode.endings``), metrics count their endings as errors
(``evaluation.metrics.exits``), and benchmarks lift them (``Limits.lifted``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Protocol, Self

import annotated_types
from pydantic import Field

from manyhands.protocol.base import Ending, Input
from manyhands.protocol.requests import Decision


class CountedStep(Protocol):
    """Give what a limit sees of a step (``actors.episode.state.StepState``)."""

    @property
    def decision(self) -> Decision | None: ...

    @property
    def failed(self) -> bool: ...


class CountedState(Protocol):
    """Give what a limit sees of an episode as of a step (``actors.episode.state.EpisodeState``)."""

    def step(self, step: int) -> CountedStep: ...

    def errors_in_a_row(self, step: int) -> Sequence[str]: ...

    def vain_in_a_row(self, step: int) -> Sequence[str]: ...

    def equal_actions(self, step: int) -> Sequence[CountedStep]: ...


class Count(NamedTuple):
    """Hold what was counted, and how that is told to people if it reaches the limit."""

    number: int
    reason: str


Counter = Callable[[CountedState, int], Count]
"""Count up to and with a step. Pure."""


def count_steps(state: CountedState, step: int) -> Count:
    return Count(step + 1, f"{step + 1} steps without reaching the goal")


def count_failures(state: CountedState, step: int) -> Count:
    errors = state.errors_in_a_row(step)
    return Count(len(errors), f"{len(errors)} failed steps in a row; the last: {errors[0]}" if errors else "")


def count_vain_actions(state: CountedState, step: int) -> Count:
    """Count actions in a row that came to nothing, as far as the phone shows it: no verdict tells more."""
    reasons = state.vain_in_a_row(step)
    return Count(
        len(reasons), f"{len(reasons)} actions in a row came to nothing; the last: {reasons[0]}" if reasons else ""
    )


def count_failed_repeats(state: CountedState, step: int) -> Count:
    """Count equal actions in a row that failed: one that did what was expected may be wanted again, three taps on a
    plus sign."""
    failed = sum(at.failed for at in state.equal_actions(step))
    return Count(failed, f"the same action in a row failed {failed} times")


def count_repeats(state: CountedState, step: int) -> Count:
    """Count how often the same action was repeated, whatever came of it, as the paper does."""
    times = len(state.equal_actions(step))
    return Count(times - 1, f"the same action {times} times in a row")


@dataclass(frozen=True, slots=True)
class Limit:
    """Declare which ending a limit brings about, and what it counts: it ends the episode once that is as many."""

    ending: Ending
    counts: Counter | None = None
    """Asked after a step's verdict, which tells what failed. None for a limit that no step is counted against."""
    before_verdict: Counter | None = None
    """Asked in loops where nobody judges. None for a limit that needs a verdict."""
    in_papers: Counter | None = None
    """Asked with ``paper_exact`` instead of ``counts``, where the paper counts in another way."""

    def counter(self, judged: bool, paper_exact: bool) -> Counter | None:
        """Return what is counted in a loop; None where the limit is not asked."""
        if not judged:
            return self.before_verdict
        return (self.in_papers if paper_exact else None) or self.counts


class Limits(Input):
    """Configure when an episode ends without having finished. Where it reaches several, the first field counts."""

    max_failures: Annotated[
        int, Limit(Ending.FAILURE_LIMIT, counts=count_failures, before_verdict=count_vain_actions)
    ] = Field(default=3, ge=1, le=100)
    """Consecutive steps with outcome B or C."""
    max_repeats: Annotated[
        int,
        Limit(Ending.REPEAT_LIMIT, counts=count_failed_repeats, before_verdict=count_repeats, in_papers=count_repeats),
    ] = Field(default=3, ge=1, le=100)
    """Equal actions in a row with outcome B or C, but for Swipe and Back; with ``paper_exact`` whatever the outcome."""
    max_steps: Annotated[int, Limit(Ending.STEP_LIMIT, counts=count_steps, before_verdict=count_steps)] = Field(
        default=40, ge=1, le=1000
    )
    wall_s: Annotated[float, Limit(Ending.TIME_LIMIT)] = Field(default=1800.0, gt=0)
    """Seconds, without those in which it was paused (``actors.episode.paused_time``)."""

    @classmethod
    @cache
    def declarations(cls) -> Mapping[str, Limit]:
        """Return the declarations by their names, in the order in which they are asked."""
        return {
            name: one for name, field in cls.model_fields.items() for one in field.metadata if isinstance(one, Limit)
        }

    @classmethod
    def lifted(cls, **kept: Any) -> Self:
        """Return limits as high as they may be, but those that are given and the time."""
        bounds = ((name, one) for name in cls.declarations() for one in cls.model_fields[name].metadata)
        return cls(**{name: bound.le for name, bound in bounds if isinstance(bound, annotated_types.Le)} | kept)


if undeclared := Limits.model_fields.keys() - Limits.declarations().keys():
    raise TypeError(f"limits without a declaration: {', '.join(sorted(undeclared))}")
if unused := {one for one in Ending if one.endswith("_limit")} - {
    limit.ending for limit in Limits.declarations().values()
}:
    raise TypeError(f"endings by limits that are not declared: {', '.join(sorted(unused))}")
