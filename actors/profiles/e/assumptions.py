"""What is assumed of a stage that has not ended (the schedule ``speculate``)."""

from __future__ import annotations

from manyhands.actors.episode.profile import Assumption
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Record, Reflected, Span
from manyhands.protocol.roles import Reflection


def _verdict_a(state: EpisodeState, step: int) -> tuple[Record, ...]:
    as_expected = Reflection(outcome=Outcome.A, error="", progress="", made_by="check")
    return (Reflected(step=step, span=Span(start=0.0, end=0.0), reflection=as_expected),)


def _was_a(state: EpisodeState, step: int) -> bool:
    reflection = state.step(step).reflection
    return reflection is not None and reflection.outcome is Outcome.A


def _plan_before(state: EpisodeState, step: int) -> tuple[Record, ...] | None:
    """Leave nothing: the plan before stands. Before the first plan there is none."""
    return None if state.plan(step - 1) is None else ()


def _kept_its_subgoal(state: EpisodeState, step: int) -> bool:
    plan = state.step(step).plan
    # Without a valid reply the plan before stands.
    return plan is None or (plan.change == "keep" and plan.status == "continue")


def _nothing(state: EpisodeState, step: int) -> tuple[Record, ...]:
    return ()


def _added_nothing(state: EpisodeState, step: int) -> bool:
    notes = state.step(step).notes
    return notes is None or notes == state.notes(step - 1)


SUCCESS = Assumption(_verdict_a, _was_a)
"""verify(t): outcome A. The progress stays as it was: the one input that may be a step older without anybody checking
it (docs/schedules.md)."""
PLAN_KEPT = Assumption(_plan_before, _kept_its_subgoal)
"""plan(t): it keeps its subgoal and goes on; decide(t) is shown the plan before."""
NOTHING_NOTED = Assumption(_nothing, _added_nothing)
"""note(t): it adds nothing to the notes."""
