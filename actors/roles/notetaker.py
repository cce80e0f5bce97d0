"""The notetaker: what later steps need and will not see again (Notetaker in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.roles import Known, NoteReply, NoteRequest, Notes, Role


class Notetaker(StepRole[NoteRequest, NoteReply, Notes]):
    """Answers with all notes that are to be kept after an action."""

    role = Role.NOTE

    @classmethod
    def prompt(cls, prompts: Prompts, request: NoteRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen after the action and its elements (equation 7)."""
        own = {
            "plan": or_none_yet(request.plan),
            "subgoal": or_none_yet(request.subgoal),
            "progress": or_none_yet(request.progress),
            "notes": or_none_yet(request.notes),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen), own=own)

    @classmethod
    def read(cls, reply: NoteReply, known: Known, dialect: Dialect) -> Notes:
        """Return the notes that a reply means."""
        return Notes(text=meant(reply.notes))
