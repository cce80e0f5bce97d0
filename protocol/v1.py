"""What the model of Mobile-Agent v1 writes (section 2.2, Prompt Format), and what a bare model does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

from manyhands.protocol.actions import (
    ATOMS,
    Back,
    ClickIcon,
    ClickText,
    Exit,
    OpenApp,
    PageDown,
    PageUp,
    Stop,
    Type,
)
from manyhands.protocol.base import Reply
from manyhands.protocol.described import Described
from manyhands.protocol.replies import ActingReply, ActionReply, ActionSet, Long, Medium

OPERATION_SET = ActionSet.of(
    (OpenApp, ClickText, ClickIcon, Type, PageUp, PageDown, Back, Exit, Stop),
    elements=False,
    shortcuts=False,
    descriptions={
        "Open_App": "open the app with this name.",
        "Type": (
            "type the text into the field that has the focus; tap the field first. A line break at the end of the text "
            "is the Enter key, which starts a search or sends a message."
        ),
    },
    without={"Type": ("clear",)},
)
"""The eight operations of section 2.2; Page up & down are one there."""
ALL_ATOMS = ActionSet.of(ATOMS.values(), elements=False, shortcuts=False)
"""What a model can do that sees nothing but pictures and remembers nothing but what it did."""
Choice = Literal["1", "2", "3", "4"]
MOST_PLACES = len(get_args(Choice))
"""Places of a text among which the model is asked to choose (the authors' code; section 2.1 says "few")."""

if TYPE_CHECKING:
    OperationReply = ActionReply
    AtomsReply = ActionReply
else:
    OperationReply = OPERATION_SET.reply
    AtomsReply = ALL_ATOMS.reply


class OperateReply(ActingReply):
    actions: ClassVar[ActionSet] = OPERATION_SET

    observation: Annotated[
        Long, Described("Observation", "what the screen shows now, and what has come of the operations so far")
    ]
    thought: Annotated[Medium, Described("Thought", "what is to be done next, and why")]
    action: Annotated[OperationReply, Described("Action", "ACTION")]


class ChooseReply(Reply):
    """The choice among places that bear the same text."""

    thought: Annotated[Medium, Described("Thought", "which place is meant, and why")]
    choice: Annotated[Choice, Described("Answer", "the number alone")]


class CompleteReply(Reply):
    """The answer to the question whether all is done, after Stop."""

    thought: Annotated[Medium, Described("Thought", "what the instruction asks for, and whether each part is done")]
    status: Annotated[Literal["complete", "incomplete"], Described("Status")]
    missing: Annotated[Medium, Described("Description", "what is still to be done; empty if nothing is")]


class BareReply(ActingReply):
    actions: ClassVar[ActionSet] = ALL_ATOMS

    thought: Annotated[Medium, Described("Thought", "your reasoning, brief")]
    action: Annotated[AtomsReply, Described("Action", "ACTION")]
    expectation: Annotated[Medium, Described("Description", "what the action does")]
