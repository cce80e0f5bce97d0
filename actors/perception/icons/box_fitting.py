"""Fit boxes to icons at the picture's own resolution: close around the ink, or around the tile below a glyph.

A tile, or a round button, is the ground of a glyph, as far as one colour or a soft gradient reaches.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.screens.geometry import Box

AROUND = 2
"""The margin around a box that is examined, in pixels."""
EVEN = 10
"""On an even ground, pixels differ from their median by at most so many levels, on each channel."""
INK = 28
"""A pixel differs from its ground from so many levels on."""
LEAST = 0.35
"""At least this share of a box must remain. A smaller rest is only a detail of the icon."""


def tight(picture: Rgb, box: Box) -> Box:
    """Return ``box`` without its empty rims.

    On uneven ground return it unchanged; ``picture`` is uint8 (height, width, 3).
    """
    height, width = picture.shape[:2]
    x1, y1 = max(box.x1 - AROUND, 0), max(box.y1 - AROUND, 0)
    x2, y2 = min(box.x2 + AROUND, width), min(box.y2 + AROUND, height)
    part = picture[y1:y2, x1:x2].astype(np.int16)
    if min(part.shape[:2]) < 3:
        return box
    rim = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(rim, axis=0)
    if np.abs(rim - ground).max() > EVEN:
        return box
    ink = np.abs(part - ground).max(axis=2) >= INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    shrunk = Box(x1=x1 + int(columns[0]), y1=y1 + int(rows[0]), x2=x1 + int(columns[-1]) + 1, y2=y1 + int(rows[-1]) + 1)
    return shrunk if shrunk.area >= LEAST * box.area else box


SMOOTH = 4
"""Neighbouring pixels of one ground differ by at most so many levels, on each channel."""
SIDE = (0.07, 0.19)
"""The least and greatest side of a tile, as shares of the screen's width."""
SQUARE = 1.15
"""The greatest ratio of a tile's longer side to its shorter one. Keys are higher than wide, buttons wider than high."""
ROOM = (1.2, 4.0)
"""The least and greatest ratio of a tile's side to the longer side of its glyph."""
CENTRED = 0.16
"""The greatest distance between the centres of glyph and tile, as a share of the tile's side."""
FILLED = 0.7
"""Ground and glyph fill at least this share of a tile's box: 0.785 for a circle."""

Corners = tuple[float, float, float, float]


def tile_around(picture: Rgb, glyph: Corners) -> Corners | None:
    """Return the corners of the tile around ``glyph`` (x1, y1, x2, y2) in pixels of the whole screen ``picture``."""
    unit = picture.shape[1]
    x1, y1, x2, y2 = glyph
    reach = SIDE[1] * unit
    centre = (x1 + x2) / 2, (y1 + y2) / 2
    left, top = max(int(centre[0] - reach), 0), max(int(centre[1] - reach), 0)
    part = np.ascontiguousarray(picture[top : int(centre[1] + reach) + 1, left : int(centre[0] + reach) + 1])
    inner = (x1 - left, y1 - top, x2 - left, y2 - top)
    for seed in _beside(inner, part.shape):
        corners = _filled(part, seed, inner, unit)
        if corners is not None:
            return corners[0] + left, corners[1] + top, corners[2] + left, corners[3] + top
    return None


def _beside(box: Corners, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the points just outside the middles of the four sides that lie on the picture."""
    x1, y1, x2, y2 = (round(edge) for edge in box)
    x, y = (x1 + x2) // 2, (y1 + y2) // 2
    points = [(x1 - 3, y), (x2 + 3, y), (x, y1 - 3), (x, y2 + 3)]
    return [(x, y) for x, y in points if 0 <= x < shape[1] and 0 <= y < shape[0]]


def _filled(part: Rgb, seed: tuple[int, int], glyph: Corners, unit: int) -> Corners | None:
    mask: NDArray[np.uint8] = np.zeros((part.shape[0] + 2, part.shape[1] + 2), np.uint8)
    flags = 4 | cv2.FLOODFILL_MASK_ONLY | (255 << 8)
    area, _, _, (x, y, width, height) = cv2.floodFill(part, mask, seed, 0, (SMOOTH,) * 3, (SMOOTH,) * 3, flags)
    x1, y1, x2, y2 = glyph
    side, longer = max(width, height), max(x2 - x1, y2 - y1)
    if not SIDE[0] * unit <= side <= SIDE[1] * unit or side > SQUARE * min(width, height):
        return None
    if not ROOM[0] * longer <= side <= ROOM[1] * longer:
        return None
    apart = abs(x + width / 2 - (x1 + x2) / 2), abs(y + height / 2 - (y1 + y2) / 2)
    if max(apart) > CENTRED * side or area + (x2 - x1) * (y2 - y1) < FILLED * width * height:
        return None
    return float(x), float(y), float(x + width), float(y + height)
