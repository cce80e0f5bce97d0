"""Describe the looks of an icon in a form that scale, JPEG and another colour hardly change."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.screens.geometry import Box

SIDE = 16
"""Icons are compared at this size, stretched to a square."""
MARGIN = 2
"""The margin around an icon that is included, in pixels. Boxes of finders differ by one or two pixels."""
INK = 0.4
"""In the search for the edges of the ink, a pixel counts as ink if its difference from the ground is at least this
share of the greatest difference."""
FAINT = 16
"""A picture whose greatest difference from the ground is below so many levels is plain."""
CLEAR = 48
"""A glyph differs from its tile by at least so many levels. Less is a shadow or a gradient."""
SQUARE = 1.3
"""The greatest ratio of a tile's longer side to its shorter side."""
TILE = 0.7
"""A tile, with everything on it, fills at least this share of the box around its ink: 0.785 for a disc."""
GROUND = 0.5
"""At least this share of a tile's pixels has the tile's own colour."""
RIM = 0.06
"""The share of a tile's side that is left out along its edge when the glyph is separated from the tile."""
SHAPE = 0.35
"""The greatest difference between the side ratios of two pictures of one icon, as a power of two."""
SAME = 0.97
"""Two pictures show the same icon from this correlation on (docs/perception.md has the rates)."""

ON_TILE = 0.85
"""If two glyphs on tiles correlate less than this, the glyphs alone decide.

From this correlation on, the whole tiles may decide too.
"""
_PICTURE = SIDE * SIDE + 1
WIDTH = 2 * _PICTURE

Looks = NDArray[np.float32]
"""Shape (icons, WIDTH). A row has two halves. Each holds a picture of mean 0 and length 1, and its side ratio as a
power of two. The first half is of the icon. For a tile, the second half is of its glyph; otherwise both are equal."""


def looks_of(rgb: Rgb, boxes: Sequence[Box]) -> Looks:
    """Describe the looks of each box of a picture, uint8 (height, width, 3).

    A plain box, or one outside, gives zeros.
    """
    looks = np.zeros((len(boxes), WIDTH), np.float32)
    for row, box in zip(looks, boxes, strict=True):
        part = rgb[max(box.y1 - MARGIN, 0) : box.y2 + MARGIN, max(box.x1 - MARGIN, 0) : box.x2 + MARGIN]
        whole, glyph = _inks(part)
        if whole is not None:
            row[:_PICTURE] = _picture(whole)
            row[_PICTURE:] = row[:_PICTURE] if glyph is None else _picture(glyph)
    return looks


def nearest(looks: Looks, earlier: Looks) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return for each of ``looks`` the index of the nearest of ``earlier``, and whether they are the same icon.

    If both are tiles, their glyphs decide: a tile fills most of the picture, and all tiles look alike.
    """
    if len(earlier) == 0:
        return np.zeros(len(looks), np.intp), np.zeros(len(looks), np.bool_)
    whole = _alike(looks[:, :_PICTURE], earlier[:, :_PICTURE])
    glyph = _alike(looks[:, _PICTURE:], earlier[:, _PICTURE:])
    other_glyphs = np.logical_and.outer(_are_tiles(looks), _are_tiles(earlier)) & (glyph < ON_TILE)
    alike = np.where(other_glyphs, glyph, np.maximum(whole, glyph))
    index = alike.argmax(axis=1)
    return index, alike[np.arange(len(looks)), index] >= SAME


def _alike(pictures: Looks, others: Looks) -> NDArray[np.float32]:
    alike = pictures[:, :-1] @ others[:, :-1].T
    alike[np.abs(pictures[:, None, -1] - others[None, :, -1]) > SHAPE] = -1
    return np.asarray(alike, np.float32)


def _are_tiles(looks: Looks) -> NDArray[np.bool_]:
    return np.asarray((looks[:, :_PICTURE] != looks[:, _PICTURE:]).any(axis=1))


def _picture(ink: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one half of a row of ``Looks``, (SIDE * SIDE + 1,). Return zeros if the ink has no form."""
    small = cv2.resize(ink, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel()
    small -= small.mean()
    length = float(np.linalg.norm(small))
    if length == 0:
        return np.zeros(_PICTURE, np.float32)
    return np.append(small / length, np.float32(np.log2(ink.shape[1] / ink.shape[0])))


def _inks(part: Rgb) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """Return each pixel's distance from the ground, 0 to 1, cropped to the ink.

    For a glyph on a tile, also return the same for the glyph alone.
    """
    if part.size == 0:
        return None, None
    edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    apart = _apart(part, np.median(edge, axis=0))
    most = float(apart.max())
    if most < FAINT:
        return None, None
    ink = apart > INK * most
    return _cut(apart, ink, most), _on_tile(part, ink)


def _on_tile(part: Rgb, ink: NDArray[np.bool_]) -> NDArray[np.float32] | None:
    """Return the ink of the glyph if most of ``ink`` is a tile. Return None if it is no tile, or a plain one."""
    outlines, _ = cv2.findContours(ink.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea)
    _, _, width, height = cv2.boundingRect(outline)
    whole = cv2.drawContours(np.zeros(ink.shape, np.uint8), [outline], -1, (1,), cv2.FILLED)
    if whole.sum() < TILE * width * height or max(width, height) > SQUARE * min(width, height):
        return None
    rim = 2 * max(round(RIM * min(width, height)), 1) + 1
    inner = cv2.erode(np.pad(whole, 1), np.ones((rim, rim), np.uint8))[1:-1, 1:-1] > 0
    if not (inner & ink).any():
        return None
    apart = np.where(inner, _apart(part, np.median(part[inner & ink], axis=0)), np.float32(0))
    most = float(apart.max())
    glyph = apart > INK * most
    if most < CLEAR or np.count_nonzero(glyph) > (1 - GROUND) * np.count_nonzero(inner):
        return None
    return _cut(apart, glyph, most)


def _apart(part: Rgb, colour: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return by how many levels each pixel differs from ``colour``, on the channel with the largest difference."""
    return np.asarray(np.abs(part.astype(np.float32) - colour.astype(np.float32)).max(axis=2), np.float32)


def _cut(apart: NDArray[np.float32], ink: NDArray[np.bool_], most: float) -> NDArray[np.float32]:
    rows, columns = np.nonzero(ink)
    return np.asarray(apart[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] / most, np.float32)
