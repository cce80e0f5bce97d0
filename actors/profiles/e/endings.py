"""What ends an episode of Mobile-Agent-E: a planner's or operator's decision, or a limit."""

from __future__ import annotations

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.limits import limit_reached
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol import actions
from manyhands.protocol.base import Ending
from manyhands.protocol.records import Acted, Decided, Planned, Record, Reflected
from manyhands.protocol.runs import EpisodeOrder


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
            if not order.settings.has("reflector"):
                end = limit_reached(state, record.step, order.task.limits, exact)
                return None if end is None else Stop(end, Node("act", record.step))
        case Reflected():
            end = limit_reached(state, record.step, order.task.limits, exact)
            # There is no stage of a planner that is left out.
            next_stage = "plan" if exact and order.settings.has("planner") else "decide"
            return None if end is None else Stop(end, Node(next_stage, record.step + 1))
    return None
