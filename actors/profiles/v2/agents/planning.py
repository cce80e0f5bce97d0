"""The planning agent: what has been completed so far, from text alone (Mobile-Agent-v2, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.profiles.v2.agents.operations import operations_text
from manyhands.actors.profiles.v2.requests import Progress, ProgressRequest
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import Known, Role
from manyhands.protocol.v2 import ProgressReply


class PlanningAgent(StepRole[ProgressRequest, ProgressReply, Progress]):
    """Answers with the task's progress."""

    role = Role.PLAN
    writes = ProgressReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: ProgressRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show what was done and known (equation 2): tables 7, the first time, and 8."""
        own: Parts = {
            "first": not request.previous and len(request.operations) == 1,
            "progress": or_none_yet(request.previous),
            "focus": or_none_yet(request.focus or ""),
            "has_memory": request.focus is not None,
            "operations": operations_text(request.operations, prompts.dialect, request.now.size),
        }
        return prompts.of_step(request, own=own)

    @classmethod
    def read(cls, reply: ProgressReply, known: Known, dialect: Dialect) -> Progress:
        """Return the progress that a reply means. Raises ReplyUnusable for one that says nothing."""
        text = meant(reply.progress)
        if not text:
            raise ReplyUnusable("the reply names nothing that was completed")
        return Progress(text=text)
