"""What the roles are asked in a step or around a task, and what they answer: messages in pixels of the screenshot.

Which roles there are, and what their models write, is in ``protocol.roles``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import Field

from manyhands.protocol.actions import Action, AtomicAction
from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.geometry import Size
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.roles import Role
from manyhands.protocol.screens import Element, Screen, Screenshot

A = TypeVar("A", bound=Message)


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
    def known(self) -> ReplyContext:
        """Return what the reply is read with."""
        return ReplyContext(size=self.screenshots[0].size)


class ScreenRequest(Request[A]):
    """Ask about one screen."""

    screenshot: Screenshot

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.screenshot,)


class ReplyContext(Message):
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
    def known(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, previous=self.previous)


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
    def known(self) -> ReplyContext:
        elements = () if self.screen is None else self.screen.elements
        return ReplyContext(size=self.screenshot.size, elements=elements, shortcuts=self.brief.shortcuts)


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
    sent: tuple[AtomicAction, ...] = ()
    """What was sent to the phone, of a shortcut whose uses are watched."""
    asks_subgoal: bool = False
    """Whether the reflector is also asked if the subgoal is reached."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)

    @property
    def known(self) -> ReplyContext:
        return ReplyContext(size=self.before.size, progress=self.progress)


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
    def known(self) -> ReplyContext:
        return ReplyContext(size=self.size, shortcuts=self.brief.shortcuts, tips=len(self.brief.tips))


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


class ShortcutsLearned(Message):
    shortcuts: tuple[Shortcut, ...]
    """None where there is nothing to be made a routine of; each has a name of its own."""


class LearnShortcutsRequest(LearnRequest[ShortcutsLearned]):
    role = Role.LEARN_SHORTCUTS
    paper_exact: bool = False
    """Whether it is asked for the paper's alone: of atomic actions, each under a new name."""
