"""The reflector: what became of the latest action (Action Reflector in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.roles.base import ModelRole, Question, meant
from manyhands.protocol.base import Outcome
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles import Reflection, ReflectReply, ReflectRequest, ReflectSubgoalReply, Role

_UNEXPLAINED = {
    Outcome.B: "The screen after the action is not the expected one; no reason was given.",
    Outcome.C: "The action changed nothing; no reason was given.",
}


class Reflector(ModelRole):
    """Implements ``actors.seams.Reflector``."""

    role: ClassVar[Role] = Role.REFLECT

    async def reflect(
        self, request: ReflectRequest, before: ModelImage, after: ModelImage, context: CallContext
    ) -> Answered[Reflection]:
        """The verdict on the action between the two screens. Raises ModelError."""
        question = Question(
            prompt=self._prompts.reflect(request, before, after),
            reply=ReflectSubgoalReply if request.asks_subgoal else ReflectReply,
            read=lambda reply: read_reflection(reply, request.progress),
        )
        return await self.ask(question, request.after.serial, context)


def read_reflection(reply: ReflectReply, progress: str) -> Reflection:
    """Progress moves on outcome A only; an error stands beside B and C only, and is never empty there."""
    reached = reply.subgoal_reached if isinstance(reply, ReflectSubgoalReply) else None
    error = ""
    if reply.outcome is Outcome.A:
        progress = meant(reply.progress) or progress
    else:
        error = meant(reply.error) or _UNEXPLAINED[reply.outcome]
    return Reflection(outcome=reply.outcome, error=error, progress=progress, made_by="model", subgoal_reached=reached)
