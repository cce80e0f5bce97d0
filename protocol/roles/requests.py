"""Define the requests to roles, in a step or around a task, and their answers, in pixels of the screenshot.

``protocol.roles`` lists the roles and says what their models write.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import Field

from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.phones import PhoneDescription
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Action, AtomicAction, ClickText
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.answers import AnswerSpec, GivenAnswer

A = TypeVar("A", bound=Message)


# ---------------------------------------------------------------------------- every role
Told = Literal["hints", "tips", "shortcuts"]
ALL_TOLD: tuple[Told, ...] = get_args(Told)


class Brief(Message):
    """Hold what stays the same during an episode. It begins every prompt, so that servers can cache the prefix."""

    goal: str
    hints: str = ""
    phone: PhoneDescription | None = None
    """What the phone told of itself at the beginning; None with ``paper_exact``, or if it told nothing."""
    tips: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    told: tuple[Told, ...] = ALL_TOLD
    """Which of these parts the prompt shows beside the goal."""


class Request(Message, Generic[A]):
    """Ask a role something. ``A`` is the type of the answer."""

    role: ClassVar[Role]

    brief: Brief
    circling: str = ""
    """What planning and acting roles are told once of a round of actions that has come again; otherwise empty."""

    @property
    @abstractmethod
    def screenshots(self) -> tuple[Screenshot, ...]:
        """Return the screenshots whose pictures go with the request, in order."""

    @property
    def serial(self) -> str:
        """Return the serial of the phone. Requests about one phone go to the same server."""
        return self.screenshots[-1].serial

    @property
    def reply_context(self) -> ReplyContext:
        """Return the context that is needed to read the reply."""
        return ReplyContext(size=self.screenshots[0].size)


class ScreenRequest(Request[A]):
    """Ask about one screen."""

    screenshot: Screenshot

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.screenshot,)


class ReplyContext(Message):
    """Hold what is needed to read a reply, beside its text.

    A run folder stores all of these fields except the progress and the notes.
    """

    size: Size
    """The size of the screenshot that the model's coordinates refer to."""
    elements: tuple[Element, ...] = ()
    """The elements of that screenshot, as the prompt lists them."""
    shortcuts: tuple[Shortcut, ...] = ()
    tips: int = 0
    """How many tips the prompt lists."""
    previous: Plan | None = None
    """The plan so far."""
    progress: str = ""
    notes: str = ""


# ---------------------------------------------------------------------------- planner
class Subgoal(Message):
    id: int = Field(ge=1)
    """The number of the subgoal in its episode. Models reword subgoals, so texts are not compared."""
    text: str


class Plan(Message):
    thought: str
    text: str
    """The overall plan."""
    subgoal: Subgoal
    change: Literal["keep", "next", "replan"]
    """What became of the previous subgoal: it is kept, reached, or given up."""
    status: Literal["continue", "finished", "impossible"]


class PastAction(Message):
    """Describe a step as later prompts show it."""

    step: int
    action: Action | None
    """None if the model's output was no action."""
    expectation: str
    outcome: Outcome | None
    """None in a loop without verdicts."""
    error: str
    """Why the action failed; empty for outcome A. For a person's action, that a person did it."""
    by_person: bool = False
    """Whether a person did this while the agent was held."""
    touched: str = ""
    """What the action touched, by its name. Empty if nothing is known of it."""


class PlanRequest(ScreenRequest[Plan]):
    role = Role.PLAN

    previous: Plan | None
    progress: str | None
    """None in a loop without a reflector."""
    notes: str | None
    """None in a loop without a notetaker."""
    failures: tuple[PastAction, ...]
    """The last failed actions. Empty unless the planner is asked to help (after two in a row by default)."""
    screen: Screen | None = None
    """The elements that take the place of the picture, for a model that sees none."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return super().screenshots if self.screen is None else ()

    @property
    def serial(self) -> str:
        return self.screenshot.serial

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, previous=self.previous)


# ---------------------------------------------------------------------------- operator
class OwnVerdict(Message):
    """Hold what a model that judges its own actions says of the last one, beside its decision."""

    outcome: Outcome | None
    """None if the reply has no verdict: nothing was to be judged, or the model's form has none."""
    reason: str = ""
    """What has changed on the screen, and why."""
    progress: str = ""
    """What the last action achieved, in addition to the progress so far."""
    notes: str = ""
    """What to keep of this screen, in addition to the notes so far."""
    subgoal_reached: bool = False


class Decision(Message):
    """Hold the operator's action, or the reason why its reply has none."""

    thought: str
    action: Action | None
    expectation: str
    """What the screen should show after the action."""
    then: tuple[AtomicAction | ClickText, ...] = ()
    """The actions that follow at once, until something unexpected shows."""
    problem: str | None = None
    """Why there is no action; set if and only if ``action`` is None. The operator sees the problem in its history in
    the next step."""
    observation: str = ""
    """What the model observed before its thought, in profiles that ask for it."""
    verdict: OwnVerdict | None = None
    """The verdict on the action before, in profiles whose operator judges its own actions."""
    answer: str = ""
    """What a Stop tells the user, from a model whose form ends a task with words."""


class DecideRequest(ScreenRequest[Decision]):
    role = Role.DECIDE

    plan: Plan | None
    """None in a loop without a planner."""
    progress: str | None
    notes: str | None
    screen: Screen | None
    """None if the prompt lists no elements."""
    history: tuple[PastAction, ...] | None
    """None if the prompt shows no history."""

    @property
    def reply_context(self) -> ReplyContext:
        elements = () if self.screen is None else self.screen.elements
        return ReplyContext(size=self.screenshot.size, elements=elements, shortcuts=self.brief.shortcuts)


