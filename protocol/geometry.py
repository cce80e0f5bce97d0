"""Sizes, points and boxes, always in pixels of the screenshot."""

from __future__ import annotations

from pydantic import Field, model_validator

from manyhands.protocol.base import Message

LONGEST_SIDE = 16384
"""Pixels of a screenshot's side, at most."""


class Size(Message):
    width: int = Field(gt=0, le=LONGEST_SIDE)
    height: int = Field(gt=0, le=LONGEST_SIDE)

    def contains(self, x: int, y: int) -> bool:
        """Whether pixel (x, y) lies on a screen of this size."""
        return 0 <= x < self.width and 0 <= y < self.height


class Box(Message):
    """Left and top inclusive, right and bottom exclusive."""

    x1: int
    y1: int
    x2: int
    y2: int

    @model_validator(mode="after")
    def _ordered(self) -> Box:
        if self.x2 < self.x1 or self.y2 < self.y1:
            raise ValueError(f"box corners are out of order: {self.x1, self.y1, self.x2, self.y2}")
        return self

    @property
    def centre(self) -> tuple[int, int]:
        return (self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2

    @property
    def area(self) -> int:
        return (self.x2 - self.x1) * (self.y2 - self.y1)
