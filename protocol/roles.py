"""The roles that ask a model: one declaration each, what its model writes, what it is asked and what it answers.

A role is declared here once. Settings per role, priorities, output formats, parsing, stand-ins, replay and reports are
derived from :class:`Role`; the class that does the asking is in ``actors.roles``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Generic, Literal, Self, TypeVar, get_args

from pydantic import Field

from manyhands.protocol.actions import Action, Atom
from manyhands.protocol.base import Message, Outcome, Reply
from manyhands.protocol.described import Described
from manyhands.protocol.geometry import Size
from manyhands.protocol.learners import LearnShortcutsReply, LearnTipsReply, PermitReply, RecallReply
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.replies import PAPER_ACTIONS, ActingReply, ActionReply, Long, Medium, PaperActionReply
from manyhands.protocol.screens import Element, Screen, Screenshot
from manyhands.protocol.v1 import BareReply, ChooseReply, CompleteReply, OperateReply
from manyhands.protocol.v2 import (
    FocusReply,
    LetterReply,
    OperationOfEReply,
    OperationReply,
    PaperOperationOfEReply,
    PaperOperationReply,
    ProgressReply,
)

A = TypeVar("A", bound=Message)

MOST_CAPTIONS = 24
"""Icons in one picture."""


# ---------------------------------------------------------------------------- what a model writes
class PlanReply(Reply):
    thought: Annotated[Medium, Described("Thought", "your reasoning, brief")]
    plan: Annotated[Long, Described("Plan", "the whole numbered plan")]
    change: Annotated[Literal["keep", "next", "replan"], Described("Change")]
    subgoal: Annotated[Medium, Described("Current Subgoal", "the one thing to do now")]
    status: Annotated[Literal["continue", "finished", "impossible"], Described("Status")]


class PaperPlanReply(PlanReply):
    status: Annotated[Literal["continue", "finished"], Described("Status")]


class DecideReply(ActingReply):
    thought: Annotated[Medium, Described("Thought", "your reasoning, brief")]
    action: Annotated[ActionReply, Described("Action", "ACTION")]
    expectation: Annotated[Medium, Described("Description", "what the screen should show then")]


class PaperDecideReply(DecideReply):
    actions = PAPER_ACTIONS

    action: Annotated[PaperActionReply, Described("Action", "ACTION")]


class ReflectReply(Reply):
    outcome: Annotated[Outcome, Described("Outcome", "the letter alone")]
    error: Annotated[Medium, Described("Error Description", "empty for A")]
    progress: Annotated[Long, Described("Progress Status", "what has been done so far")]


class ReflectSubgoalReply(ReflectReply):
    """The reply of a reflector that is also asked whether the subgoal is reached."""

    subgoal_reached: Annotated[bool | None, Described("Subgoal Reached")]
    """None where the pictures do not show it."""


class NoteReply(Reply):
    notes: Annotated[Long, Described("Important Notes", "all notes to be kept")]


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
    """What its model may write: which of them is for a profile, its settings and the request to say."""
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
        RoleSpec(agent="planner", replies=(PlanReply, PaperPlanReply, ProgressReply), longest_reply=1536, priority=0),
    )
    DECIDE = (
        "decide",
        RoleSpec(
            agent="operator",
            replies=(
                DecideReply,
                PaperDecideReply,
                OperateReply,
                ChooseReply,
                CompleteReply,
                BareReply,
                OperationReply,
                PaperOperationReply,
                OperationOfEReply,
                PaperOperationOfEReply,
            ),
            longest_reply=1024,
            priority=0,
        ),
    )
    REFLECT = (
        "reflect",
        RoleSpec(
            agent="reflector",
            replies=(ReflectReply, ReflectSubgoalReply, LetterReply),
            longest_reply=1024,
            priority=5,
            pictures=2,
        ),
    )
    NOTE = "note", RoleSpec(agent="notetaker", replies=(NoteReply, FocusReply), longest_reply=1024, priority=20)
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


def role_of(key: str) -> Role:
    """Return the role with this key. Raises ValueError that lists the known ones."""
    for role in Role:
        if role.value == key:
            return role
    raise ValueError(f"{key!r} is not a role; roles are {', '.join(Role)}")


STEP_ROLES: tuple[Role, ...] = tuple(role for role in Role if role.spec.in_steps)
"""Those that steps may ask."""
REPLIES: dict[str, Role] = {reply.__name__: role for role in Role for reply in role.spec.replies}
"""The role that writes a reply, by the name of the reply's type: requests name their JSON schema so."""
REPLY_TYPES: Mapping[str, type[Reply]] = {reply.__name__: reply for role in Role for reply in role.spec.replies}
"""The types of replies by their names."""
USUAL_REPLIES: tuple[type[Reply], ...] = tuple(role.spec.replies[0] for role in STEP_ROLES)
"""What the roles of a step write where nothing else is said."""


