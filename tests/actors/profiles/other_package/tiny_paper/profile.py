"""The loop: one agent, and a stage between its decision and the action, which leaves data of a type of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from manyhands.actors.episode.endings import End, limit_reached
from manyhands.actors.episode.profile import Profile, Stage
from manyhands.actors.episode.schedule import GraphStop, Node, StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import ACT_STAGE, CAPTURE_STAGE
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.native import Chat, ShownStep, family_form
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import ActingRole, StepRole
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.journals.records import ActionDecided, Record, ScreenCaptured
from manyhands.protocol.roles.requests import Decision, ScreenRequest
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import NONE_YET
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeOrder
from tiny_paper.declaration import DECLARATION, TinyReply


class TinyRequest(ScreenRequest[Decision]):
    role = Role.DECIDE

    reviews: tuple[str, ...]
    """What was said of all decisions so far."""


class TinyAgent(ActingRole[TinyRequest, TinyReply]):
    """Chooses an action by the picture and what was said of those before, in the form of the model's family."""

    writes = TinyReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: TinyRequest, images: Sequence[ModelImage]) -> Prompt:
        remarks, form = "\n".join(request.reviews), family_form(prompts)
        if form is None:
            return prompts.of_step(request, *images, own={"reviews": remarks or NONE_YET})
        step = ShownStep(screenshot=request.screenshot, image=images[0], told=remarks)
        return form.render(Chat(brief=request.brief, steps=(step,), dialect=prompts.dialect, actions=prompts.actions))


class Review(Message):
    """Say something of a decision: what the stage ``review`` leaves."""

    remark: str


def reviews(state: EpisodeState, step: int) -> tuple[str, ...]:
    """Return the remarks before a step."""
    found = (state.step(number).result("review", Review) for number in range(step))
    return tuple(review.remark for review in found if review is not None)


async def decide(context: StageContext) -> Sequence[Record]:
    """Return a(t) from s(t) and all remarks before. Raises ModelError, CallError."""
    screenshot = context.state.step(context.step).screenshot
    assert screenshot is not None
    request = TinyRequest(brief=context.brief, screenshot=screenshot, reviews=reviews(context.state, context.step))
    timed = await context.ask(request, context.runtime.picture(context.step).image)
    answered = timed.value
    span = timed.span(answered.queue_ms)
    return [ActionDecided(step=context.step, span=span, decision=answered.value, calls=answered.calls)]


async def review(context: StageContext) -> Sequence[Record]:
    """Return a remark on the decision."""
    decision = context.state.step(context.step).decision
    assert decision is not None
    name = "nothing" if decision.action is None else decision.action.name
    return [context.result(Review(remark=f"Step {context.step}: {name}"), context.span())]


def agents(settings: EpisodeSettings) -> tuple[type[StepRole[Any, Any, Any]], ...]:
    return (TinyAgent,)


def stages(settings: EpisodeSettings) -> tuple[Stage, ...]:
    return (
        Stage("decide", (StageNeed("capture"),), run=decide, deadline_s=180),
        Stage("review", (StageNeed("decide"),), run=review, leaves=(Review,)),
        replace(ACT_STAGE, needs=(StageNeed("decide"), StageNeed("review"))),
        CAPTURE_STAGE,
    )


def stop_after(record: Record, state: EpisodeState, order: EpisodeOrder) -> GraphStop[End] | None:
    """Return whether the episode ends: by the agent's Stop, or at a limit."""
    match record:
        case ActionDecided(decision=decision) if decision.action is not None and decision.action.name == "Stop":
            return GraphStop(End(Ending.FINISHED, f"tiny agent: {decision.thought}"), Node("decide", record.step))
        case ScreenCaptured() if record.step > 0:
            end = limit_reached(state, record.step - 1, order.task.limits, judged=False)
            return None if end is None else GraphStop(end, Node("decide", record.step))
    return None


PROFILE = Profile(declaration=DECLARATION, package="tiny_paper", agents=agents, stages=stages, stop_after=stop_after)
