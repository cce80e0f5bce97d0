"""What ends an episode of Mobile-Agent-E: a planner's or operator's decision, or a limit."""

from __future__ import annotations

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol import actions
from manyhands.protocol.base import Ending
from manyhands.protocol.records import Acted, Decided, Planned, Record, Reflected
from manyhands.protocol.runs import EpisodeOrder
from manyhands.protocol.tasks import Limits


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> Stop[End] | None:
    """Return whether the episode ends with ``record``, which ``state`` has already folded in, and where.

    A limit (Mobile-Agent-E, section 4.2: ways to exit) takes effect before the next step's operator, so that the
    planner may still find the goal reached by the last action; with ``paper_exact``, before the planner.
    """
    exact = order.settings.paper_exact
    match record:
        case Planned(plan=plan) if plan.status == "finished":
            return Stop(End(Ending.FINISHED, f"planner: {plan.thought}"), Node("plan", record.step))
        case Planned(plan=plan) if plan.status == "impossible":
            return Stop(End(Ending.IMPOSSIBLE, f"planner: {plan.thought}"), Node("plan", record.step))
        case Decided(decision=decision) if exact and decision.action is None:
            return Stop(End(Ending.UNUSABLE_REPLY, f"operator: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, actions.Stop):
                return Stop(End(Ending.FINISHED, f"operator: {decided.thought}"), Node("act", record.step))
        case Reflected():
            end = _limit_reached(state, record.step, order.task.limits, exact)
            return None if end is None else Stop(end, Node("plan" if exact else "decide", record.step + 1))
    return None


def _limit_reached(state: EpisodeState, step: int, limits: Limits, paper_exact: bool) -> End | None:
    failures = state.failures_in_a_row(step)
    if failures >= limits.max_failures:
        (last,) = state.history(step + 1, 1)
        return End(Ending.FAILURE_LIMIT, f"{failures} failed steps in a row; the last: {last.error}")
    equal = state.equal_actions(step)
    if paper_exact:
        # The paper counts whatever the verdict, and lets the action be sent more than max_repeats times.
        if len(equal) > limits.max_repeats:
            return End(Ending.REPEAT_LIMIT, f"the same action {len(equal)} times in a row")
    else:
        # An action that did what was expected of it may be wanted again: three taps on a plus sign.
        failed = sum(at.failed for at in equal)
        if failed >= limits.max_repeats:
            return End(Ending.REPEAT_LIMIT, f"the same action in a row failed {failed} times")
    if step + 1 >= limits.max_steps:
        return End(Ending.STEP_LIMIT, f"{step + 1} steps without reaching the goal")
    return None
