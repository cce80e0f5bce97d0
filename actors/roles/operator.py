"""The operator: one action for the current subgoal (Operator in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import history, or_none_yet
from manyhands.actors.roles.base import StepRole
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles import DecideReply, DecideRequest, Decision, Known, Role
from manyhands.protocol.sections import NONE_YET

_NO_ACTION = "not a valid action"


class Operator(StepRole[DecideRequest, DecideReply, Decision]):
    """Answers with an action in pixels of the screenshot, or with the reason why the model's reply has none."""

    role = Role.DECIDE

    @classmethod
    def prompt(cls, prompts: Prompts, request: DecideRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen now and its elements (equation 4)."""
        past = history(request.history, prompts.dialect, request.screenshot.size, request.brief.shortcuts)
        own = {
            "plan": or_none_yet(request.plan.text),
            "subgoal": or_none_yet(request.plan.subgoal.text),
            "progress": or_none_yet(request.progress),
            "notes": or_none_yet(request.notes),
            "history": past or NONE_YET,
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen), own=own)

    @classmethod
    def read(cls, reply: DecideReply, known: Known, dialect: Dialect) -> Decision:
        """Return the decision that a reply means. Raises NotAnAction, OutsideScreen, ShortcutUnusable."""
        action = read_action(reply.action, dialect, known.size, known.shortcuts, known.elements)
        return Decision(thought=reply.thought, action=action, expectation=reply.expectation)

    async def answer(self, request: DecideRequest, context: CallContext, *images: ModelImage) -> Answered[Decision]:
        """Answer with an action, or with a Decision that has a problem. Raises ModelUnreachable, ModelRefused."""
        try:
            return await super().answer(request, context, *images)
        except ReplyUnusable as error:
            none = Decision(thought="", action=None, expectation="", problem=f"{_NO_ACTION}: {error}")
            return Answered(value=none, calls=error.calls, queue_ms=sum(call.queue_ms for call in error.calls))

    def _value(self, reply: DecideReply, known: Known) -> tuple[Decision, str | None]:
        try:
            return super()._value(reply, known)
        except (NotAnAction, OutsideScreen, ShortcutUnusable) as error:
            problem = f"{_NO_ACTION}: {error}"
            none = Decision(thought=reply.thought, action=None, expectation=reply.expectation, problem=problem)
            return none, problem
