"""Run a bare model without an agent: one call for each step, with the goal, a screenshot and the model's history.

The loop looks, decides and acts. The model chooses by the current screen and by its own past actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import Field

from manyhands.actors.episode.endings import End, limit_reached
from manyhands.actors.episode.profile import Profile, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import ACT_STAGE, capture_stage
from manyhands.actors.episode.stages.act import act
from manyhands.actors.episode.stages.atomic_actions import atoms_of
from manyhands.actors.episode.state import BY_PERSON, EpisodeState
from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import ShortcutAction
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import ActingRole, StepRole
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.errors import CallError
from manyhands.protocol.journals.records import Acted, ActionDecided, Record, ScreenCaptured
from manyhands.protocol.profiles.bare import DECLARATION, BareReply
from manyhands.protocol.roles.requests import Decision, ScreenRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import NONE_YET, ActionLine, ListedScreen, action_line, screen_head
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.geometry import Size


class OwnAction(Message):
    """Describe a step by the model's own output."""

    step: int = Field(ge=0)
    action: Action | None
    """None if the model's output was no action."""
    expectation: str
    problem: str = ""
    """Why it was not carried out. A model is not told: it sees the screen."""


class BareRequest(ScreenRequest[Decision]):
    role = Role.DECIDE

    history: tuple[OwnAction, ...]
    """All steps so far."""


class BareOperator(ActingRole[BareRequest, BareReply]):
    """Choose an action by the picture alone."""

    writes = BareReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: BareRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen."""
        size = request.screenshot.size
        extent = prompts.dialect.extent(size)
        own = {
            "app": prompts.app_in_front(request.screenshot),
            "screen": screen_head(ListedScreen(width=extent.width, height=extent.height, elements=())),
            "history": "\n".join(_action_line(one, prompts.dialect, size) for one in request.history) or NONE_YET,
        }
        return prompts.of_step(request, *images, own=own)


def _action_line(own_action: OwnAction, dialect: Dialect, size: Size) -> str:
    encoded = None if own_action.action is None else write_action(own_action.action, dialect, size, ())
    return f"Step {own_action.step} | {action_line(ActionLine(action=encoded, expectation=own_action.expectation))}"


ASKING_S = 180.0
"""How long the model may take to answer, in seconds."""


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    """Return the one agent of this loop."""
    return (BareOperator,)


async def decide(context: StageContext) -> tuple[Record, ...]:
    """Return a(t), decided from s(t), the goal and all earlier actions. Raises ModelError, CallError."""
    state, step, runtime = context.state, context.step, context.runtime
    screenshot = state.step(step).screenshot
    assert screenshot is not None
    history = _history(state, step)
    request = BareRequest(brief=context.brief, circling=context.circling, screenshot=screenshot, history=history)
    timed = await context.ask(request, runtime.picture(step).image)
    answered = timed.value
    return (
        ActionDecided(step=step, span=timed.span(answered.queue_ms), decision=answered.value, calls=answered.calls),
    )


def _history(state: EpisodeState, step: int) -> tuple[OwnAction, ...]:
    own_actions: list[OwnAction] = []
    for number in range(step):
        at = state.step(number)
        if at.decision is not None:
            decision, problem = at.decision, "" if at.acted is None else at.acted.problem or ""
            own_actions.append(
                OwnAction(step=number, action=decision.action, expectation=decision.expectation, problem=problem)
            )
        elif at.person and not at.all_refused:
            own_actions.append(OwnAction(step=number, action=at.sent[0].action, expectation=BY_PERSON))
    return tuple(own_actions)


def _own_atoms(context: StageContext) -> tuple[ShortcutAction, ...]:
    """Return the atoms of the decision.

    This loop has no perception, so it cannot open an app by its icon on the screen.
    """
    at = context.state.step(context.step)
    assert at.decision is not None
    assert at.decision.action is not None
    return atoms_of(at.decision.action, at.visible_screen, (), paper_exact=False)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    """Return the stages: decide(t) from s(t); act(t); capture(t), which makes s(t). Each waits for the one before."""
    return (
        Stage(
            "decide",
            (StageNeed("capture"),),
            run=decide,
            deadline_s=ASKING_S,
            failures=((CallError, Ending.MODEL_FAILED),),
        ),
        replace(ACT_STAGE, needs=(StageNeed("decide"),), run=partial(act, atoms=_own_atoms)),
        capture_stage(shows_elements=False),
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends: by the model's Stop, or at a limit, before the next decision."""
    match record:
        case ActionDecided(decision=decision) if order.settings.paper_exact and decision.action is None:
            return GraphStop(End(Ending.UNUSABLE_REPLY, f"model: {decision.problem}"), Node("decide", record.step))
        case Acted():
            decided = state.step(record.step).decision
            if decided is not None and isinstance(decided.action, actions.Stop):
                return GraphStop(End(Ending.FINISHED, f"model: {decided.thought}"), Node("act", record.step))
        case ScreenCaptured() if record.step > 0:
            exact = order.settings.paper_exact
            end = limit_reached(state, record.step - 1, order.task.limits, judged=False, paper_exact=exact)
            return None if end is None else GraphStop(end, Node("decide", record.step))
    return None


PROFILE = Profile(
    declaration=DECLARATION,
    package=__package__,
    agents=agents,
    stages=stages,
    stop_after=stop_after,
)
