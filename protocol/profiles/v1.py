"""Declare the profile ``v1`` (Mobile-Agent) and the replies of its model (section 2.2, Prompt Format)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

from manyhands.protocol.base import Reply
from manyhands.protocol.profiles.declaration import CAPTIONS, ELEMENTS, ComparisonSheet, ProfileDeclaration
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import ActingReply, ActionReply, ActionSet, Long, Medium
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import (
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
"""The eight operations of section 2.2, which counts page up and page down as one."""
Choice = Literal["1", "2", "3", "4"]
MOST_PLACES = len(get_args(Choice))
"""If a text is at more places than this, the model is not asked to choose (authors' code; section 2.1 says "few")."""

if TYPE_CHECKING:
    OperationReply = ActionReply
else:
    OperationReply = OPERATION_SET.reply


class OperateReply(ActingReply):
    actions: ClassVar[ActionSet] = OPERATION_SET

    observation: Annotated[
        Long, FieldDescription("Observation", "what the screen shows now, and what has come of the operations so far")
    ]
    thought: Annotated[Medium, FieldDescription("Thought", "what is to be done next, and why")]
    action: Annotated[OperationReply, FieldDescription("Action", "ACTION")]


class ChooseReply(Reply):
    """The choice among places that bear the same text."""

    thought: Annotated[Medium, FieldDescription("Thought", "which place is meant, and why")]
    choice: Annotated[Choice, FieldDescription("Answer", "the number alone")]


class CompleteReply(Reply):
    """The answer to the question whether all is done, after Stop."""

    thought: Annotated[
        Medium, FieldDescription("Thought", "what the instruction asks for, and whether each part is done")
    ]
    status: Annotated[Literal["complete", "incomplete"], FieldDescription("Status")]
    missing: Annotated[Medium, FieldDescription("Description", "what is still to be done; empty if nothing is")]


DECLARATION = ProfileDeclaration(
    name="v1",
    paper="Mobile-Agent",
    loop="manyhands.actors.profiles.v1:PROFILE",
    replies={Role.DECIDE: (OperateReply, ChooseReply, CompleteReply)},
    uses=CAPTIONS | ELEMENTS | {"chat_pictures"},
    finds_icons_by_words=True,
    sheets=(
        ComparisonSheet(
            "As Mobile-Agent, table 2",
            "v1",
            ("simple", "more_required", "abstract"),
            (("v1", 2),),
            suite="mobile_eval",
        ),
    ),
    rehearsal="manyhands.simulator.rehearsal.profiles.chat:ChatRehearsal",
)
