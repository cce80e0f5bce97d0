"""Ask the agent of ``native``, which judges its last action and chooses the next one in one answer, and the planner.

``OwnForm`` is the chat in our own words, for models that are asked for one of our formats. The planner is asked in a
few steps only, outside the chat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.native import Chat, NativeForm, ShownStep, family_form
from manyhands.actors.mllm.native.family import NOTHING
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.mllm.request.bodies import ChatTurn
from manyhands.actors.profiles.native.requests import ActRequest, StepSoFar
from manyhands.actors.prompts import Prompts, brief_parts
from manyhands.actors.roles import ActingRole, Planner
from manyhands.actors.roles.base import RoleQuestion, meant
from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.requests import Brief, Decision, OwnVerdict, PlanRequest, ReplyContext
from manyhands.protocol.roles.sections import ListedScreen, action_json, harmless, one_line, screen_head
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.geometry import Size


class NativeAgent(ActingRole[Any, Any]):
    """Judge and act in one chat. The agent keeps no state of any episode."""

    writes = NativeReply
    also_writes = (*ActingRole.also_writes, NativeFirstReply)

    @classmethod
    def shows(cls, settings: EpisodeSettings, usual: Size) -> tuple[Size, ...]:
        """Return the sizes of the pictures of the largest chat."""
        return (usual,) * settings.chat_pictures if settings.shows_pictures else ()

    def reply(self, request: ActRequest) -> type[Reply]:
        """Return the type of the reply that a request asks for."""
        asks = request.steps[-1].asks_verdict and form_of(self._prompts).judges and not self._card
        return self._offered(NativeReply if asks else NativeFirstReply)

    @classmethod
    def prompt(cls, prompts: Prompts, request: ActRequest, images: Sequence[ModelImage]) -> Prompt:
        """Return the chat so far. ``images``: those of the steps that show one."""
        pictures = iter(images)
        chat = Chat(
            brief=request.brief,
            steps=tuple(
                _step(
                    one,
                    pictures,
                    now=one is request.steps[-1],
                    remarks=_tell_action(before, one, request.brief, prompts.dialect),
                )
                for before, one in zip((None, *request.steps), request.steps, strict=False)
            ),
            dialect=prompts.dialect,
            actions=prompts.actions,
            first=request.first,
        )
        return form_of(prompts).render(chat)

    @classmethod
    def read(cls, reply: Any, reply_context: ReplyContext, dialect: Dialect) -> Decision:
        """Return the decision of a reply, with its verdict on the action before."""
        return _with_verdict(super().read(reply, reply_context, dialect), reply)

    def question(self, request: ActRequest, images: Sequence[ModelImage]) -> RoleQuestion[Any, Decision]:
        """Return the question, in the form of the model's family.

        A card in the place of the system text says nothing of verdicts, so none is asked for.
        """
        if self._card:
            unasked = tuple(step.model_copy(update={"asks_verdict": False}) for step in request.steps)
            request = request.model_copy(update={"steps": unasked})
        prompt = self.prompt(self._prompts, request, images)
        if self._card:
            system = form_of(self._prompts).own_system(self._card, request.brief)
            prompt = replace(prompt, system=system, to_the_letter=True)
        return RoleQuestion(
            prompt=prompt,
            reply=self.reply(request),
            read=lambda reply: self._judged(reply, request),
            doubt=lambda decision: _doubt(decision, request),
        )

    @property
    def _card(self) -> str:
        """Return the system text of the model's card; empty if the run has none."""
        return self._client.settings.system_prompt

    def _judged(self, reply: Any, request: ActRequest) -> tuple[Decision, str | None]:
        """Return the decision of a reply with its verdict, and what is wrong with the reply."""
        decision, problem = self._value(reply, request.reply_context)
        return _with_verdict(decision, reply), problem


def form_of(prompts: Prompts) -> NativeForm:
    """Return the form in which a model is asked: that of its family if the settings say so, or else ours."""
    return family_form(prompts) or OwnForm(prompts)


def _doubt(decision: Decision, request: ActRequest) -> str | None:
    """Return why the verdict of a decision is wrong: it is A although the action certainly changed nothing."""
    wrong = request.unchanged and decision.verdict is not None and decision.verdict.outcome is Outcome.A
    return f"the outcome cannot be A. {request.unchanged}" if wrong else None


