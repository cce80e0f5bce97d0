"""The operator: one action for the current subgoal (Operator in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from typing import ClassVar

from actors.frames import ModelImage
from actors.memory import ShortcutUnusable
from actors.mllm.actions import NotAnAction, read_action
from actors.mllm.dialects import OutsideScreen
from actors.roles.base import ModelRole
from protocol.base import Role
from protocol.errors import ReplyUnusable
from protocol.messages import Answered, CallContext, DecideRequest, Decision, ModelCall
from protocol.replies import DecideReply


class Operator(ModelRole):
    """Implements ``actors.seams.Operator``."""

    role: ClassVar[Role] = Role.DECIDE

    async def decide(self, request: DecideRequest, image: ModelImage, context: CallContext) -> Answered[Decision]:
        """An action in pixels of the screenshot, or the reason why the model's answer is none.

        Raises ModelUnreachable, ModelRefused.
        """
        prompt = self._prompts.decide(request, image)
        try:
            asked = await self.ask(DecideReply, prompt, request.screenshot.serial, context)
        except ReplyUnusable as error:
            problem = f"not a valid action: {error}"
            return _answered(Decision(thought="", action=None, expectation="", problem=problem), error.calls)
        return _answered(self._read(asked.reply, request), (asked.call,))

    def _read(self, reply: DecideReply, request: DecideRequest) -> Decision:
        try:
            action = read_action(reply.action, self.dialect, request.screenshot.size, request.brief.shortcuts)
        except (NotAnAction, OutsideScreen, ShortcutUnusable) as error:
            problem = f"not a valid action: {error}"
            return Decision(thought=reply.thought, action=None, expectation=reply.expectation, problem=problem)
        return Decision(thought=reply.thought, action=action, expectation=reply.expectation)


def _answered(decision: Decision, calls: tuple[ModelCall, ...]) -> Answered[Decision]:
    return Answered[Decision](value=decision, calls=calls, queue_ms=sum(call.queue_ms for call in calls))
