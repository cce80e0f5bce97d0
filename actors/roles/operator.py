"""Choose one action for the current subgoal (Operator in Mobile-Agent-E, section 3.1).

In every profile, the role that chooses actions also gives the answer of a task that asks for information.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar, cast

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.prompts import Parts, Prompts, or_left_out, or_none_yet
from manyhands.actors.roles.base import RoleQuestion, StepRole
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles.replies import ActingReply, AnswerReply, answer_reply
from manyhands.protocol.roles.requests import AnswerRequest, DecideRequest, Decision, ReplyContext, Request
from manyhands.protocol.roles.role import DecideReply, Role
from manyhands.protocol.roles.sections import NONE_YET, one_line
from manyhands.protocol.screens.actions import BaseAtomicAction, ClickText
from manyhands.protocol.tasks.answers import AnswerSpec, GivenAnswer

Q = TypeVar("Q", bound=Request[Any])
R = TypeVar("R", bound=ActingReply)

_NO_ACTION = "not a valid action"


def _answer_question(
    prompts: Prompts, request: AnswerRequest, images: Sequence[ModelImage]
) -> RoleQuestion[AnswerReply, GivenAnswer]:
    """Return the question for an answer that fits.

    A reply that does not fit is sent back to the model once, with the reason.
    """
    return RoleQuestion(
        prompt=answer_prompt(prompts, request, images),
        reply=answer_reply(request.wanted.wanted),
        read=lambda reply: (_read_answer(reply, request.wanted), None),
    )


def answer_prompt(prompts: Prompts, request: AnswerRequest, images: Sequence[ModelImage]) -> Prompt:
    """Show the goal, the last screen, all that is known, and the schema of the answer.

    The prompt needs no system text of a profile, because nothing more is done on the phone.
    """
    screen, brief = request.screen, request.brief
    task: Parts = {"goal": or_none_yet(brief.goal), "hints": or_none_yet(brief.hints, "None")}
    own: Parts = {
        "screen": None if screen is None else prompts.screen_text(screen, request.screenshot),
        "progress": or_none_yet(request.progress),
        "notes": or_none_yet(request.notes),
        "history": prompts.history(request.history, request.screenshot.size, brief.shortcuts) or "None",
        "schema": json.dumps(request.wanted.wanted, ensure_ascii=False),
        "given": or_none_yet(request.given) if request.given else None,
        "problem": one_line(request.problem),
        "pictures": request.pictures,
        "format": prompts.format(AnswerReply, request.screenshot.size),
    }
    return Prompt("", (prompts.text("answer_brief", task), *images, prompts.text("answer", own)))


def _read_answer(reply: AnswerReply, spec: AnswerSpec | None) -> GivenAnswer:
    """Return the answer of a reply. Raises ReplyUnusable if the answer does not fit ``spec``.

    Without ``spec``, any answer fits.
    """
    problem = None if spec is None else spec.problem(reply.answer)
    if problem is not None:
        raise ReplyUnusable(problem)
    return GivenAnswer.of(reply.answer)


class ActingRole(StepRole[Q, R, Decision]):
    """Choose an action, in pixels of the screenshot. If the reply has no valid action, say why."""

    role = Role.DECIDE
    also_writes: ClassVar[tuple[type[Reply], ...]] = (AnswerReply,)

    @classmethod
    def read(cls, reply: R, reply_context: ReplyContext, dialect: Dialect) -> Decision:
        """Return the decision of a reply, or the answer of an AnswerReply.

        Raises NotAnAction, OutsideScreen, ShortcutUnusable.
        """
        if isinstance(reply, AnswerReply):
            return cast("Decision", _read_answer(reply, None))
        action, *following = (
            read_action(one, dialect, reply_context.size, reply_context.shortcuts, reply_context.elements)
            for one in (reply.action, *reply.following)
        )
        for one in following:
            if not isinstance(one, BaseAtomicAction | ClickText):
                raise NotAnAction(f"{one.name} follows no other action; choose it alone")
        return _decision(reply, action=action, then=tuple(following))

    async def answer(self, request: Q, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        """Answer with an action, or with a Decision that has a problem. Raises ModelUnreachable, ModelRefused.

        An AnswerRequest asks for the answer of a task. Then the Decision holds that answer, in every profile, and an
        invalid reply raises ReplyUnusable.
        """
        if isinstance(request, AnswerRequest):
            question = _answer_question(self._prompts, request, images)
            return cast("Answered[Decision]", await self.ask(question, request.serial, context))
        try:
            return await super().answer(request, context, *images)
        except ReplyUnusable as error:
            none = Decision(thought="", action=None, expectation="", problem=f"{_NO_ACTION}: {error}")
            return Answered(value=none, calls=error.calls, queue_ms=sum(call.queue_ms for call in error.calls))

    def _value(self, reply: R, reply_context: ReplyContext) -> tuple[Decision, str | None]:
        try:
            return super()._value(reply, reply_context)
        except (NotAnAction, OutsideScreen, ShortcutUnusable) as error:
            problem = f"{_NO_ACTION}: {error}"
            return _decision(reply, action=None, problem=problem), problem


def _decision(reply: ActingReply, **more: Any) -> Decision:
    """Return a decision with the observation, thought and expectation of ``reply``."""
    fields = reply.model_dump(include={"observation", "thought", "expectation"})
    return Decision(**{"expectation": "", "answer": reply.final_words, **fields, **more})


class Operator(ActingRole[DecideRequest, DecideReply]):
    """Choose one action for the current subgoal."""

    writes = DecideReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: DecideRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the current screen and its elements (equation 4)."""
        plan, past = request.plan, request.history
        if past is not None:
            lines = prompts.history(past, request.screenshot.size, request.brief.shortcuts)
        own: Parts = {
            "plan": None if plan is None else or_none_yet(plan.text),
            "subgoal": None if plan is None else or_none_yet(plan.subgoal.text),
            "progress": or_left_out(request.progress),
            "notes": or_left_out(request.notes),
            "history": None if past is None else lines or NONE_YET,
            "lists_elements": request.screen is not None,
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)
