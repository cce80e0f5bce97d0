"""Define sizes, points and boxes, always in pixels of the screenshot."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, model_validator

from manyhands.protocol.base import Message

LONGEST_SIDE = 16384
"""The longest side of a screenshot, in pixels."""


class Size(Message):
    width: int = Field(gt=0, le=LONGEST_SIDE)
    height: int = Field(gt=0, le=LONGEST_SIDE)

    def contains(self, x: int, y: int) -> bool:
        """Return whether pixel (x, y) lies on a screen of this size."""
        return 0 <= x < self.width and 0 <= y < self.height


class Box(Message):
    """Hold a rectangle: left and top inclusive, right and bottom exclusive."""

    x1: int
    y1: int
    x2: int
    y2: int

    @model_validator(mode="after")
    def _ordered(self) -> Box:
        if self.x2 < self.x1 or self.y2 < self.y1:
            raise ValueError(f"box corners are out of order: {self.x1, self.y1, self.x2, self.y2}")
        return self

    @classmethod
    def enclosing(cls, boxes: Iterable[Box]) -> Box:
        """Return the smallest box around ``boxes``, of which there must be at least one."""
        corners = [(box.x1, box.y1, box.x2, box.y2) for box in boxes]
        left, top, right, bottom = zip(*corners, strict=True)
        return cls(x1=min(left), y1=min(top), x2=max(right), y2=max(bottom))

    @property
    def width(self) -> int:
        return self.x2 - self.x1

    @property
    def height(self) -> int:
        return self.y2 - self.y1

    @property
    def centre(self) -> tuple[int, int]:
        return (self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2

    @property
    def area(self) -> int:
        return self.width * self.height
