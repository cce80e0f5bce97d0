"""Define what the agent of v1 is asked: the chat of an episode so far, and its next question.

The chat is made from the journal's records. There are three questions: what the next operation is, which of several
places the agent means, and whether the task is complete.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from pydantic import Field

from manyhands.actors.episode.state import BY_PERSON, EpisodeState
from manyhands.protocol.base import Message
from manyhands.protocol.profiles.v1 import MOST_PLACES
from manyhands.protocol.roles.requests import Decision, ReplyContext, Request
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import action_json, harmless, one_line
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import Stop
from manyhands.protocol.screens.crops import Crop, PromptPicture
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element, Screenshot

A = TypeVar("A", bound=Message)

MARGIN = (0.28, 0.17)
"""How far a crop reaches beyond its text, as shares of the screen's width and height.

The authors use 300 and 400 pixels of 1080 x 2340.
"""
OTHERWISE = "Choose another operation, or the same with other parameters."


class ChatStep(Message):
    """Hold a step of the chat: what the agent is shown and told, its answer, and its answer on whether the
    task is complete.
    """

    screenshot: Screenshot
    shown: bool
    """Whether the chat shows the step's picture. The oldest pictures are left out."""
    told: str = ""
    """What came of the previous operation, as far as it is known."""
    answer: str = ""
    """The agent's own words. Empty in the current step."""
    completion: str | None = None
    """The agent's own words when it was asked whether the task is complete. None if it was not asked."""


class ChatSoFar(Request[A]):
    """Ask a further question in the chat of an episode."""

    role = Role.DECIDE

    chat: tuple[ChatStep, ...] = Field(min_length=1)
    """All steps. The last one has the current screen."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return tuple(step.screenshot for step in self.chat if step.shown)

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.chat[-1].screenshot.size)

    @property
    def pictures(self) -> tuple[PromptPicture, ...]:
        """Return the pictures to make of the screenshots: all at half their size."""
        return tuple(PromptPicture(one.content_id, half=True) for one in self.screenshots)


class OperateRequest(ChatSoFar[Decision]):
    """Ask for the next operation (section 2.2, Self-Planning)."""


class CompletionAnswer(Message):
    """Hold the agent's own words on whether the task is complete."""

    thought: str
    complete: bool
    missing: str


class CompletionRequest(ChatSoFar[CompletionAnswer]):
    """Ask after Stop whether the task is complete (section 2.2, Self-Reflection)."""


class Choice(Message):
    thought: str
    number: int = Field(ge=1, le=MOST_PLACES)


class FoundPlace(Message):
    """Hold the place of the text or icon that an operation names. The stage ``locate`` leaves this record."""

    kind: Literal["text", "icon"]
    words: str
    found: int
    """How many places fit the words."""
    x: int
    y: int
    ways: tuple[str, ...]
    """The ways in which the place was found."""
    score: float
    box: Box
    choice: int | None = None
    """The number of the place that the agent chose. None if the agent was not asked."""


class MissingPlace(Message):
    """Hold why no place of the screen is tapped. The stage ``locate`` leaves this record instead."""

    kind: Literal["text", "icon"]
    words: str
    found: int
    problem: str


class ChoiceRequest(Request[Choice]):
    """Ask which of a few places with the same text is meant (section 2.1, Text Localization)."""

    role = Role.DECIDE

    screenshot: Screenshot
    answer: str
    """The agent's own words by which it chose the text."""
    words: str
    places: tuple[Element, ...] = Field(min_length=2, max_length=MOST_PLACES)

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.screenshot,)

    @property
    def reply_context(self) -> ReplyContext:
        return ReplyContext(size=self.screenshot.size, elements=self.places)

    @property
    def pictures(self) -> tuple[PromptPicture, ...]:
        """Return the pictures to make of the screenshot: a numbered crop around each place."""
        size = self.screenshot.size
        margin = round(MARGIN[0] * size.width), round(MARGIN[1] * size.height)
        crops = (Crop.with_margin(one.box, number, size, margin) for number, one in enumerate(self.places, start=1))
        return tuple(PromptPicture(self.screenshot.content_id, crop=crop) for crop in crops)


def first_shown(step: int, most: int | None) -> int:
    """Return the first step whose screenshot the chat at ``step`` shows. ``most``: the limit; None shows all.

    Screenshots are left out in blocks of ``most`` - 1. Then two are left, the previous and the current one, because
    self-reflection needs both. After that the prompt only grows until it shows ``most`` screenshots again, so that
    servers can use their caches.
    """
    if most is None or step < most:
        return 0
    block = most - 1
    return block * -(-(step + 1 - most) // block)


def most_pictures(settings: EpisodeSettings) -> int | None:
    """Return how many screenshots the chat shows at most; None for all."""
    return None if settings.paper_exact else settings.chat_pictures


def chat_of(state: EpisodeState, step: int, settings: EpisodeSettings) -> tuple[ChatStep, ...]:
    """Return the chat up to the screen of ``step``. The answer to that step may be part of it.

    A picture that was lost in an interruption is left out, like pictures that are too old.
    """
    first = first_shown(step, most_pictures(settings))
    has_picture = (number >= first and not state.step(number).unseen for number in range(step + 1))
    return tuple(_step(state, number, one, settings.paper_exact) for number, one in enumerate(has_picture))


def _step(state: EpisodeState, number: int, is_shown: bool, paper_exact: bool) -> ChatStep:
    at = state.step(number)
    assert at.screenshot is not None
    circling = "" if paper_exact else state.circling(number)
    return ChatStep(
        screenshot=at.screenshot,
        shown=is_shown,
        told=" ".join(filter(None, (_tell_outcome(state, number) if number else "", circling))),
        answer=at.replies.get("decide", ""),
        completion=at.replies.get("confirm"),
    )


def _tell_outcome(state: EpisodeState, step: int) -> str:
    """Return what came of the operation that led to the screen of ``step``."""
    before = state.step(step - 1)
    if before.person and not before.all_refused:
        return f"{BY_PERSON} It was {action_json(before.sent[0].action.model_dump(mode='json'))}."
    decided = before.decision
    if decided is not None and isinstance(decided.action, Stop):
        if "confirm" in before.failures:
            return "Your answer could not be read. If all is done, choose Stop again."
        return "You are not done yet: go on with what is missing."
    problem = before.acted.problem if before.acted is not None else None
    if problem is not None:
        return f"Your last operation was not carried out: {harmless(one_line(problem)).rstrip('.')}. {OTHERWISE}"
    if state.unchanged(step):
        return f"The screen has not changed since your last operation. {OTHERWISE}"
    place = before.result("locate", FoundPlace)
    return "" if place is None or place.choice is None else f"The place with the number {place.choice} was tapped."
