"""When and how an episode ends: by what was said, by a limit, or by an error."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.actors.episode.behind import StoreLost
from manyhands.actors.episode.schedule import Node, Stop
from manyhands.actors.episode.state import EpisodeState
from manyhands.protocol import actions
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import (
    CallError,
    LeaseLost,
    ManyhandsError,
    ModelAway,
    ModelError,
    PerceptionError,
    PhoneError,
    ReplyUnusable,
)
from manyhands.protocol.records import Acted, Decided, Planned, Record, Reflected
from manyhands.protocol.tasks import Limits


@dataclass(frozen=True, slots=True)
class End:
    """Why an episode ends; ``reason`` is one line for people."""

    ending: Ending
    reason: str


def stop_after(record: Record, state: EpisodeState, limits: Limits, paper_exact: bool) -> Stop[End] | None:
    """Whether the episode ends with ``record``, which ``state`` has already folded in, and where.

    A limit (Mobile-Agent-E, section 4.2: ways to exit) takes effect before the next step's operator, so that the
    planner may still find the goal reached by the last action; with ``paper_exact``, before the planner.
    """
    match record:
        case Planned(plan=plan) if plan.status == "finished":
            return Stop(End(Ending.FINISHED, f"planner: {plan.thought}"), Node("plan", record.step))
        case Planned(plan=plan) if plan.status == "impossible":
            return Stop(End(Ending.IMPOSSIBLE, f"planner: {plan.thought}"), Node("plan", record.step))
        case Decided(decision=decision) if paper_exact and decision.action is None:
            return Stop(End(Ending.UNUSABLE_REPLY, f"operator: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, actions.Stop):
                return Stop(End(Ending.FINISHED, f"operator: {decided.thought}"), Node("act", record.step))
        case Reflected():
            end = _limit_reached(state, record.step, limits, paper_exact)
            return None if end is None else Stop(end, Node("plan" if paper_exact else "decide", record.step + 1))
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


def end_of_lost_store(error: ManyhandsError) -> End:
    """A journal that could not be written: by a store that is gone, or to a folder that takes nothing."""
    return End(Ending.HOST_LOST if isinstance(error, StoreLost) else Ending.INTERNAL_ERROR, str(error))


def end_of_failure(stage: str, error: ManyhandsError, paper_exact: bool) -> End | None:
    """How the episode ends when ``stage`` raised ``error``; None if it goes on without that stage's result.

    It goes on without a note, and with the former plan after a reply that is no plan. Without its store's process
    a host is lost too: the task says nothing of it, and another attempt may do better.
    """
    reason = f"{stage}: {error}"
    if isinstance(error, StoreLost):
        return End(Ending.HOST_LOST, reason)
    if isinstance(error, ReplyUnusable) and paper_exact:
        return End(Ending.UNUSABLE_REPLY, reason)
    if isinstance(error, LeaseLost):
        return End(Ending.LEASE_LOST, reason)
    if isinstance(error, ModelAway):
        return End(Ending.NO_MODEL, reason)
    if stage == "note" and isinstance(error, ModelError | CallError):
        return None
    if stage == "plan" and isinstance(error, ReplyUnusable):
        return None
    if isinstance(error, ModelError):
        return End(Ending.MODEL_FAILED, reason)
    if isinstance(error, PerceptionError) or (stage == "perceive" and isinstance(error, CallError | PhoneError)):
        return End(Ending.PERCEPTION_FAILED, reason)
    if isinstance(error, PhoneError):
        return End(Ending.PHONE_LOST, reason)
    if isinstance(error, CallError):
        model = stage in ("plan", "decide", "verify")
        return End(Ending.MODEL_FAILED if model else Ending.PHONE_LOST, reason)
    return End(Ending.INTERNAL_ERROR, f"{stage}: {error.code}: {error}")