def writer_of(reply: type[Reply]) -> Role:
    """Return the role that writes replies of a type."""
    return REPLIES[reply.__name__]


# ---------------------------------------------------------------------------- every role
Told = Literal["hints", "tips", "shortcuts"]
ALL_TOLD: tuple[Told, ...] = get_args(Told)


class Brief(Message):
    """Hold what stays the same over an episode. It stands first in every prompt of it, so that servers read it once."""

    goal: str
    hints: str = ""
    tips: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    told: tuple[Told, ...] = ALL_TOLD
    """Which of these the prompt shows beside the goal."""


class Request(Message, Generic[A]):
    """Hold what a role is asked in a step; ``A`` is what it answers."""

    role: ClassVar[Role]

    brief: Brief

    @property
    @abstractmethod
    def screenshots(self) -> tuple[Screenshot, ...]:
        """Return the screenshots whose pictures go with the request, in this order."""

    @property
    def serial(self) -> str:
        """Return the phone that the request is about: it keeps to one server."""
        return self.screenshots[-1].serial

    @property
    def known(self) -> Known:
        """Return what the reply is read with."""
        return Known(size=self.screenshots[0].size)


class ScreenRequest(Request[A]):
    """Ask about one screen."""

    screenshot: Screenshot

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.screenshot,)


class Known(Message):
    """Hold what a reply is read with, beside its text. A run folder has all but the progress, to read it again."""

    size: Size
    """The size of the screenshot in which the model's coordinates are meant."""
    elements: tuple[Element, ...] = ()
    """The elements of that screenshot, as the prompt lists them."""
    shortcuts: tuple[Shortcut, ...] = ()
    tips: int = 0
    """How many tips the prompt lists."""
    previous: Plan | None = None
    """The plan in force."""
    progress: str = ""


# ---------------------------------------------------------------------------- planner
class Subgoal(Message):
    id: int = Field(ge=1)
    """Counts the subgoals of an episode; models reword, so texts are not compared."""
    text: str


class Plan(Message):
    thought: str
    text: str
    """The overall plan."""
    subgoal: Subgoal
    change: Literal["keep", "next", "replan"]
    """What became of the subgoal before: kept, reached, or given up."""
    status: Literal["continue", "finished", "impossible"]


class PastAction(Message):
    """Describe a step as later prompts show it."""

    step: int
    action: Action | None
    """None where the model's output was no action."""
    expectation: str
    outcome: Outcome | None
    """None where nobody judges."""
    error: str
    """Why it failed; empty for outcome A."""


class PlanRequest(ScreenRequest[Plan]):
    role = Role.PLAN

    previous: Plan | None
    progress: str | None
    """None where no reflector tells it."""
    notes: str | None
    """None where nobody takes any."""
    failures: tuple[PastAction, ...]
    """The last failed actions, only when the planner is asked to help (two in a row)."""

    @property
    def known(self) -> Known:
        return Known(size=self.screenshot.size, previous=self.previous)


# ---------------------------------------------------------------------------- operator
class Decision(Message):
    """Hold an action, or the reason why the model's reply has none."""

    thought: str
    action: Action | None
    expectation: str
    """What the screen should show after the action."""
    problem: str | None = None
    """Set if and only if ``action`` is None; the operator sees it in its history next time."""
    observation: str = ""
    """What it saw before it thought, where its profile asks for that."""


