"""Dialects: a model family's coordinate convention, to and from pixels of the screenshot.

The numbers never tell their space, so it is configuration. A pixel here is an index, 0 to size - 1; a model's
coordinate runs over the same side from 0 to the space's extent, and the extent itself lands on the last pixel.
Anything outside is refused, never clamped: a model that writes pixels where 0-1000 was asked would tap a far
away element.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from protocol.errors import BadInput, ManyhandsError
from protocol.geometry import Size


class OutsideScreen(ManyhandsError):
    """A model's coordinates that are not on its screen."""

    code = "outside_screen"


class Dialect(Protocol):
    """A coordinate convention. ``size`` is always the screenshot's."""

    @property
    def name(self) -> str: ...

    @property
    def explanation(self) -> str:
        """One sentence for the prompt about what the numbers mean."""

    def extent(self, size: Size) -> Size:
        """The largest x and y that the model may write."""


@dataclass(frozen=True, slots=True)
class Relative:
    """Coordinates from 0 to ``full`` over each side, whatever the picture's size (Qwen3-VL: 1000)."""

    name: str
    full: int = 1000

    @property
    def explanation(self) -> str:
        return (
            f"x runs from 0 at the left edge to {self.full} at the right edge, y from 0 at the top to {self.full} at "
            "the bottom, whatever the size of the picture."
        )

    def extent(self, size: Size) -> Size:
        return Size(width=self.full, height=self.full)


@dataclass(frozen=True, slots=True)
class Resized:
    """Pixels of the picture as the model's processor resizes it (Qwen2.5-VL: sides are multiples of 28)."""

    name: str
    factor: int = 28
    min_pixels: int = 56 * 56
    max_pixels: int = 16384 * 28 * 28

    @property
    def explanation(self) -> str:
        return "x and y are pixels of the picture as you see it, counted from its left top corner."

    def extent(self, size: Size) -> Size:
        """The resized picture's sides, by the family's rule: nearest multiples, then into the limits of area."""
        width, height = (max(self.factor, round(side / self.factor) * self.factor) for side in _sides(size))
        if width * height > self.max_pixels:
            scale = math.sqrt(size.width * size.height / self.max_pixels)
            width, height = (
                max(self.factor, math.floor(side / scale / self.factor) * self.factor) for side in _sides(size)
            )
        elif width * height < self.min_pixels:
            scale = math.sqrt(self.min_pixels / (size.width * size.height))
            width, height = (math.ceil(side * scale / self.factor) * self.factor for side in _sides(size))
        return Size(width=width, height=height)


DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Relative("qwen3-vl"), Resized("qwen2.5-vl"))}


def dialect_named(name: str) -> Dialect:
    """Raises BadInput that lists the known names."""
    if name not in DIALECTS:
        raise BadInput(f"unknown dialect {name!r}; known are {', '.join(DIALECTS)}")
    return DIALECTS[name]


def to_pixel(dialect: Dialect, x: int, y: int, size: Size) -> tuple[int, int]:
    """The pixel at a model's (x, y). Raises OutsideScreen."""
    extent = dialect.extent(size)
    if not (0 <= x <= extent.width and 0 <= y <= extent.height):
        raise OutsideScreen(f"({x}, {y}) is outside the screen, which is {extent.width} x {extent.height}")
    return _pixel(x, extent.width, size.width), _pixel(y, extent.height, size.height)


def to_model(dialect: Dialect, x: int, y: int, size: Size) -> tuple[int, int]:
    """The model's coordinates of pixel (x, y); a pixel beyond the screen's edge is written as the edge."""
    extent = dialect.extent(size)
    return _unit(x, extent.width, size.width), _unit(y, extent.height, size.height)


def _pixel(value: int, extent: int, side: int) -> int:
    return min(_divide(value * side, extent), side - 1)


def _unit(value: int, extent: int, side: int) -> int:
    return min(max(_divide(value * extent, side), 0), extent)


def _divide(numerator: int, denominator: int) -> int:
    """Rounded to the nearest integer, halves up, without floats."""
    return (2 * numerator + denominator) // (2 * denominator)


def _sides(size: Size) -> tuple[int, int]:
    return size.width, size.height
