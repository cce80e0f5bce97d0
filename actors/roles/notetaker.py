"""The notetaker: what later steps need and will not see again (Notetaker in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.roles.base import ModelRole, Question, meant
from manyhands.protocol.messages import Answered, CallContext
from manyhands.protocol.roles import NoteReply, NoteRequest, Notes, Role


class Notetaker(ModelRole):
    """Implements ``actors.seams.Notetaker``."""

    role: ClassVar[Role] = Role.NOTE

    async def note(self, request: NoteRequest, image: ModelImage, context: CallContext) -> Answered[Notes]:
        """All notes to be kept after the screen of ``image``. Raises ModelError."""
        question = Question(
            prompt=self._prompts.note(request, image),
            reply=NoteReply,
            read=lambda reply: Notes(text=meant(reply.notes)),
        )
        return await self.ask(question, request.screenshot.serial, context)