def _tell_action(before: StepSoFar | None, one: StepSoFar, brief: Brief, dialect: Dialect) -> str:
    """Return what the model is told of the action before. That of a person or a flow is named, in its coordinates.

    A model without pictures is told what its tap touched, because numbers of an old list say nothing.
    """
    if before is None or one.other_action is None:
        return " ".join(filter(None, (f"You tapped {one_line(one.touched)}." if one.touched else "", one.told)))
    action = write_action(one.other_action, dialect, before.screenshot.size, brief.shortcuts)
    return f"{one.told} It was {harmless(action_json(action))}."


def _step(one: StepSoFar, images: Iterator[ModelImage], now: bool, remarks: str) -> ShownStep:
    return ShownStep(
        screenshot=one.screenshot,
        image=next(images) if one.shown and one.screen is None else None,
        screen=one.screen,
        told=remarks,
        by_person=one.by_person,
        plan=one.plan,
        subgoal=one.subgoal,
        asks_verdict=one.asks_verdict,
        reply=None if now else one.reply,
        decision=one.decision,
    )


def _with_verdict(decision: Decision, reply: Any) -> Decision:
    """Return the decision with what the reply says of the action before and of the screen."""
    if isinstance(reply, NativeFirstReply):
        verdict = OwnVerdict(outcome=None, notes=meant(reply.notes))
    elif isinstance(reply, NativeReply):
        verdict = OwnVerdict(
            outcome=reply.outcome,
            reason=meant(reply.change),
            progress=meant(reply.progress),
            notes=meant(reply.notes),
            subgoal_reached=reply.subgoal == "reached",
        )
    else:  # the answer of a task
        return decision
    return decision.model_copy(update={"verdict": verdict, "observation": verdict.reason})


class OwnForm(NativeForm):
    """Explain everything in one system text. Each turn shows a picture, and says what is known of the last action."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def render(self, chat: Chat) -> Prompt:
        system = self._prompts.system(chat.now.screenshot.size)
        brief = self._prompts.text("brief", brief_parts(chat.brief))
        turns = tuple(
            ChatTurn(before.reply or NOTHING, self._shown(step, first=False)) for before, step in pairwise(chat.steps)
        )
        size = (self._screen_size(chat),) if self._prompts.shows_pictures else ()
        return Prompt(system, (brief, *size, *self._shown(chat.steps[0], first=True)), turns)

    def _screen_size(self, chat: Chat) -> str:
        extent = chat.dialect.extent(chat.steps[0].screenshot.size)
        screen = screen_head(ListedScreen(width=extent.width, height=extent.height, elements=()))
        return self._prompts.text("screen", {"screen": screen})

    def _shown(self, step: ShownStep, first: bool) -> tuple[str | ModelImage, ...]:
        text = self._prompts.text(
            "step",
            {
                "first": first,
                "shown": step.image is not None or step.screen is not None,
                "in_words": not self._prompts.shows_pictures,
                "told": step.told,
                "app": self._prompts.app_in_front(step.screenshot),
                "plan": harmless(step.plan),
                "subgoal": harmless(step.subgoal),
                "keyboard": step.screenshot.keyboard == "shown",
                "asks_verdict": step.asks_verdict,
            },
        )
        if step.screen is not None:
            screen = self._prompts.screen_text(step.screen, step.screenshot)
            return (self._prompts.text("screen", {"screen": screen}), text)
        return (text,) if step.image is None else (step.image, text)


class ChatPlanner(Planner):
    """Plan with a system text of its own, because the chat's is for the agent."""

    @classmethod
    def shows(cls, settings: EpisodeSettings, usual: Size) -> tuple[Size, ...]:
        return super().shows(settings, usual) if settings.shows_pictures else ()

    @classmethod
    def prompt(cls, prompts: Prompts, request: PlanRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen, and what is known of the task."""
        own = {
            **cls.parts(prompts, request),
            "told": request.brief.told,
            "pictures": request.screen is None,
            "format": prompts.format(cls.writes, request.screenshot.size),
        }
        brief = prompts.text("brief", brief_parts(request.brief))
        listed: tuple[str, ...] = ()
        if request.screen is not None:
            listed = (prompts.text("screen", {"screen": prompts.screen_text(request.screen, request.screenshot)}),)
        return Prompt(prompts.text("plan_system", {}), (brief, *images, *listed, prompts.text(cls.role.value, own)))
