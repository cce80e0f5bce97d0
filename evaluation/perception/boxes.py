"""Boxes as scoring compares them: labels may lie between pixels, so sides are floats."""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from manyhands.protocol.geometry import Box

SAME_PLACE = 0.5
"""Intersection by union from which two boxes mark the same thing."""


class Rect(NamedTuple):
    """Hold left, top, right and bottom in pixels of the screenshot."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def area(self) -> float:
        return (self.x2 - self.x1) * (self.y2 - self.y1)

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2

    def has_centre_of(self, other: Rect) -> bool:
        """Tell whether a tap on the centre of ``other`` meets this box, its sides included."""
        x, y = other.centre
        return self.x1 <= x <= self.x2 and self.y1 <= y <= self.y2


def rect_of(box: Box) -> Rect:
    return Rect(box.x1, box.y1, box.x2, box.y2)


def iou(one: Rect, other: Rect) -> float:
    """Return intersection by union, from 0 to 1; 0 where the boxes have no area in common."""
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (one.area + other.area - common)


def meets(found: Rect, label: Rect) -> bool:
    """Tell whether a finding counts for a label: its centre lies in it, or they overlap by half."""
    return label.has_centre_of(found) or iou(found, label) >= SAME_PLACE


def side_error(found: Rect, label: Rect) -> float:
    """Return the mean distance of the four sides, in pixels."""
    return sum(abs(a - b) for a, b in zip(found, label, strict=True)) / 4


def centre_error(found: Rect, label: Rect) -> float:
    """Return how far a tap on the finding's centre is from the label's centre, in pixels."""
    (x, y), (u, v) = found.centre, label.centre
    return hypot(x - u, y - v)
