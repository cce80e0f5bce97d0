"""What ends an episode of Mobile-Agent-v2: the decision agent's Stop, or a limit, of which the paper has none."""

from __future__ import annotations

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.limits import limit_reached
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol import actions
from manyhands.protocol.base import Ending
from manyhands.protocol.records import Acted, Decided, Record, Reflected
from manyhands.protocol.runs import EpisodeOrder


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> Stop[End] | None:
    """Return whether the episode ends with ``record``, which ``state`` has already folded in, and where.

    A limit takes effect before a page is restored: nobody goes on from there.
    """
    exact = order.settings.paper_exact
    match record:
        case Decided(decision=decision) if exact and decision.action is None:
            return Stop(End(Ending.UNUSABLE_REPLY, f"decision agent: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, actions.Stop):
                return Stop(End(Ending.FINISHED, f"decision agent: {decided.thought}"), Node("act", record.step))
            if not order.settings.has("reflector"):
                end = limit_reached(state, record.step, order.task.limits, exact)
                return None if end is None else Stop(end, Node("decide", record.step + 1))
        case Reflected():
            end = limit_reached(state, record.step, order.task.limits, exact)
            return None if end is None else Stop(end, Node("restore", record.step))
    return None
