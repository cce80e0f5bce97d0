"""What an icon looks like, in a form that scale, JPEG and another colour hardly change."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from actors.frames import Rgb
from protocol.geometry import Box

SIDE = 16
"""Icons are compared at this size, stretched to a square."""
MARGIN = 2
"""Pixels that are looked at around an icon: boxes of finders differ by one or two."""
INK = 0.4
"""Of the greatest difference from the ground, what counts as ink where its edges are looked for."""
SHAPE = 0.35
"""By how much, as a power of two, the sides' ratios of two pictures of one icon may differ."""
SAME = 0.97
"""Correlation from which two pictures show the same icon (docs/perception.md has the rates)."""

Looks = NDArray[np.float32]
"""Shape (icons, SIDE * SIDE + 1): a picture of mean 0 and length 1, and the sides' ratio as a power of two."""


def looks_of(rgb: Rgb, boxes: Sequence[Box]) -> Looks:
    """How each box of a picture, uint8 (height, width, 3), looks. One that is plain or outside is all zeros."""
    found = np.zeros((len(boxes), SIDE * SIDE + 1), np.float32)
    for row, box in zip(found, boxes, strict=True):
        part = rgb[max(box.y1 - MARGIN, 0) : box.y2 + MARGIN, max(box.x1 - MARGIN, 0) : box.x2 + MARGIN]
        ink = _ink(part)
        if ink is None:
            continue
        small = cv2.resize(ink, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel()
        small -= small.mean()
        length = float(np.linalg.norm(small))
        if length > 0:
            row[:-1], row[-1] = small / length, np.log2(ink.shape[1] / ink.shape[0])
    return found


def nearest(looks: Looks, known: Looks) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each of ``looks`` the index of the nearest of ``known``, and whether that is the same icon."""
    if len(known) == 0:
        return np.zeros(len(looks), np.intp), np.zeros(len(looks), np.bool_)
    alike = looks[:, :-1] @ known[:, :-1].T
    alike[np.abs(looks[:, None, -1] - known[None, :, -1]) > SHAPE] = -1
    index = alike.argmax(axis=1)
    return index, alike[np.arange(len(looks)), index] >= SAME


def _ink(part: Rgb) -> NDArray[np.float32] | None:
    """How far each pixel is from the ground, 0 to 1, cut to the ink; None where there is none."""
    if part.size == 0:
        return None
    edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(edge, axis=0)
    apart = np.abs(part.astype(np.float32) - ground.astype(np.float32)).max(axis=2)
    most = float(apart.max())
    if most < 16:
        return None
    rows, columns = np.nonzero(apart > INK * most)
    return np.asarray(apart[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] / most, np.float32)
