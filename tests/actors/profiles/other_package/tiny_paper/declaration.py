"""What everybody knows of the profile; only ``protocol`` is imported here, so that stand-ins can read it, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from manyhands.protocol.profiles import ComparisonSheet, ProfileDeclaration
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import ActingReply, ActionReply, ActionSet, Medium
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Home, Stop

TINY_ACTIONS = ActionSet.of((Home, Stop), elements=False, shortcuts=False)
if TYPE_CHECKING:
    TinyAction = ActionReply
else:
    TinyAction = TINY_ACTIONS.reply


class TinyReply(ActingReply):
    actions: ClassVar[ActionSet] = TINY_ACTIONS

    thought: Annotated[Medium, FieldDescription("Thought", "what comes next, and why")]
    action: Annotated[TinyAction, FieldDescription("Action", "ACTION")]


DECLARATION = ProfileDeclaration(
    name="tiny",
    paper="a tiny paper",
    loop="tiny_paper.profile:PROFILE",
    replies={Role.DECIDE: (TinyReply,)},
    uses=frozenset({"history"}),
    has_family_form=True,
    outputs={Role.JUDGE: "headers"},
    sheets=(ComparisonSheet("As the tiny paper", ("SR",), (), ()),),
    rehearsal="tiny_paper.rehearsal:TinyRehearsal",
)
