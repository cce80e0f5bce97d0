"""Define the replies of the learners, the retriever and the verifier (Mobile-Agent-E, sections 3.2 and 5.4, C.1).

The headings and the keys of a shortcut are those of the authors' code.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manyhands.protocol.base import Reply
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.memory import LONGEST_TEXT, MOST_STEPS
from manyhands.protocol.roles.replies import Long, Medium

MOST_NEW_SHORTCUTS = 5
"""The most shortcuts that one task may teach."""
LONGEST_LIST = 60_000
"""The most characters of all tips together."""
Name = Annotated[str, Field(max_length=100)]
Value = Annotated[str, Field(max_length=200)]


class LearnTipsReply(Reply):
    tips: Annotated[
        str,
        Field(max_length=LONGEST_LIST),
        FieldDescription("Updated Tips", "the whole numbered list of tips, one a line"),
    ]


class StepWritten(Reply):
    """An action of a shortcut: each of its arguments by a name among the shortcut's, or as it always is."""

    name: Name
    arguments_map: Annotated[dict[Name, Value], Field(max_length=8)] | None


class ShortcutWritten(Reply):
    name: Name
    arguments: Annotated[list[Name], Field(max_length=8)]
    description: Annotated[str, Field(max_length=LONGEST_TEXT)]
    precondition: Annotated[str, Field(max_length=LONGEST_TEXT)]
    atomic_action_sequence: Annotated[list[StepWritten], Field(min_length=1, max_length=MOST_STEPS)]


_FORM = (
    '[{"name": "...", "arguments": ["..."], "description": "...", "precondition": "...", "atomic_action_sequence": '
    '[{"name": "Tap", "arguments_map": {"x": "x", "y": "y"}}, {"name": "Enter", "arguments_map": null}]}], or []'
)


class LearnShortcutsReply(Reply):
    shortcuts: Annotated[
        list[ShortcutWritten], Field(max_length=MOST_NEW_SHORTCUTS), FieldDescription("New Shortcut", _FORM)
    ]


class RecallReply(Reply):
    tips: Annotated[Long, FieldDescription("Selected Tips", "the numbers of the tips that help, with commas")]
    shortcuts: Annotated[
        Long, FieldDescription("Selected Shortcuts", "the names of the shortcuts that help, with commas")
    ]


class PermitReply(Reply):
    holds: Annotated[Literal["yes", "no"], FieldDescription("Holds")]
    reason: Annotated[Medium, FieldDescription("Reason", "what on the screen shows it, in one sentence")]
