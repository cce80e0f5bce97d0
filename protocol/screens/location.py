"""Define how to find one thing on a screen by words (Mobile-Agent v1): a text, or an icon by its look and place."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.screens.argument_types import Position
from manyhands.protocol.screens.screen import Element

Way = Literal["exact", "contained", "similar", "name", "label", "colour", "position", "likeness"]
"""How a match was made. A text equals the words, contains them, or is similar to them. An icon matches by its name, by
the text right under it, by its colour, by its place, or because CLIP finds its pixels like the description."""


class LocateQuery(Message):
    """Describe what to find on a screen."""

    kind: Literal["text", "icon"]
    words: str = Field(min_length=1, max_length=200)
    """The text as it is written, or a description of the icon in English or Chinese: "the red bell, top right"."""
    position: Position | None = None
    """Where the icon is, in addition to its description."""


class Match(Message):
    """Hold an element that the query may mean."""

    element: Element
    """The element. If a longer text contains the words, this is only the part with the words, provided that its place
    is known."""
    score: float = Field(ge=0, le=1)
    ways: tuple[Way, ...]


class Located(Message):
    """Hold all elements that the query may mean, the best first; empty if none fits."""

    matches: tuple[Match, ...]
