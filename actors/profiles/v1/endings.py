"""What ends an episode of v1: the agent's Stop, once it has found that all is done, or a limit."""

from __future__ import annotations

from manyhands.actors.episode.endings import End
from manyhands.actors.episode.limits import unjudged_limit_reached
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol.base import Ending
from manyhands.protocol.records import Acted, Captured, Decided, Record
from manyhands.protocol.runs import EpisodeOrder


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> Stop[End] | None:
    """Return whether the episode ends with ``record``, and where. A limit ends it before the next question."""
    match record:
        case Decided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return Stop(End(Ending.UNUSABLE_REPLY, f"agent: {decision.problem}"), Node("decide", record.step))
        case Acted():
            confirmed = state.step(record.step).results.get("confirm", {})
            if confirmed.get("complete"):
                return Stop(End(Ending.FINISHED, f"agent: {confirmed['thought']}"), Node("act", record.step))
        case Captured() if record.step > 0:
            end = unjudged_limit_reached(state, record.step - 1, order.task.limits)
            return None if end is None else Stop(end, Node("decide", record.step))
    return None
