"""Declare the profile ``v2`` (Mobile-Agent-v2) and the replies of its agents' models (section 3, tables 7 to 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles.declaration import CAPTIONS, ELEMENTS, VERDICTS, ComparisonSheet, ProfileDeclaration
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import (
    PAPER_ACTIONS,
    ActingReply,
    ActionReply,
    ActionSet,
    Long,
    Medium,
    VerdictReply,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import ATOMS, Home, OpenApp, Stop, Swipe, Tap, Type

_DESCRIPTIONS = {
    "Open_App": "open an app by the name under its icon. Prefer it to a tap on the icon.",
    "Type": (
        "type the text into the field that has the focus. A line break at the end of the text presses Enter, for "
        "example to start a search. With clear true, what the field holds is deleted first."
    ),
}
OPERATIONS = ActionSet.of(
    (OpenApp, Tap, Swipe, Type, Home, Stop), elements=False, shortcuts=False, descriptions=_DESCRIPTIONS
)
"""The six operations of Mobile-Agent-v2 (section 3.4)."""
PAPER_OPERATIONS = ActionSet.of(
    (OpenApp, Tap, Swipe, Type, Home, Stop),
    elements=False,
    shortcuts=False,
    descriptions={
        "Open_App": "open the app with this name, whose icon is on the home screen that you see.",
        "Type": "type the text into the input box. A line break at the end of the text presses Enter.",
    },
    without={"Type": ["clear"]},
)
"""The same operations as the paper describes them."""
OPERATIONS_OF_E = ActionSet.of(ATOMS.values(), shortcuts=False, descriptions={"Type": _DESCRIPTIONS["Type"]})
"""The actions of our Mobile-Agent-E without shortcuts. Section 4.4 of Mobile-Agent-E compares v2 with these actions."""
PAPER_OPERATIONS_OF_E = PAPER_ACTIONS.less(("Shortcut",))
"""The same actions as the paper of Mobile-Agent-E describes them."""

if TYPE_CHECKING:
    _Operation = ActionReply
    _PaperOperation = ActionReply
    _OperationOfE = ActionReply
    _PaperOperationOfE = ActionReply
else:
    _Operation, _PaperOperation = OPERATIONS.reply, PAPER_OPERATIONS.reply
    _OperationOfE, _PaperOperationOfE = OPERATIONS_OF_E.reply, PAPER_OPERATIONS_OF_E.reply


class ProgressReply(Reply):
    """TP(t) (equation 2)."""

    progress: Annotated[Long, FieldDescription("Completed Contents", "what has been done so far, not what for")]


class OperationReply(ActingReply):
    """O(t) (equation 3)."""

    actions = OPERATIONS

    thought: Annotated[
        Medium, FieldDescription("Thought", "what is done by now, and what the next operation has to do")
    ]
    action: Annotated[_Operation, FieldDescription("Action", "ACTION")]
    expectation: Annotated[
        Medium, FieldDescription("Operation", "what the action does, and what the screen should show then")
    ]


class PaperOperationReply(OperationReply):
    actions = PAPER_OPERATIONS

    action: Annotated[_PaperOperation, FieldDescription("Action", "ACTION")]


class OperationOfEReply(OperationReply):
    actions = OPERATIONS_OF_E

    action: Annotated[_OperationOfE, FieldDescription("Action", "ACTION")]


class PaperOperationOfEReply(OperationOfEReply):
    actions = PAPER_OPERATIONS_OF_E

    action: Annotated[_PaperOperationOfE, FieldDescription("Action", "ACTION")]


class FocusReply(Reply):
    """Hold what the screen adds to FC(t) (equation 4)."""

    # The schema goes to the model, so its description keeps these words whatever the docstring says.
    model_config = ConfigDict(json_schema_extra={"description": "What the screen adds to FC(t) (equation 4)."})

    content: Annotated[Long, FieldDescription("Important Content", 'what is to be kept of this screen, or "None"')]


class LetterReply(VerdictReply):
    """R(t) (equation 5)."""

    thought: Annotated[Medium, FieldDescription("Thought", "what became of the operation, brief")]
    outcome: Annotated[Outcome, FieldDescription("Answer", "the letter alone")]


DECLARATION = ProfileDeclaration(
    name="v2",
    paper="Mobile-Agent-v2",
    loop="manyhands.actors.profiles.v2:PROFILE",
    replies={
        Role.PLAN: (ProgressReply,),
        Role.DECIDE: (OperationReply, PaperOperationReply, OperationOfEReply, PaperOperationOfEReply),
        Role.REFLECT: (LetterReply,),
        Role.NOTE: (FocusReply,),
    },
    uses=CAPTIONS | ELEMENTS | VERDICTS | {"like_e"},
    variants={"like_e": "like e"},
    sheets=(
        ComparisonSheet(
            "As Mobile-Agent-v2, table 2 (English)", "v2", (), (("v2", 2),), True, suite="mobile_eval_v2.en"
        ),
        ComparisonSheet(
            "As Mobile-Agent-v2, table 1 (Chinese)", "v2", (), (("v2", 1),), True, suite="mobile_eval_v2.zh"
        ),
        ComparisonSheet("As Mobile-Agent-v2, table 4", "v2", ("basic", "advanced"), (("v2", 4),), knowledge=True),
    ),
    rehearsal="manyhands.simulator.rehearsal.profiles.v2:V2Rehearsal",
)