class DecideRequest(ScreenRequest[Decision]):
    role = Role.DECIDE

    plan: Plan | None
    """None where nobody plans."""
    progress: str | None
    notes: str | None
    screen: Screen | None
    """None where elements are not listed."""
    history: tuple[PastAction, ...] | None
    """None where it is not shown."""

    @property
    def known(self) -> Known:
        elements = () if self.screen is None else self.screen.elements
        return Known(size=self.screenshot.size, elements=elements, shortcuts=self.brief.shortcuts)


# ---------------------------------------------------------------------------- reflector
class Reflection(Message):
    outcome: Outcome
    error: str
    progress: str
    made_by: Literal["model", "check"]
    """``check``: a cheap verdict, made without the model."""
    check: str | None = None
    """By which rule, where a check made it."""
    subgoal_reached: bool | None = None
    """None where nobody was asked, or nobody knows."""


class ReflectRequest(Request[Reflection]):
    role = Role.REFLECT

    subgoal: str | None
    """None where nobody plans."""
    progress: str
    action: Action
    expectation: str
    before: Screenshot
    after: Screenshot
    screen_before: Screen | None
    """None where elements are not listed."""
    screen_after: Screen | None
    """Only where a profile's reflector sees the elements after."""
    sent: tuple[Atom, ...] = ()
    """What was sent to the phone, of a shortcut whose uses are watched."""
    asks_subgoal: bool = False
    """Whether the reflector is also asked if the subgoal is reached."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)

    @property
    def known(self) -> Known:
        return Known(size=self.before.size, progress=self.progress)


# ---------------------------------------------------------------------------- notetaker
class Notes(Message):
    text: str
    """All that is to be kept, replacing the notes so far."""


class NoteRequest(ScreenRequest[Notes]):
    role = Role.NOTE

    plan: str | None
    subgoal: str | None
    progress: str | None
    notes: str
    screen: Screen | None


# ---------------------------------------------------------------------------- captioner
class Captions(Message):
    names: tuple[str | None, ...]
    """In the order of the icons; empty where the model does not know, None where it left an icon out."""


# ---------------------------------------------------------------------------- verifier of a precondition
class Permit(Message):
    """Say whether the precondition of a shortcut holds on the screen."""

    holds: bool
    reason: str


class PermitRequest(ScreenRequest[Permit]):
    role = Role.PERMIT

    screen: Screen | None
    """None where elements are not listed."""
    shortcut: Shortcut
    arguments: dict[str, str | int] = Field(default_factory=dict)


# ---------------------------------------------------------------------------- retriever and learners
class TextRequest(Request[A]):
    """Ask without a picture."""

    phone: str
    """The serial of the phone that the task ran on, or is to run on: it keeps to one server. Empty for none yet."""
    size: Size
    """Of its screens: coordinates of past actions are shown in it."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return ()

    @property
    def serial(self) -> str:
        return self.phone

    @property
    def known(self) -> Known:
        return Known(size=self.size, shortcuts=self.brief.shortcuts, tips=len(self.brief.tips))


class Recollection(Message):
    """Hold what a retriever chose, by the places in the brief that it was shown, from 0."""

    tips: tuple[int, ...]
    shortcuts: tuple[int, ...]


class RecallRequest(TextRequest[Recollection]):
    """Ask which of the brief's tips and shortcuts fit its goal (Mobile-Agent-E, section 5.4)."""

    role = Role.RECALL


class LearnRequest(TextRequest[A]):
    """Show a learner what a task did (Mobile-Agent-E, equations 8 and 9). Tips and shortcuts so far are the brief's."""

    plan: str
    progress: str
    history: tuple[PastAction, ...]
    """All actions with their outcomes and errors."""
    future: tuple[str, ...] = ()
    """Goals that are still to come."""
    refused: str = ""
    """Why what was proposed before was not taken; empty where nothing was."""


class TipsLearned(Message):
    tips: tuple[str, ...]
    """The whole list, which takes the place of the one in the brief."""


class LearnTipsRequest(LearnRequest[TipsLearned]):
    role = Role.LEARN_TIPS
    condense: bool = False
    """The scope is nearly full: fewer tips, or shorter ones, are wanted."""


class ShortcutLearned(Message):
    shortcut: Shortcut | None
    """None where there is nothing to be made a routine of."""


class LearnShortcutsRequest(LearnRequest[ShortcutLearned]):
    role = Role.LEARN_SHORTCUTS
