"""Pixels and what was read off them."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.geometry import Box, Size

_WORD = re.compile(r"\S+")
Keyboard = Literal["shown", "hidden", "unknown"]


class Settling(Message):
    """Report how long a capture waited for the screen to come to rest."""

    ms: float = Field(ge=0)
    """Without the time in queues."""
    frames: int = Field(ge=1)
    """Frames that were looked at, the last one being the screenshot."""
    settled: bool
    """False if the limit passed while the screen still changed."""
    quiet_ms: float = Field(default=0, ge=0)
    """How long the screen had to keep still at the end."""
    learned: bool = False
    """Whether it was known what follows such actions in such an app."""
    pauses: int = Field(default=0, ge=0)
    """Still pauses before late changes that were waited for."""
    masked: float = Field(default=0, ge=0, le=1)
    """Share of the screen that kept changing by itself and did not count."""


class Screenshot(Message):
    """Describe one captured screen. The pixels travel beside it, never inside."""

    content_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    """BLAKE3 (128 bits) over width, height and the decoded RGB bytes."""
    size: Size
    serial: str
    taken_at: float
    """Unix seconds at which the frame was complete."""
    capture_ms: float = Field(ge=0)
    """Work on this frame; neither settling before it nor queues."""
    queue_ms: float = Field(default=0, ge=0)
    """Waiting for turns on this host, over all frames that were looked at."""
    settling: Settling | None = None
    keyboard: Keyboard = "unknown"
    """As the phone reports it; ``unknown`` where it does not."""
    app: str | None = None
    """The package in front, as the phone reports it."""
    app_version: str | None = None
    """Its version code when the task began; None where the phone does not report it."""
    alike: str | None = None
    """The content id of the screenshot before it, if nothing differs between them but what changes by itself: the
    status bar, a caret, a region that keeps changing. None also where nobody compared."""
    caret: int | None = None
    """Characters (UTF-16 units) before the caret in the field that has the focus, as the phone reports it."""

    def shows_as(self, before: Screenshot) -> bool:
        """Return whether this shows what the one ``before`` showed, but for what changes by itself."""
        return before.content_id in (self.content_id, self.alike)


class Element(Message):
    """Describe a text or an icon on the screen."""

    kind: Literal["text", "icon"]
    box: Box
    content: str
    """The text as read, or the icon's name; empty where an icon has no name."""
    confidence: float = Field(ge=0, le=1)
    columns: tuple[int, ...] = ()
    """Of a text of several words or characters: the pixel column in the middle of each character of ``content``, as
    its recogniser aligned them. Empty where nobody knows."""

    @model_validator(mode="after")
    def _one_for_each(self) -> Element:
        if self.columns and len(self.columns) != len(self.content):
            raise ValueError(f"{len(self.columns)} columns for {len(self.content)} characters")
        return self

    def part(self, start: int, end: int) -> Element:
        """Return the characters from ``start`` up to ``end`` as a text of their own; all of it without ``columns``."""
        if not self.columns:
            return self
        left = self.box.x1 if start == 0 else self._between(start - 1)
        right = self.box.x2 if end == len(self.content) else self._between(end - 1)
        box = self.box.model_copy(update={"x1": min(left, right - 1), "x2": right})
        return self.model_copy(
            update={"box": box, "content": self.content[start:end], "columns": self.columns[start:end]}
        )

    @property
    def words(self) -> tuple[Element, ...]:
        """Return the words of a text with their places; nothing where these are not known."""
        if not self.columns:
            return ()
        return tuple(self.part(*found.span()) for found in _WORD.finditer(self.content))

    def _between(self, place: int) -> int:
        """Return the column between a character and the next: the middle of the blank, if one of them is one."""
        for blank in (place, place + 1):
            if self.content[blank].isspace():
                return self.columns[blank]
        return (self.columns[place] + self.columns[place + 1]) // 2

    @property
    def centre(self) -> tuple[int, int]:
        return self.box.centre


class Screen(Message):
    """Hold what perception read off a screenshot, elements in reading order."""

    content_id: str
    size: Size
    elements: tuple[Element, ...]
    keyboard: Keyboard
    timings_ms: dict[str, float] = Field(default_factory=dict)
    """By part: queue, decode, compare, text, icons, names, merge, state."""
    cached: bool = False
    """True if the same pixels had been read before."""
    read_share: float = Field(default=1, ge=0, le=1)
    """Of the picture's rows, those that had to be read: 1 if it was read in full, 0 if all was known."""
    captioned: int = Field(default=0, ge=0)
    """How many icons have the name that a model gave them, not our own network."""
    dialog: Box | None = None
    """The card that lies over a page and dims it, where the pixels show one."""
    black: Box | None = None
    """Where a whole page is black: it forbids screenshots, has drawn nothing yet, or the display is off."""
    home: bool = False
    """Whether the pixels show a launcher's page with its dock. What else is in front they do not show."""
