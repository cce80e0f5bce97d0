"""Declare the roles that ask a model, once each, and the replies that their models write.

Settings per role, priorities, output formats, parsing, stand-ins, replay and reports are derived from :class:`Role`.
``actors.roles`` has the classes that ask, ``protocol.roles.requests`` the requests and answers.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.learners import LearnShortcutsReply, LearnTipsReply, PermitReply, RecallReply
from manyhands.protocol.roles.replies import (
    PAPER_ACTIONS,
    ActingReply,
    ActionReply,
    AnswerReply,
    Long,
    Medium,
    PaperActionReply,
    VerdictReply,
)

MOST_CAPTIONS = 24
"""The most icons in one picture for the captioner."""


# ---------------------------------------------------------------------------- what a model writes
class PlanReply(Reply):
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    plan: Annotated[Long, FieldDescription("Plan", "the whole numbered plan; empty if it stays as it is")]
    """Empty means that the plan before it stays."""
    change: Annotated[Literal["keep", "next", "replan"], FieldDescription("Change")]
    subgoal: Annotated[
        Medium, FieldDescription("Current Subgoal", "the one thing to do now; empty if the task has ended")
    ]
    status: Annotated[Literal["continue", "finished", "impossible"], FieldDescription("Status")]


class PaperPlanReply(PlanReply):
    plan: Annotated[Long, FieldDescription("Plan", "the whole numbered plan")]
    subgoal: Annotated[Medium, FieldDescription("Current Subgoal", "the one thing to do now")]
    status: Annotated[Literal["continue", "finished"], FieldDescription("Status")]


class DecideReply(ActingReply):
    thought: Annotated[Medium, FieldDescription("Thought", "your reasoning, brief")]
    action: Annotated[ActionReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description", "what the screen should show then")]


class PaperDecideReply(DecideReply):
    actions = PAPER_ACTIONS

    action: Annotated[PaperActionReply, FieldDescription("Action", "ACTION")]


class ReflectReply(VerdictReply):  # of paper_exact: a docstring would be sent with its schema
    outcome: Annotated[Outcome, FieldDescription("Outcome", "the letter alone")]
    error: Annotated[Medium, FieldDescription("Error Description", "empty for A")]
    progress: Annotated[Long, FieldDescription("Progress Status", "what has been done so far")]


class ReflectSubgoalReply(ReflectReply):
    """The reply of a reflector that is also asked whether the subgoal is reached."""

    subgoal_reached: Annotated[bool | None, FieldDescription("Subgoal Reached")]
    """None where the pictures do not show it."""


class ReflectChangeReply(VerdictReply):
    """The reply of a reflector that says what it sees before it judges, and adds to the progress."""

    change: Annotated[
        Medium, FieldDescription("Screen Change", "what the second picture shows otherwise than the first")
    ]
    outcome: Annotated[Outcome, FieldDescription("Outcome", "the letter alone")]
    error: Annotated[Medium, FieldDescription("Error Description", "what went wrong, and what to try; empty for A")]
    progress: Annotated[Medium, FieldDescription("Progress Status", "what this action has done; empty for B and C")]


class ReflectChangeSubgoalReply(ReflectChangeReply):
    """The reply of a reflector that is also asked whether the subgoal is reached."""

    subgoal_reached: Annotated[bool | None, FieldDescription("Subgoal Reached")]
    """None where the pictures do not show it."""


class NoteReply(Reply):  # of paper_exact
    notes: Annotated[Long, FieldDescription("Important Notes", "all notes to be kept")]


class AddedNotesReply(Reply):
    """The reply of a notetaker that adds to the notes."""

    notes: Annotated[Long, FieldDescription("Important Notes", "what is to be added to the notes; empty if nothing")]


class CaptionedIcon(Reply):
    number: Annotated[int, Field(ge=1, le=99)]
    name: Annotated[str, Field(max_length=40)]


class CaptionReply(Reply):
    icons: Annotated[list[CaptionedIcon], Field(max_length=MOST_CAPTIONS)]


class JudgeReply(Reply):
    reason: Annotated[Medium, FieldDescription("Reason", "what the screens and the history show, in two sentences")]
    verdict: Annotated[Literal["yes", "no", "cannot tell"], FieldDescription("Verdict")]


# ---------------------------------------------------------------------------- the declarations
@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec:
    """Declare a role: all that other parts need to know about it."""

    agent: str
    """The agent's name in prompts and reports."""
    replies: tuple[type[Reply], ...]
    """The replies that its model may write, the usual one first. The profile, its settings and the request decide which
    one is asked for. Profiles may have more replies (``protocol.profiles``)."""
    longest_reply: int
    """The default limit of a reply, in tokens."""
    priority: int
    """The default priority in our queues and the servers'. A lower number goes first."""
    pictures: int = 1
    """The most pictures that a request shows."""
    in_steps: bool = True
    """Whether the steps of an episode ask this role. Others are asked beside steps, and only with some settings."""


class Role(StrEnum):
    """Name a role by its key in settings, journals and reports.

    The next action waits for the plan and the decision, so these two have the first priority. The next action also
    waits for the verdict, but the verdict begins earlier. Nothing waits for notes and captions.
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
            replies=(DecideReply, PaperDecideReply, AnswerReply),
            longest_reply=1024,
            priority=0,
        ),
    )
    REFLECT = (
        "reflect",
        RoleSpec(
            agent="reflector",
            replies=(ReflectChangeReply, ReflectChangeSubgoalReply, ReflectReply, ReflectSubgoalReply),
            longest_reply=1024,
            priority=5,
            pictures=2,
        ),
    )
    NOTE = "note", RoleSpec(agent="notetaker", replies=(AddedNotesReply, NoteReply), longest_reply=1024, priority=20)
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
    JUDGE = (
        "judge",
        RoleSpec(agent="judge", replies=(JudgeReply,), longest_reply=512, priority=15, pictures=2, in_steps=False),
    )


def role_of(word: str, among: Sequence[Role] = tuple(Role)) -> Role:
    """Return the role for a word that a person wrote: its key or its agent, such as ``plan`` or ``planner``.

    Raises ValueError, which lists the roles in ``among``.
    """
    named = {name: role for role in among for name in (role.value, agent_word(role))}
    role = named.get(word.strip().lower().replace(" ", "_").replace("-", "_"))
    if role is None:
        near = difflib.get_close_matches(word, named, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{word!r} is not a role; roles are {role_words(among)}{guess}")
    return role


def agent_word(role: Role) -> str:
    """Return the name of a role's agent as one word, which commands accept."""
    return role.spec.agent.replace(" ", "_")


def role_words(among: Sequence[Role] = tuple(Role)) -> str:
    """Return the words for roles, for messages: ``planner (plan), operator (decide)``."""
    return ", ".join(f"{agent_word(role)} ({role.value})" for role in among)


STEP_ROLES: tuple[Role, ...] = tuple(role for role in Role if role.spec.in_steps)
"""The roles that steps may ask."""
USUAL_REPLIES: tuple[type[Reply], ...] = tuple(role.spec.replies[0] for role in STEP_ROLES)
"""The replies of the roles in ``STEP_ROLES``, unless a profile or setting chooses others."""
