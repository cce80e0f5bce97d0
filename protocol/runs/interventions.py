"""Define how a person intervenes in a running episode: pause, resume, answer, stop, take over, act, and hand back.

While a person has taken an episode over, the agent sends nothing. The person acts on the phone that the episode's lease
holds. Each of these actions is journalled, keyed and sent as the agent's actions are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Ending, Message
from manyhands.protocol.phones import Receipt
from manyhands.protocol.policy import ConsentQuestion
from manyhands.protocol.screens.actions import MAX_TEXT, AtomicAction
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Keyboard

AGENT = "the agent"
"""Who has paused an episode that waits for a person."""


class EpisodePhase(StrEnum):
    """List the phases of an episode."""

    RUNNING = "running"
    """The agent carries it out."""
    PAUSED = "paused"
    """No action is sent until it is resumed, or until a person answers its agent's question."""
    TAKING_OVER = "taking_over"
    """A person has asked for it. The agent's action under way ends first."""
    TAKEN_OVER = "taken_over"
    """A person acts on its phone. The agent waits."""
    STOPPING = "stopping"
    """It is being stopped."""
    ENDED = "ended"
    """It does not run any more."""


class PauseEpisode(Message):
    """Ask to send no further action until the episode is resumed. An action under way ends."""

    kind: Literal["pause"] = "pause"
    by: str
    reason: str = ""


class ResumeEpisode(Message):
    """Ask to withdraw ``PauseEpisode``."""

    kind: Literal["resume"] = "resume"
    by: str


class AnswerQuestion(Message):
    """Answer the question of an agent that asks for a person, or decline to. The first answer counts."""

    kind: Literal["answer"] = "answer"
    by: str
    """Who answers; empty if nobody came in time."""
    text: str | None = Field(default=None, min_length=1, max_length=MAX_TEXT)
    """The answer; None declines."""
    allows: str | None = None
    """The id of the consent question whose action the person allows; None declines, too."""


class StopEpisode(Message):
    """Ask to end the episode as cancelled. The answer comes when its journal has the end."""

    kind: Literal["stop"] = "stop"
    by: str
    reason: str = ""

    @property
    def ending_reason(self) -> str:
        """Return why the episode ended, for its end and its result."""
        return f"stopped by {self.by}: {self.reason}" if self.reason else f"stopped by {self.by}"


class TakeOverEpisode(Message):
    """Ask for the phone of the episode. The answer comes when the agent holds and the screen is captured."""

    kind: Literal["take_over"] = "take_over"
    by: str


class HandBackEpisode(Message):
    """Ask the agent to go on from the present screen."""

    kind: Literal["hand_back"] = "hand_back"
    by: str
    is_operator: bool = False
    """Whether ``by`` may also end the takeover of somebody else."""


class PersonAction(Message):
    """Ask to carry out an action of the person who has taken the episode over."""

    kind: Literal["act"] = "act"
    by: str
    request: str = Field(min_length=1, max_length=200)
    """The key of the request. The same key again gets the first answer, and the phone gets nothing."""
    screen: str
    """The content id of the screenshot that the person saw. Refused if the phone has shown another one since."""
    action: AtomicAction
    """In pixels of that screenshot. ``Wait`` sends nothing: it captures the screen again."""


class ShowControl(Message):
    """Ask in which phase the episode is."""

    kind: Literal["show"] = "show"


Intervention = (
    PauseEpisode
    | ResumeEpisode
    | AnswerQuestion
    | StopEpisode
    | TakeOverEpisode
    | HandBackEpisode
    | PersonAction
    | ShowControl
)


class EpisodeControl(Message):
    """Tell who controls an episode. It is the answer to each ``Intervention``."""

    episode: str
    task: str
    serial: str
    phase: EpisodePhase
    by: str | None = None
    """Who has paused the episode or taken it over."""
    question: str = ""
    """What its agent asks a person; empty if it does not ask."""
    consent: ConsentQuestion | None = None
    """The action that a person is asked to allow; None if it is no such question."""
    since: float | None = None
    """Since when, in Unix seconds."""
    ends_at: float | None = None
    """When the takeover ends by itself unless another action comes, or the wait for an answer, in Unix seconds."""
    screen: str | None = None
    """The content id of the latest screenshot; None before the first one."""
    size: Size | None = None
    """The size of that screenshot."""
    keyboard: Keyboard = "unknown"
    """Whether that screenshot has a keyboard, and so a field that takes what is typed."""
    person_actions: int = 0
    """How many actions of persons the phone may have received in this episode."""
    is_by_hand: bool = False
    """Whether a person alone has the phone: the task is carried out by hand, and no agent waits for it."""
    receipt: Receipt | None = None
    """What came of the action, in the answer to a ``PersonAction``."""
    ending: Ending | None = None
    """How the episode ended; None before."""
    reason: str = ""
    """Why it ended so."""
