"""Describe pictures that are made from a screenshot, and name them.

From a name and the screenshot alone, the picture can be made again. A content id of 32 hexadecimal digits names a
screenshot: the hash of its pixels. A picture that is made from it has a longer id: ``ID-half``, or
``ID-crop-X1.Y1.X2.Y2-X1.Y1.X2.Y2-N`` for a part of the screenshot (first box) in which a box (second box) is drawn and
the number N is written. ``actors.frames`` makes the pixels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from manyhands.protocol.screens.geometry import Box, Size

_ID = "[0-9a-f]{32}"
_CORNERS = r"\d{1,5}\.\d{1,5}\.\d{1,5}\.\d{1,5}"
_DERIVED = re.compile(rf"({_ID})-(?:half|crop-({_CORNERS})-({_CORNERS})-(\d{{1,2}}))")


@dataclass(frozen=True, slots=True)
class Crop:
    """Describe a part of a screenshot in which a box and a number are drawn, in pixels of the screenshot."""

    part: Box
    marked: Box
    """The box that is drawn, within the part."""
    number: int
    """The number that is written into the box's left top corner."""

    @classmethod
    def with_margin(cls, marked: Box, number: int, screen: Size, margin: tuple[int, int]) -> Self:
        """Return a crop that extends ``margin`` pixels (across, down) beyond the box, but not beyond the screen."""
        across, down = margin
        inside = _within(marked, screen)
        part = Box(x1=inside.x1 - across, y1=inside.y1 - down, x2=inside.x2 + across, y2=inside.y2 + down)
        return cls(_within(part, screen), inside, number)


def _within(box: Box, screen: Size) -> Box:
    """Return the part of a box that lies on the screen: at least one pixel."""
    x1, y1 = min(max(box.x1, 0), screen.width - 1), min(max(box.y1, 0), screen.height - 1)
    x2, y2 = max(min(box.x2, screen.width), x1 + 1), max(min(box.y2, screen.height), y1 + 1)
    return Box(x1=x1, y1=y1, x2=x2, y2=y2)


@dataclass(frozen=True, slots=True)
class PromptPicture:
    """Describe a picture in a request: a screenshot, or a picture made from one."""

    source: str
    """The screenshot's content id."""
    half: bool = False
    crop: Crop | None = None

    @property
    def content_id(self) -> str:
        if self.half:
            return f"{self.source}-half"
        if self.crop is not None:
            part, marked = (f"{box.x1}.{box.y1}.{box.x2}.{box.y2}" for box in (self.crop.part, self.crop.marked))
            return f"{self.source}-crop-{part}-{marked}-{self.crop.number}"
        return self.source

    def size(self, screenshot: Size) -> Size:
        """Return the picture's size. ``screenshot``: the size of its screenshot."""
        if self.half:
            return Size(width=max(1, screenshot.width // 2), height=max(1, screenshot.height // 2))
        if self.crop is not None:
            return Size(width=self.crop.part.width, height=self.crop.part.height)
        return screenshot


def parse_content_id(content_id: str) -> PromptPicture:
    """Return the picture that a content id names. An id of any other form is taken for a screenshot's."""
    match = _DERIVED.fullmatch(content_id)
    if match is None:
        return PromptPicture(content_id)
    if match[2] is None:
        return PromptPicture(match[1], half=True)
    return PromptPicture(match[1], crop=Crop(_box(match[2]), _box(match[3]), int(match[4])))


def _box(text: str) -> Box:
    x1, y1, x2, y2 = map(int, text.split("."))
    return Box(x1=x1, y1=y1, x2=x2, y2=y2)
