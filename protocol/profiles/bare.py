"""Declare the profile ``bare``: a model without an agent, and the reply that it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from manyhands.protocol.profiles.declaration import ProfileDeclaration
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import ActingReply, ActionReply, ActionSet, Medium
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import ATOMS

ALL_ATOMS = ActionSet.of(ATOMS.values(), elements=False, shortcuts=False)
"""The actions of a model that sees only pictures and remembers only its own actions."""
if TYPE_CHECKING:
    AtomsReply = ActionReply
else:
    AtomsReply = ALL_ATOMS.reply


class BareReply(ActingReply):
    actions: ClassVar[ActionSet] = ALL_ATOMS

    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    action: Annotated[AtomsReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description", "what the action does")]


DECLARATION = ProfileDeclaration(
    name="bare",
    paper="a bare model",
    loop="manyhands.actors.profiles.bare:PROFILE",
    replies={Role.DECIDE: (BareReply,)},
    rehearsal="manyhands.simulator.rehearsal.profiles.bare:BareRehearsal",
)
