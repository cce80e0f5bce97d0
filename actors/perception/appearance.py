"""The looks of an icon, in a form that scale, JPEG and another colour hardly change."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.geometry import Box

SIDE = 16
"""Icons are compared at this size, stretched to a square."""
MARGIN = 2
"""Pixels that are looked at around an icon: boxes of finders differ by one or two."""
INK = 0.4
"""Share of the greatest difference from the ground that counts as ink where its edges are searched."""
FAINT = 16
"""Levels by which something differs from the ground, at least."""
CLEAR = 48
"""Levels by which a glyph differs from its tile, at least: less is a shadow or a gradient."""
SQUARE = 1.3
"""Longer side of a tile by its shorter one, at most."""
TILE = 0.7
"""Share of the box of its ink that a tile fills with all that is on it: 0.785 for a disc."""
GROUND = 0.5
"""Share of a tile's pixels that have its own colour, at least."""
RIM = 0.06
"""Share of a tile's side that is left out along its edge, where its ground is taken off."""
SHAPE = 0.35
"""Difference of the sides' ratios of two pictures of one icon, as a power of two, at most."""
SAME = 0.97
"""Correlation from which two pictures show the same icon (docs/perception.md has the rates)."""

ON_TILE = 0.85
"""Correlation of what stands on two tiles from which these may show the same icon, where all of them is the same."""
_PICTURE = SIDE * SIDE + 1
WIDTH = 2 * _PICTURE

Looks = NDArray[np.float32]
"""Shape (icons, WIDTH): a picture of mean 0 and length 1, and the sides' ratio as a power of two; then both again, of a
tile those of what stands on it."""


def looks_of(rgb: Rgb, boxes: Sequence[Box]) -> Looks:
    """Describe the looks of each box of a picture, uint8 (height, width, 3); zeros for a plain box or one outside."""
    found = np.zeros((len(boxes), WIDTH), np.float32)
    for row, box in zip(found, boxes, strict=True):
        part = rgb[max(box.y1 - MARGIN, 0) : box.y2 + MARGIN, max(box.x1 - MARGIN, 0) : box.x2 + MARGIN]
        whole, glyph = _inks(part)
        if whole is not None:
            row[:_PICTURE] = _picture(whole)
            row[_PICTURE:] = row[:_PICTURE] if glyph is None else _picture(glyph)
    return found


def nearest(looks: Looks, known: Looks) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return for each of ``looks`` the index of the nearest of ``known``, and whether that is the same icon.

    Where both are tiles, what stands on them decides: by the tile, which is most of the picture, all are the same.
    """
    if len(known) == 0:
        return np.zeros(len(looks), np.intp), np.zeros(len(looks), np.bool_)
    whole = _alike(looks[:, :_PICTURE], known[:, :_PICTURE])
    glyph = _alike(looks[:, _PICTURE:], known[:, _PICTURE:])
    other_glyphs = np.logical_and.outer(_are_tiles(looks), _are_tiles(known)) & (glyph < ON_TILE)
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
    """Return one row's half, (SIDE * SIDE + 1,); all zeros if the ink has no form."""
    small = cv2.resize(ink, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel()
    small -= small.mean()
    length = float(np.linalg.norm(small))
    if length == 0:
        return np.zeros(_PICTURE, np.float32)
    return np.append(small / length, np.float32(np.log2(ink.shape[1] / ink.shape[0])))


def _inks(part: Rgb) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """Return each pixel's distance from the ground, 0 to 1, cut to the ink, and the same for the glyph on its tile."""
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
    """Return the ink on the tile that most of ``ink`` is; None if that is not a tile, or a plain one."""
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
    """Return the levels by which each pixel differs from ``colour``, on the channel with the largest difference."""
    return np.asarray(np.abs(part.astype(np.float32) - colour.astype(np.float32)).max(axis=2), np.float32)


def _cut(apart: NDArray[np.float32], ink: NDArray[np.bool_], most: float) -> NDArray[np.float32]:
    rows, columns = np.nonzero(ink)
    return np.asarray(apart[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] / most, np.float32)
