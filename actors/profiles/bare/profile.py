"""The loop of a bare model: look, decide, act."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from manyhands.actors.episode.atoms import atoms_of
from manyhands.actors.episode.endings import End
from manyhands.actors.episode.limits import unjudged_limit_reached
from manyhands.actors.episode.profile import Profile, Stage
from manyhands.actors.episode.schedule import Need, Node, Stop
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.memory import ShortcutAction
from manyhands.actors.profiles.bare.agent import BareOperator, BareRequest, OwnAction
from manyhands.actors.roles import StepRole
from manyhands.protocol import actions
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.records import Acted, Captured, Decided, Record
from manyhands.protocol.runs import EpisodeOrder, EpisodeSettings

ASKING_S = 180.0
"""How long the model may take to answer."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the one that is asked."""
    return (BareOperator,)


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t) from s(t), the goal and all actions before. Raises ModelError, CallError."""
    state, step, episode = context.state, context.step, context.episode
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    request = BareRequest(brief=episode.brief, screenshot=screenshot, history=_history(state, step))
    timed = await context.ask(request, episode.picture(step).image)
    answered = timed.value
    return (Decided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),)


def _history(state: EpisodeState, step: int) -> tuple[OwnAction, ...]:
    decided = ((number, state.step(number).decision) for number in range(step))
    return tuple(
        OwnAction(step=number, action=one.action, expectation=one.expectation)
        for number, one in decided
        if one is not None
    )


def own_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision. Nobody perceives here, so an app is never opened by its label."""
    at = context.state.step(context.step)
    assert at.decision is not None
    assert at.decision.action is not None
    return atoms_of(at.decision.action, at.seen, (), paper_exact=False)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages: decide(t) from s(t); act(t); capture(t), s(t). Each waits for the one before."""
    return (
        Stage(
            "decide",
            (Need("capture"),),
            run=decide,
            deadline_s=ASKING_S,
            failures=((CallError, Ending.MODEL_FAILED),),
        ),
        replace(ACT_STAGE, needs=(Need("decide"),), run=partial(act, atoms=own_atoms)),
        CAPTURE_STAGE,
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> Stop[End] | None:
    """Return whether the episode ends: by the model's own Stop, or at a limit, before the next decision."""
    match record:
        case Decided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return Stop(End(Ending.UNUSABLE_REPLY, f"model: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, actions.Stop):
                return Stop(End(Ending.FINISHED, f"model: {decided.thought}"), Node("act", record.step))
        case Captured() if record.step > 0:
            end = unjudged_limit_reached(state, record.step - 1, order.task.limits)
            return None if end is None else Stop(end, Node("decide", record.step))
    return None


PROFILE = Profile(
    name="bare",
    paper="a bare model",
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
)
