"""Keep what later steps need and will not see again (Notetaker in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts, or_left_out, or_none_yet
from manyhands.actors.roles.base import StepRole, meant
from manyhands.protocol.requests import NoteRequest, Notes, ReplyContext
from manyhands.protocol.roles import NoteReply, Role


class Notetaker(StepRole[NoteRequest, NoteReply, Notes]):
    """Answer with all notes to keep after an action."""

    role = Role.NOTE
    writes = NoteReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: NoteRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the screen after the action and its elements (equation 7)."""
        own: Parts = {
            "plan": or_left_out(request.plan),
            "subgoal": or_left_out(request.subgoal),
            "progress": or_left_out(request.progress),
            "notes": or_none_yet(request.notes),
        }
        return prompts.of_step(request, *images, prompts.listed(request.screen, request.screenshot), own=own)

    @classmethod
    def read(cls, reply: NoteReply, known: ReplyContext, dialect: Dialect) -> Notes:
        """Return the notes of a reply."""
        return Notes(text=meant(reply.notes))
