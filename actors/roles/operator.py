"""The operator: one action for the current subgoal (Operator in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import ShortcutUnusable
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.roles.base import ModelRole, Question
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles import DecideReply, DecideRequest, Decision, Role

_NO_ACTION = "not a valid action"


class Operator(ModelRole):
    """Implements ``actors.seams.Operator``."""

    role: ClassVar[Role] = Role.DECIDE

    async def decide(self, request: DecideRequest, image: ModelImage, context: CallContext) -> Answered[Decision]:
        """An action in pixels of the screenshot, or the reason why the model's answer is none.

        Raises ModelUnreachable, ModelRefused.
        """
        question = Question(
            prompt=self._prompts.decide(request, image),
            reply=DecideReply,
            read=partial(self._decision, request),
            problem=lambda decision: decision.problem,
        )
        try:
            return await self.ask(question, request.screenshot.serial, context)
        except ReplyUnusable as error:
            none = Decision(thought="", action=None, expectation="", problem=f"{_NO_ACTION}: {error}")
            return Answered(value=none, calls=error.calls, queue_ms=sum(call.queue_ms for call in error.calls))

    def _decision(self, request: DecideRequest, reply: DecideReply) -> Decision:
        try:
            screen, shortcuts = request.screen, request.brief.shortcuts
            action = read_action(reply.action, self.dialect, screen.size, shortcuts, screen.elements)
        except (NotAnAction, OutsideScreen, ShortcutUnusable) as error:
            problem = f"{_NO_ACTION}: {error}"
            return Decision(thought=reply.thought, action=None, expectation=reply.expectation, problem=problem)
        return Decision(thought=reply.thought, action=action, expectation=reply.expectation)
