"""Finding one thing on a screen by words (Mobile-Agent v1): a text by its string, an icon by what and where it is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from manyhands.protocol.argument_types import Position
from manyhands.protocol.base import Message
from manyhands.protocol.screens import Element

Way = Literal["exact", "contained", "similar", "name", "label", "colour", "position", "likeness"]
"""How a match was made: a text equal to the words, one that holds them, one like them; an icon by its name, by the
text right under it, by its colour, by its place, by how like its pixels are to the description (CLIP)."""


class LocateQuery(Message):
    """Describe what is looked for."""

    kind: Literal["text", "icon"]
    words: str = Field(min_length=1, max_length=200)
    """A text as it is written, or an icon's description in English or Chinese: "the red bell, top right"."""
    position: Position | None = None
    """Where an icon is, beside what its description says."""


class Match(Message):
    """Hold an element that may be meant."""

    element: Element
    """Of a text that holds the words, the words alone where it is known where they stand."""
    score: float = Field(ge=0, le=1)
    ways: tuple[Way, ...]


class Located(Message):
    """Hold all that may be meant, the best first; none where nothing fits."""

    matches: tuple[Match, ...]
