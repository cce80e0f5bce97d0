"""Define rectangles in pixels of the screen."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """Be a rectangle: left, top, width, height. It may be empty."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def empty(self) -> bool:
        return self.w <= 0 or self.h <= 0

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def cut(self, other: Box) -> Box:
        """Return the part inside ``other``; empty if both have nothing in common."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        return Box(x, y, max(0, min(self.right, other.right) - x), max(0, min(self.bottom, other.bottom) - y))

    def join(self, other: Box) -> Box:
        """Return the smallest box around both. An empty box adds nothing."""
        if self.empty:
            return other
        if other.empty:
            return self
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def middle(self, w: int, h: int) -> Box:
        """Return a box of this size in the middle of this one."""
        return Box(self.x + (self.w - w) // 2, self.y + (self.h - h) // 2, w, h)

    def inset(self, left: int, top: int, right: int, bottom: int) -> Box:
        return Box(self.x + left, self.y + top, max(0, self.w - left - right), max(0, self.h - top - bottom))
