"""The limits of an episode (Mobile-Agent-E, section 4.2: ways to exit), for every profile."""

from __future__ import annotations

from itertools import takewhile

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Ending
from manyhands.protocol.tasks import Limits

NOTHING_CHANGED = "nothing on the screen has changed"


def limit_reached(state: EpisodeState, step: int, limits: Limits, paper_exact: bool) -> End | None:
    """Return the limit that is reached with ``step`` where verdicts tell what failed; None where it may go on."""
    failures = state.failures_in_a_row(step)
    if failures >= limits.max_failures:
        (last,) = state.history(step + 1, 1)
        return End(Ending.FAILURE_LIMIT, f"{failures} failed steps in a row; the last: {last.error}")
    if paper_exact:
        repeated = _too_many_equal(state, step, limits)
    else:
        # An action that did what was expected of it may be wanted again: three taps on a plus sign.
        failed = sum(at.failed for at in state.equal_actions(step))
        said = f"the same action in a row failed {failed} times"
        repeated = End(Ending.REPEAT_LIMIT, said) if failed >= limits.max_repeats else None
    return repeated or _too_many_steps(step, limits)


def unjudged_limit_reached(state: EpisodeState, step: int, limits: Limits) -> End | None:
    """Return the limit that is reached with ``step`` where nobody judges; None where it may go on.

    What came of an action is known only as far as the phone shows it. Of equal actions all count.
    """
    vain = list(takewhile(lambda why: why is not None, (_in_vain(state, one) for one in range(step, -1, -1))))
    if len(vain) >= limits.max_failures:
        return End(Ending.FAILURE_LIMIT, f"{len(vain)} actions in a row came to nothing; the last: {vain[0]}")
    return _too_many_equal(state, step, limits) or _too_many_steps(step, limits)


def _in_vain(state: EpisodeState, step: int) -> str | None:
    """Return why the action of ``step``, after which the screen was captured, came to nothing; None if it did not."""
    at = state.step(step)
    if at.acted is not None and at.acted.problem is not None:
        return at.acted.problem
    touched = at.decision is not None and at.decision.action is not None and at.decision.action.touches
    return NOTHING_CHANGED if touched and state.unchanged(step + 1) else None


def _too_many_equal(state: EpisodeState, step: int, limits: Limits) -> End | None:
    """Count whatever came of them, as the paper does, which lets an action be sent more than max_repeats times."""
    equal = state.equal_actions(step)
    if len(equal) <= limits.max_repeats:
        return None
    return End(Ending.REPEAT_LIMIT, f"the same action {len(equal)} times in a row")


def _too_many_steps(step: int, limits: Limits) -> End | None:
    if step + 1 < limits.max_steps:
        return None
    return End(Ending.STEP_LIMIT, f"{step + 1} steps without reaching the goal")
