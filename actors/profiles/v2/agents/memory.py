"""The memory unit: what the decision agent keeps of a screen, asked right after its decision (section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.mllm.request.bodies import Turn, conversation_of
from manyhands.actors.mllm.request.formats import format_body
from manyhands.actors.profiles.v2.requests import FocusRequest
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.roles import Known, Notes, Role
from manyhands.protocol.v2 import FocusReply


class MemoryUnit(StepRole[FocusRequest, FocusReply, Notes]):
    """Answers with what is to be kept of the screen that was decided on; empty for nothing."""

    role = Role.NOTE
    writes = FocusReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: FocusRequest, images: Sequence[ModelImage]) -> Prompt:
        """Go on with the conversation of the decision (equation 4): a server has read all but the last turn."""
        so_far = conversation_of(request.conversation, images)
        extent = prompts.dialect.extent(request.screenshot.size)
        question = prompts.text("note", {"format": format_body(FocusReply, prompts.output, extent)})
        return replace(so_far, turns=(*so_far.turns, Turn(request.decided, (question,))))

    @classmethod
    def read(cls, reply: FocusReply, known: Known, dialect: Dialect) -> Notes:
        """Return what a reply adds."""
        return Notes(text=meant(reply.content))
