"""What profiles assume of stages that have not ended (the schedule ``speculate``), where it is the same for several."""

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


def nothing(state: EpisodeState, step: int) -> tuple[Record, ...]:
    """Leave no record."""
    return ()


def _added_nothing(state: EpisodeState, step: int) -> bool:
    notes = state.step(step).notes
    return notes is None or notes == state.notes(step - 1)


SUCCESS = Assumption(_verdict_a, _was_a)
"""The verdict is A. The progress stays as it was: the one input that may be a step older without anybody checking
it (docs/schedules.md)."""
NOTHING_NOTED = Assumption(nothing, _added_nothing)
"""Nothing is added to the notes."""
