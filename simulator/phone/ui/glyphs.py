"""Draw icons on a grid of 24 x 24, and render them to anti-aliased masks of any size."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from manyhands.simulator.phone.ui.glyph_paths import PATHS, SPINNER_STEPS, Stroke

GRID = 24
OVERSAMPLE = 4


def _points(numbers: tuple[float, ...], scale: float) -> list[tuple[float, float]]:
    return [(numbers[i] * scale, numbers[i + 1] * scale) for i in range(0, len(numbers), 2)]


def _line(draw: ImageDraw.ImageDraw, points: list[tuple[float, float]], width: float, ink: int) -> None:
    draw.line(points, fill=ink, width=max(1, round(width)), joint="curve")
    for x, y in points:  # round ends
        draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=ink)


def _draw(draw: ImageDraw.ImageDraw, stroke: Stroke, scale: float) -> None:
    kind, rest = str(stroke[0]), stroke[1:]
    ink = 0 if kind.startswith("cut-") else 255
    kind = kind.removeprefix("cut-")
    n = tuple(float(value) for value in rest)
    lengths = tuple(value * scale for value in n)
    x, y, r = (*lengths, 0.0, 0.0, 0.0)[:3]
    around = (x - r, y - r, x + r, y + r)
    if kind == "line":
        _line(draw, _points(n[1:], scale), lengths[0], ink)
    elif kind == "poly":
        draw.polygon(_points(n, scale), fill=ink)
    elif kind == "disc":
        draw.ellipse(around, fill=ink)
    elif kind == "ring":
        draw.ellipse(around, outline=ink, width=max(1, round(lengths[3])))
    elif kind == "rect":
        draw.rounded_rectangle(lengths[:4], lengths[4], fill=ink)
    elif kind == "frame":
        draw.rounded_rectangle(lengths[:4], lengths[4], outline=ink, width=max(1, round(lengths[5])))
    elif kind == "arc":
        draw.arc(around, n[4], n[5], fill=ink, width=max(1, round(lengths[3])))
    elif kind == "wedge":
        draw.pieslice(around, n[3], n[4], fill=ink)
    else:
        raise ValueError(f"unknown stroke {kind!r} in a glyph")


def _spinner(index: int) -> tuple[Stroke, ...]:
    start = 360 * index / SPINNER_STEPS
    return (("arc", 12, 12, 10, 2.4, start, start + 270),)


def _star() -> tuple[Stroke, ...]:
    points: list[float] = []
    for corner in range(10):
        radius = 10.5 if corner % 2 == 0 else 4.3
        angle = math.pi * corner / 5 - math.pi / 2
        points += [12 + radius * math.cos(angle), 12.6 + radius * math.sin(angle)]
    return (("poly", *points),)


def _gear() -> tuple[Stroke, ...]:
    teeth: list[Stroke] = []
    for tooth in range(8):
        angle = math.pi * tooth / 4
        cos, sin = math.cos(angle), math.sin(angle)
        teeth.append(("line", 4, 12 + 6 * cos, 12 + 6 * sin, 12 + 8.6 * cos, 12 + 8.6 * sin))
    return (*teeth, ("disc", 12, 12, 7.4), ("cut-disc", 12, 12, 3.4))


def strokes(name: str) -> tuple[Stroke, ...]:
    """Return the drawing of a glyph. Raises KeyError for an unknown name."""
    if name.startswith("spinner-"):
        return _spinner(int(name.removeprefix("spinner-")))
    if name == "star":
        return _star()
    if name == "gear":
        return _gear()
    return PATHS[name]


@lru_cache(maxsize=512)
def glyph(name: str, size: int) -> NDArray[np.uint8]:
    """Return the alpha mask: uint8 of shape (size, size). It is shared, so do not write to it."""
    big = size * OVERSAMPLE
    image = Image.new("L", (big, big))
    draw = ImageDraw.Draw(image)
    for stroke in strokes(name):
        _draw(draw, stroke, big / GRID)
    return np.asarray(image.reduce(OVERSAMPLE))
