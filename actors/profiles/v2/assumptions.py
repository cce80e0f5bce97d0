"""What is assumed of a stage that has not ended (the schedule ``speculate``), beside what profiles share."""

from __future__ import annotations

from manyhands.actors.episode.assumptions import nothing
from manyhands.actors.episode.profile import Assumption
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.records import Record


def _any(state: EpisodeState, step: int) -> bool:
    return True


def _nothing_unless_failed(state: EpisodeState, step: int) -> tuple[Record, ...] | None:
    """Leave nothing; once it is known that the operation was not correct, nobody knows."""
    return None if state.step(step).failed else ()


def _was_not(state: EpisodeState, step: int) -> bool:
    return state.step(step).restored is None


PROGRESS_BEFORE = Assumption(nothing, _any)
"""plan(t): decide(t) is shown TP(t-1), as equation 3 has it, whatever TP(t) becomes."""
NOT_RESTORED = Assumption(_nothing_unless_failed, _was_not)
"""restore(t): there is nothing to restore."""
