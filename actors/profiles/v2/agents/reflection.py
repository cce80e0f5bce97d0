"""The reflection agent: whether the operation did what it was meant to (Mobile-Agent-v2, section 3.5)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.actions import write_action
from manyhands.actors.profiles.v2.requests import VerdictRequest
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, or_none_yet, screen_text
from manyhands.actors.roles.base import StepRole, meant
from manyhands.actors.roles.reflector import UNEXPLAINED
from manyhands.protocol.base import Outcome
from manyhands.protocol.roles import Known, Reflection, Role
from manyhands.protocol.sections import ActionLine, action_line, one_line
from manyhands.protocol.v2 import LetterReply


class ReflectionAgent(StepRole[VerdictRequest, LetterReply, Reflection]):
    """Answers with the verdict on the operation between two screens."""

    role = Role.REFLECT
    writes = LetterReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: VerdictRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show both screens with their elements, in the order of time (equation 5, table 10)."""
        before, after = images
        operation = request.operation
        action = write_action(operation.action, prompts.dialect, request.before.size, ())
        own: Parts = {
            "screen_after": screen_text(request.screen_after, prompts.dialect),
            "keyboard_after": request.screen_after.keyboard,
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "action": action_line(ActionLine(action=action, expectation=operation.expectation)),
            "thought": one_line(operation.thought) or "none",
        }
        return prompts.of_step(request, before, prompts.listed(request.screen_before, request.before), after, own=own)

    @classmethod
    def read(cls, reply: LetterReply, known: Known, dialect: Dialect) -> Reflection:
        """Return the verdict; for B and C the thought says what went wrong."""
        error = "" if reply.outcome is Outcome.A else meant(reply.thought) or UNEXPLAINED[reply.outcome]
        return Reflection(outcome=reply.outcome, error=error, progress="", made_by="model")
