"""The roles that ask a model: one declaration each, and what its model writes.

A role is declared here once. Settings per role, priorities, output formats, parsing, stand-ins, replay and reports are
derived from :class:`Role`; the class that does the asking is in ``actors.roles``, what it is asked and answers in
``protocol.requests``.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.field_description import FieldDescription
from manyhands.protocol.learners import LearnShortcutsReply, LearnTipsReply, PermitReply, RecallReply
from manyhands.protocol.replies import (
    PAPER_ACTIONS,
    ActingReply,
    ActionReply,
    Long,
    Medium,
    PaperActionReply,
    VerdictReply,
)

MOST_CAPTIONS = 24
"""Icons in one picture."""


# ---------------------------------------------------------------------------- what a model writes
class PlanReply(Reply):
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    plan: Annotated[Long, FieldDescription("Plan", "the whole numbered plan")]
    change: Annotated[Literal["keep", "next", "replan"], FieldDescription("Change")]
    subgoal: Annotated[Medium, FieldDescription("Current Subgoal", "the one thing to do now")]
    status: Annotated[Literal["continue", "finished", "impossible"], FieldDescription("Status")]


class PaperPlanReply(PlanReply):
    status: Annotated[Literal["continue", "finished"], FieldDescription("Status")]


class DecideReply(ActingReply):
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    action: Annotated[ActionReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description", "what the screen should show then")]


class PaperDecideReply(DecideReply):
    actions = PAPER_ACTIONS

    action: Annotated[PaperActionReply, FieldDescription("Action", "ACTION")]


class ReflectReply(VerdictReply):
    outcome: Annotated[Outcome, FieldDescription("Outcome", "the letter alone")]
    error: Annotated[Medium, FieldDescription("Error Description", "empty for A")]
    progress: Annotated[Long, FieldDescription("Progress Status", "what has been done so far")]


class ReflectSubgoalReply(ReflectReply):
    """The reply of a reflector that is also asked whether the subgoal is reached."""

    subgoal_reached: Annotated[bool | None, FieldDescription("Subgoal Reached")]
    """None where the pictures do not show it."""


class NoteReply(Reply):
    notes: Annotated[Long, FieldDescription("Important Notes", "all notes to be kept")]


class CaptionedIcon(Reply):
    number: Annotated[int, Field(ge=1, le=99)]
    name: Annotated[str, Field(max_length=40)]


class CaptionReply(Reply):
    icons: Annotated[list[CaptionedIcon], Field(max_length=MOST_CAPTIONS)]


# ---------------------------------------------------------------------------- the declarations
@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec:
    """Declare a role: all that other parts need to know of it."""

    agent: str
    """Its name in prompts and reports."""
    replies: tuple[type[Reply], ...]
    """What its model may write, the usual first: which of them is for a profile, its settings and the request to say.
    Profiles may have others of their own (``protocol.profiles``)."""
    longest_reply: int
    """Default limit of a reply, in tokens."""
    priority: int
    """Default place in the queues, ours and the servers'; a lower number goes first."""
    pictures: int = 1
    """How many pictures a request shows at most."""
    in_steps: bool = True
    """Whether steps ask it. Others are asked beside the steps, and only where the settings want them."""


class Role(StrEnum):
    """A role by its key in settings, journals and reports.

    The next action waits for a plan and a decision. It waits for a verdict too, but that has a head start; nothing
    waits for notes and captions.
    """

    spec: RoleSpec

    def __new__(cls, key: str, spec: RoleSpec) -> Self:
        role = str.__new__(cls, key)
        role._value_ = key
        role.spec = spec
        return role

    PLAN = (
        "plan",
        RoleSpec(agent="planner", replies=(PlanReply, PaperPlanReply), longest_reply=1536, priority=0),
    )
    DECIDE = (
        "decide",
        RoleSpec(
            agent="operator",
            replies=(DecideReply, PaperDecideReply),
            longest_reply=1024,
            priority=0,
        ),
    )
    REFLECT = (
        "reflect",
        RoleSpec(
            agent="reflector",
            replies=(ReflectReply, ReflectSubgoalReply),
            longest_reply=1024,
            priority=5,
            pictures=2,
        ),
    )
    NOTE = "note", RoleSpec(agent="notetaker", replies=(NoteReply,), longest_reply=1024, priority=20)
    CAPTION = (
        "caption",
        RoleSpec(agent="captioner", replies=(CaptionReply,), longest_reply=1024, priority=30, in_steps=False),
    )
    PERMIT = (
        "permit",
        RoleSpec(agent="verifier", replies=(PermitReply,), longest_reply=256, priority=0, in_steps=False),
    )
    RECALL = (
        "recall",
        RoleSpec(
            agent="retriever", replies=(RecallReply,), longest_reply=1024, priority=10, pictures=0, in_steps=False
        ),
    )
    LEARN_TIPS = (
        "learn_tips",
        RoleSpec(
            agent="tips learner",
            replies=(LearnTipsReply,),
            longest_reply=4096,
            priority=25,
            pictures=0,
            in_steps=False,
        ),
    )
    LEARN_SHORTCUTS = (
        "learn_shortcuts",
        RoleSpec(
            agent="shortcuts learner",
            replies=(LearnShortcutsReply,),
            longest_reply=2048,
            priority=25,
            pictures=0,
            in_steps=False,
        ),
    )


def role_of(word: str, among: Sequence[Role] = tuple(Role)) -> Role:
    """Return the role that a person names by its key or by its agent: ``plan`` or ``planner``.

    Raises ValueError, which lists those ``among`` which it may be.
    """
    named = {name: role for role in among for name in (role.value, agent_word(role))}
    found = named.get(word.strip().lower().replace(" ", "_").replace("-", "_"))
    if found is None:
        near = difflib.get_close_matches(word, named, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{word!r} is not a role; roles are {role_words(among)}{guess}")
    return found


def agent_word(role: Role) -> str:
    """Return the name of a role's agent as one word, as commands take it."""
    return role.spec.agent.replace(" ", "_")


def role_words(among: Sequence[Role] = tuple(Role)) -> str:
    """Return how roles may be named, for messages: ``planner (plan), operator (decide)``."""
    return ", ".join(f"{agent_word(role)} ({role.value})" for role in among)


STEP_ROLES: tuple[Role, ...] = tuple(role for role in Role if role.spec.in_steps)
"""Those that steps may ask."""
USUAL_REPLIES: tuple[type[Reply], ...] = tuple(role.spec.replies[0] for role in STEP_ROLES)
"""What the roles of a step write where nothing else is said."""
