"""Keep what later steps need and will not see again (Notetaker in Mobile-Agent-E, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.prompts import Parts, Prompts, or_left_out, or_none_yet
from manyhands.actors.roles.base import StepRole, add_lines, meant
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.requests import NoteRequest, Notes, ReplyContext
from manyhands.protocol.roles.role import (
    AddedNotesReply,
    NoteReply,
    Role,
)


class Notetaker(StepRole[NoteRequest, AddedNotesReply | NoteReply, Notes]):
    """Answer with the notes, extended by what a screen adds."""

    role = Role.NOTE
    writes: ClassVar[type[Reply]] = AddedNotesReply

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
    def read(cls, reply: AddedNotesReply | NoteReply, reply_context: ReplyContext, dialect: Dialect) -> Notes:
        """Return the notes so far, with what the reply adds."""
        return Notes(text=add_lines(reply_context.notes, meant(reply.notes)))


class PaperNotetaker(Notetaker):
    """Write all notes anew, as in the paper."""

    writes = NoteReply

    @classmethod
    def read(cls, reply: AddedNotesReply | NoteReply, reply_context: ReplyContext, dialect: Dialect) -> Notes:
        """Return the notes of a reply."""
        return Notes(text=meant(reply.notes))
