"""Declare the limits of an episode: when it ends without having finished (Mobile-Agent-E, section 4.2, and time).

A limit is declared once, as a field of ``Limits``. The field's name is the key in a file of tasks, its ``Field`` gives
the default and the bounds, and its ``Limit`` gives the ending and what is counted. Other parts read the declaration:
episodes check the limits in the order of the fields (``actors.episode.endings``), metrics count their endings as errors
(``evaluation.metrics.outcomes``), and benchmarks raise them to their bounds (``Limits.lifted``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Protocol, Self

import annotated_types
from pydantic import Field

from manyhands.protocol.base import Ending
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.roles.requests import Decision
from manyhands.protocol.utilities.terminal_text import count_noun


class CountedStep(Protocol):
    """Declare the part of a step that limits need (``actors.episode.state.StepState``)."""

    @property
    def decision(self) -> Decision | None: ...

    @property
    def failed(self) -> bool: ...

    @property
    def person(self) -> str: ...


class CountedCycle(Protocol):
    """Declare the part of a cycle that limits need (``actors.episode.cycles.Cycle``)."""

    @property
    def repeats(self) -> int: ...


class CountedState(Protocol):
    """Declare the part of an episode's state that limits need (``actors.episode.state.EpisodeState``)."""

    def step(self, step: int) -> CountedStep: ...

    def errors_in_a_row(self, step: int) -> Sequence[str]: ...

    def vain_in_a_row(self, step: int) -> Sequence[str]: ...

    def equal_actions(self, step: int) -> Sequence[CountedStep]: ...

    def cycle(self, step: int) -> CountedCycle | None: ...


class Count(NamedTuple):
    """Hold a number that was counted, and the reason that people read if it reaches the limit."""

    number: int
    reason: str


Counter = Callable[[CountedState, int], Count]
"""A pure function that counts from the state, up to and including a step."""


def count_steps(state: CountedState, step: int) -> Count:
    """Count the steps of the agent. What a person did does not count."""
    count = sum(not state.step(number).person for number in range(step + 1))
    return Count(count, f"{count_noun(count, 'step')} without reaching the goal")


def count_failures(state: CountedState, step: int) -> Count:
    errors = state.errors_in_a_row(step)
    return Count(len(errors), f"{len(errors)} failed steps in a row; the last: {errors[0]}" if errors else "")


def count_vain_actions(state: CountedState, step: int) -> Count:
    """Count actions in a row that the phone shows to have had no effect. Loops without verdicts use this count."""
    reasons = state.vain_in_a_row(step)
    return Count(
        len(reasons), f"{len(reasons)} actions in a row came to nothing; the last: {reasons[0]}" if reasons else ""
    )


def count_failed_repeats(state: CountedState, step: int) -> Count:
    """Count failures among equal actions in a row.

    An action that did what was expected may be wanted again, such as three taps on a plus sign.
    """
    failed = sum(at.failed for at in state.equal_actions(step))
    return Count(failed, f"the same action in a row failed {failed} times")


def count_repeats(state: CountedState, step: int) -> Count:
    """Count repetitions of the same action in a row, whatever its verdicts. The paper counts in this way."""
    times = len(state.equal_actions(step))
    return Count(times - 1, f"the same action {times} times in a row")


def count_cycle(state: CountedState, step: int) -> Count:
    """Count how often the last round of actions and screens has come again."""
    cycle = state.cycle(step)
    return Count(0, "") if cycle is None else Count(cycle.repeats, str(cycle))


def most(*counters: Counter) -> Counter:
    """Return a counter with the highest of several counts; the first of equal ones."""
    return lambda state, step: max((counter(state, step) for counter in counters), key=lambda count: count.number)


class Counters(NamedTuple):
    """Hold what a limit counts, by the kind of loop; None where it counts nothing."""

    judged: Counter | None = None
    """Called after the verdict of a step."""
    unjudged: Counter | None = None
    """Called in loops without verdicts."""


_NOTHING = Counters()


@dataclass(frozen=True, slots=True)
class Limit:
    """Declare a limit: the ending that it causes, and what it counts.

    The episode ends when the count reaches the limit.
    """

    ending: Ending
    ours: Counters = _NOTHING
    papers: Counters | None = None
    """With ``paper_exact``, instead of ``ours``; None if the paper counts in the same way."""

    def counter(self, judged: bool, paper_exact: bool) -> Counter | None:
        """Return the counter for a loop (``judged``: it has verdicts); None if the loop does not check this limit."""
        counters = self.papers if paper_exact and self.papers is not None else self.ours
        return counters.judged if judged else counters.unjudged


class Limits(PublicInput):
    """Configure when an episode ends without having finished. If it reaches several limits, the first field counts."""

    max_failures: Annotated[
        int,
        Limit(
            Ending.FAILURE_LIMIT,
            ours=Counters(count_failures, count_vain_actions),
            papers=Counters(count_failures),  # "if the agent has an action reflector"
        ),
    ] = Field(default=3, ge=1, le=100)
    """Consecutive steps with outcome B or C."""
    max_repeats: Annotated[
        int,
        Limit(
            Ending.REPEAT_LIMIT,
            ours=Counters(most(count_failed_repeats, count_cycle), most(count_repeats, count_cycle)),
            papers=Counters(count_repeats, count_repeats),
        ),
    ] = Field(default=3, ge=1, le=100)
    """Equal actions in a row with outcome B or C, but for Swipe and Back; with ``paper_exact`` whatever the outcome.
    Also how often a round of two to four actions on the same screens comes again, but not with ``paper_exact``."""
    max_steps: Annotated[int, Limit(Ending.STEP_LIMIT, ours=Counters(count_steps, count_steps))] = Field(
        default=40, ge=1, le=1000
    )
    """How many steps an episode may have."""
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
    def lifted(cls, **limits: Any) -> Self:
        """Return limits at the highest values allowed, except those in ``limits`` and those without such a bound."""
        bounds = ((name, one) for name in cls.declarations() for one in cls.model_fields[name].metadata)
        return cls(**{name: bound.le for name, bound in bounds if isinstance(bound, annotated_types.Le)} | limits)


if undeclared := Limits.model_fields.keys() - Limits.declarations().keys():
    raise TypeError(f"limits without a declaration: {', '.join(sorted(undeclared))}")
if unused := {one for one in Ending if one.endswith("_limit")} - {
    limit.ending for limit in Limits.declarations().values()
}:
    raise TypeError(f"endings by limits that are not declared: {', '.join(sorted(unused))}")
