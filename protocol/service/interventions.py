"""Define what clients of a service ask of a running episode, and what they are told of it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, field_serializer

from manyhands.protocol.base import Ending
from manyhands.protocol.phones import Receipt
from manyhands.protocol.policy import ConsentQuestion
from manyhands.protocol.runs.interventions import EpisodeControl, EpisodePhase
from manyhands.protocol.screens.actions import (
    MAX_TEXT,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
)
from manyhands.protocol.screens.screen import Keyboard
from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.instants import Instant

PersonOperation = Annotated[
    OpenApp | Tap | LongPress | Swipe | Type | Enter | SwitchApp | Back | Home | Wait, Field(discriminator="name")
]
"""What a person may do on a phone: the agent's actions, but for those that only tell something."""


class ConsentStatus(ServiceAnswer):
    """Show which action a person is asked to allow."""

    id: str
    """The id of the question."""
    screen: str
    """The content id of the screenshot that it is about."""
    about: str = ""
    """The digest of all that was typed in the episode, and of the target."""
    x: float | None = None
    """Where the action touches the screen, as a share of its width; None if it touches nothing."""
    y: float | None = None
    """The same, as a share of its height."""

    @classmethod
    def of(cls, question: ConsentQuestion) -> Self:
        """Return what clients are told of a question."""
        return cls(id=question.id, screen=question.screen, about=question.about, x=question.x, y=question.y)


class ControlStatus(ServiceAnswer):
    """Show who controls an episode."""

    episode: str
    """The id of the episode."""
    phase: EpisodePhase
    """Its phase."""
    by: str | None = None
    """Who has paused it, has taken it over, or stops it; None while the agent carries it out."""
    question: str = ""
    """What its agent asks a person; empty if it does not ask."""
    consent: ConsentStatus | None = None
    """What the question is about, if it is whether an action may be sent: answer it by ``allows``."""
    since: Instant | None = None
    """Since when, in Unix seconds."""
    ends_at: Instant | None = None
    """When the takeover ends by itself unless another action comes, or the wait for an answer, in Unix seconds."""
    screen: str | None = None
    """The content id of its latest screenshot; None before the first one, and after its end."""
    width: int | None = None
    """The width of that screenshot in pixels."""
    height: int | None = None
    """The height of that screenshot in pixels."""
    keyboard: Keyboard = "unknown"
    """Whether that screenshot has a keyboard. Without one, no field takes what is typed."""
    is_by_hand: bool = False
    """Whether a person took a phone without an episode: no agent waits, and after the end the phone is free."""
    human_actions: int = 0
    """How many actions of persons its phone may have received."""
    ending: Ending | None = None
    """How it ended; None before."""
    reason: str = ""
    """Why it ended so."""

    @classmethod
    def of(cls, control: EpisodeControl) -> Self:
        """Return the status of an episode as its host tells it."""
        size = control.size
        return cls(
            episode=control.episode,
            phase=control.phase,
            by=control.by,
            question=control.question,
            consent=None if control.consent is None else ConsentStatus.of(control.consent),
            since=control.since,
            ends_at=control.ends_at,
            screen=control.screen,
            width=None if size is None else size.width,
            height=None if size is None else size.height,
            keyboard=control.keyboard,
            is_by_hand=control.is_by_hand,
            human_actions=control.person_actions,
            ending=control.ending,
            reason=control.reason,
        )


class QuestionAnswer(ServiceRequest):
    """Answer the question of an episode's agent. The agent's model is told the text as the user's words."""

    text: str | None = Field(min_length=1, max_length=MAX_TEXT)
    """The answer; null declines to answer."""
    allows: str | None = Field(default=None, pattern=r"^[0-9a-f]{16}$")
    """The id of the question whose action may be sent (``consent.id``); null declines, too."""


class PersonActionRequest(ServiceRequest):
    """Ask for one action on the phone of an episode that one has taken over."""

    screen: str = Field(pattern=r"^[0-9a-f]{32}$")
    """The content id of the screenshot that the person saw. It is a conflict if the phone has shown another since."""
    action: PersonOperation
    """The action, in pixels of that screenshot. ``Wait`` sends nothing: it captures the screen again."""

    @field_serializer("action")
    def _with_name(self, action: PersonOperation) -> dict[str, JsonValue]:
        """Write the action whole, because its name has a default."""
        return action.model_dump(mode="json")


class PersonActionAnswer(ServiceAnswer):
    """Tell what came of an action."""

    key: str | None
    """The key of the action in the journal; None for ``Wait``."""
    status: Literal["done", "refused", "unknown"]
    """``refused``: the phone certainly got nothing. ``unknown``: only the screen can tell."""
    detail: str = ""
    """Why it was refused; else empty."""
    control: ControlStatus
    """Who controls the episode now, and its screen after the action."""

    @classmethod
    def of(cls, control: EpisodeControl) -> Self:
        """Return the answer to an action."""
        receipt: Receipt | None = control.receipt
        return cls(
            key=None if receipt is None else receipt.key,
            status="done" if receipt is None else receipt.status,
            detail="" if receipt is None else receipt.detail,
            control=ControlStatus.of(control),
        )
