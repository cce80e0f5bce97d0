"""Declare the profiles ``native`` and ``native+evo``: one agent in one chat, and the replies that it writes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from manyhands.protocol.base import Outcome
from manyhands.protocol.profiles.declaration import ASKING, CAPTIONS, ELEMENTS, VERDICTS, ProfileDeclaration
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import ActingReply, ActionReply, ActionSet, Medium
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import ATOMS, AskPerson, ClickText

CHAT_ACTIONS = ActionSet.of((*ATOMS.values(), ClickText, AskPerson))
"""All atomic actions, the taps on a listed element and on a text, the question to a person, and shortcuts.

A model that sees pictures is not offered Tap_Element, because it gets no list. One that gets the list is not offered
Click_Text."""
if TYPE_CHECKING:
    ChatActionReply = ActionReply
else:
    ChatActionReply = CHAT_ACTIONS.reply


class NativeReply(ActingReply):
    """The reply of a step after an action: first it judges that action, then it chooses the next one."""

    actions: ClassVar[ActionSet] = CHAT_ACTIONS

    change: Annotated[
        Medium, FieldDescription("Change", "what has changed on the screen since your last action, and why")
    ]
    outcome: Annotated[Outcome, FieldDescription("Outcome", "the letter alone")]
    progress: Annotated[
        Medium, FieldDescription("Progress Status", "what your last action has achieved; empty if nothing")
    ]
    subgoal: Annotated[Literal["open", "reached"], FieldDescription("Current Subgoal")]
    notes: Annotated[
        Medium, FieldDescription("Important Notes", "what to keep of this screen for later steps; empty if nothing")
    ]
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    action: Annotated[ChatActionReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description", "what the screen should show then")]


class NativeFirstReply(ActingReply):
    """The reply of a step without an action to judge, such as the first."""

    actions: ClassVar[ActionSet] = CHAT_ACTIONS
    longer = NativeReply

    notes: Annotated[
        Medium, FieldDescription("Important Notes", "what to keep of this screen for later steps; empty if nothing")
    ]
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    action: Annotated[ChatActionReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description", "what the screen should show then")]


DECLARATION = ProfileDeclaration(
    name="native",
    paper="one chat",
    loop="manyhands.actors.profiles.native:PROFILE",
    replies={Role.DECIDE: (NativeReply, NativeFirstReply)},
    uses=ASKING | CAPTIONS | ELEMENTS | VERDICTS | {"actions_per_call", "chat_pictures", "escalate_after"},
    variants={"pictures": "without pictures"},
    has_family_form=True,
    rehearsal="manyhands.simulator.rehearsal.profiles.native:NativeRehearsal",
)
EVO_DECLARATION = replace(
    DECLARATION, name="native+evo", loop="manyhands.actors.profiles.native_evo:PROFILE", variants={}
)
