"""What the agent of v1 is asked: the next operation, which of several places, whether all is done."""

from __future__ import annotations

from typing import TypeVar

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.derived import Crop, Shown
from manyhands.protocol.roles import Decision, Known, Request, Role
from manyhands.protocol.screens import Element, Screenshot
from manyhands.protocol.v1 import MOST_PLACES

A = TypeVar("A", bound=Message)

MARGIN = (0.28, 0.17)
"""How far a crop reaches beyond its text, as shares of the screen's width and height: the authors' 300 and 400 pixels
of 1080 x 2340."""


class ChatStep(Message):
    """Hold a step of the chat: what the agent is shown and told, what it answered, and what it was asked after that."""

    screenshot: Screenshot
    shown: bool
    """Whether its picture is in the chat; the oldest are left out."""
    told: str = ""
    """What came of the operation before, as far as it is known."""
    answer: str = ""
    """The agent's own words; empty in the step that is asked now."""
    completion: str | None = None
    """Its own words when it was asked whether all is done; None where it was not."""


class ChatSoFar(Request[A]):
    """Ask something more in the chat of an episode."""

    role = Role.DECIDE

    chat: tuple[ChatStep, ...] = Field(min_length=1)
    """All steps; the last one is that of the screen now."""

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return tuple(step.screenshot for step in self.chat if step.shown)

    @property
    def known(self) -> Known:
        return Known(size=self.chat[-1].screenshot.size)

    @property
    def pictures(self) -> tuple[Shown, ...]:
        """Return what is made of its screenshots: all at half their size."""
        return tuple(Shown(one.content_id, half=True) for one in self.screenshots)


class OperateRequest(ChatSoFar[Decision]):
    """Ask for the next operation (section 2.2, Self-Planning)."""


class Completion(Message):
    """Hold whether all is done, by the agent's own words."""

    thought: str
    complete: bool
    missing: str


class CompletionRequest(ChatSoFar[Completion]):
    """Ask after Stop whether all is done (section 2.2, Self-Reflection)."""


class Choice(Message):
    thought: str
    number: int = Field(ge=1, le=MOST_PLACES)


class ChoiceRequest(Request[Choice]):
    """Ask which of a few places with the same text is meant (section 2.1, Text Localization)."""

    role = Role.DECIDE

    screenshot: Screenshot
    answer: str
    """The agent's own words, by which it chose the text."""
    words: str
    places: tuple[Element, ...] = Field(min_length=2, max_length=MOST_PLACES)

    @property
    def screenshots(self) -> tuple[Screenshot, ...]:
        return (self.screenshot,)

    @property
    def known(self) -> Known:
        return Known(size=self.screenshot.size, elements=self.places)

    @property
    def pictures(self) -> tuple[Shown, ...]:
        """Return what is made of its screenshot: a part around each place, numbered."""
        size = self.screenshot.size
        margin = round(MARGIN[0] * size.width), round(MARGIN[1] * size.height)
        crops = (Crop.around(one.box, number, size, margin) for number, one in enumerate(self.places, start=1))
        return tuple(Shown(self.screenshot.content_id, crop=crop) for crop in crops)


def first_shown(step: int, most: int | None) -> int:
    """Return the first step whose screenshot is in the chat at ``step``, where ``most`` may be; None: all are.

    They leave in blocks of all but one: after that the one before and the one now are left, which self-reflection
    needs, and the prompt is only added to until as many are there again.
    """
    if most is None or step < most:
        return 0
    block = most - 1
    return block * -(-(step + 1 - most) // block)