# ---------------------------------------------------------------------------- the answer of a task
class AnswerRequest(ScreenRequest[GivenAnswer]):
    """Ask, once the rest is done, for the answer of a task that asks for information."""

    role = Role.DECIDE

    screen: Screen | None
    """None if the prompt lists no elements."""
    progress: str
    notes: str
    history: tuple[PastAction, ...]
    wanted: AnswerSpec
    given: str = ""
    """The answer that the agent gave so far, which does not fit."""
    problem: str = ""
    """What is wrong with it, in one line."""
    pictures: bool = True
    """Whether the picture goes with the request."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return super().screenshots if self.pictures else ()

    @property
    def serial(self) -> str:
        return self.screenshot.serial

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size)


# ---------------------------------------------------------------------------- reflector
class Reflection(Message):
    outcome: Outcome
    error: str
    progress: str
    made_by: Literal["model", "check"]
    """``check``: a cheap verdict, made without the model."""
    check: str | None = None
    """The rule, for a cheap verdict."""
    subgoal_reached: bool | None = None
    """None if nobody was asked, or the answer is unknown."""


class ReflectRequest(Request[Reflection]):
    role = Role.REFLECT

    subgoal: str | None
    """None in a loop without a planner."""
    progress: str
    action: Action
    expectation: str
    touched: str = ""
    """What the action touched, by its name. Empty if nothing is known of it."""
    before: Screenshot
    after: Screenshot
    screen_before: Screen | None
    """None if the prompt lists no elements."""
    screen_after: Screen | None
    """Set only if the profile's reflector sees the elements after the action."""
    sent: tuple[AtomicAction, ...] = ()
    """The atomic actions sent to the phone, for a shortcut whose uses are watched."""
    asks_subgoal: bool = False
    """Whether the reflector is also asked if the subgoal is reached."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.before, self.after)

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.before.size, progress=self.progress)


# ---------------------------------------------------------------------------- notetaker
class Notes(Message):
    text: str
    """All notes to keep. They replace the notes so far."""


class NoteRequest(ScreenRequest[Notes]):
    role = Role.NOTE

    plan: str | None
    subgoal: str | None
    progress: str | None
    notes: str
    screen: Screen | None

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, notes=self.notes)


# ---------------------------------------------------------------------------- captioner
class Captions(Message):
    names: tuple[str | None, ...]
    """The names, in the order of the icons. A name is empty if the model does not know the icon, and None if the model
    left the icon out."""


# ---------------------------------------------------------------------------- verifier of a precondition
class Permit(Message):
    """Say whether the precondition of a shortcut holds on the screen."""

    holds: bool
    reason: str


class PermitRequest(ScreenRequest[Permit]):
    role = Role.PERMIT

    screen: Screen | None
    """None if the prompt lists no elements."""
    shortcut: Shortcut
    arguments: dict[str, str | int] = Field(default_factory=dict)


# ---------------------------------------------------------------------------- judge
class StatementVerdict(Message):
    """Say whether a statement of a task's check is true."""

    verdict: Literal["yes", "no", "cannot tell"]
    reason: str


class JudgeRequest(Request[StatementVerdict]):
    """Ask, when the episode has ended, whether a statement is true. The brief is not shown beyond its goal."""

    role = Role.JUDGE

    statement: str
    shown: tuple[Screenshot, ...] = Field(min_length=1)
    """The last screens, the newest last."""
    screen: Screen | None
    """What perception read off the newest screen; None if it could not be read."""
    history: tuple[PastAction, ...]

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return self.shown

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.shown[-1].size)


# ---------------------------------------------------------------------------- retriever and learners
class TextRequest(Request[A]):
    """Ask without pictures."""

    phone: str
    """The serial of the task's phone; requests about one phone go to the same server. Empty before it has a phone."""
    size: Size
    """The size of the phone's screens. The coordinates of past actions refer to it."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return ()

    @property
    def serial(self) -> str:
        return self.phone

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.size, shortcuts=self.brief.shortcuts, tips=len(self.brief.tips))


class Recollection(Message):
    """Hold the retriever's choice: indices, from 0, of the tips and shortcuts in the brief."""

    tips: tuple[int, ...]
    shortcuts: tuple[int, ...]


class RecallRequest(TextRequest[Recollection]):
    """Ask which tips and shortcuts of the brief help with its goal (Mobile-Agent-E, section 5.4)."""

    role = Role.RECALL


class LearnRequest(TextRequest[A]):
    """Show a learner what a task did (Mobile-Agent-E, equations 8 and 9). Tips and shortcuts are those of the brief."""

    plan: str
    progress: str
    history: tuple[PastAction, ...]
    """All actions with their outcomes and errors."""
    future: tuple[str, ...] = ()
    """Goals of later tasks."""
    refused: str = ""
    """Why the learner's earlier proposals were refused; empty if none were."""


class TipsLearned(Message):
    tips: tuple[str, ...]
    """The whole new list, which replaces the list in the brief."""


class LearnTipsRequest(LearnRequest[TipsLearned]):
    role = Role.LEARN_TIPS
    condense: bool = False
    """Whether to ask for fewer or shorter tips, because the scope is nearly full."""


class ShortcutsLearned(Message):
    shortcuts: tuple[Shortcut, ...]
    """Empty if nothing is worth a shortcut. No two have the same name."""


class LearnShortcutsRequest(LearnRequest[ShortcutsLearned]):
    role = Role.LEARN_SHORTCUTS
    paper_exact: bool = False
    """Whether to ask only for shortcuts as in the paper: of atomic actions, each with a new name."""
