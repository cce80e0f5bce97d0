"""Find dialogs and sheets in pixels: one plain card, with everything beside it dimmed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.protocol.screens.geometry import Box

STEP = 4
"""Every fourth pixel is examined, in both directions."""
SAMPLE = 16
"""Every sixteenth pixel of a colour counts for its median."""
ALIKE = 3
"""Pixels of one plain surface differ by at most so many levels."""
COLOURS = 4
"""The card's colour is one of so many most frequent colours of the picture."""
NARROWEST, WIDEST = 0.45, 0.97
LEAST, MOST = 0.06, 0.85
"""The least and greatest share of the screen's width (the first pair) and of its area that a card takes."""
FILLED = 0.5
"""At least this share of a card is its plain surface."""
EDGE = 0.8
"""At least this share of a card's sides, without round corners, has the card's surface on the inner side and another
surface on the outer side."""
CORNER = 0.06
"""The size of a round corner, as a share of the screen's width."""
DIMMED = 0.72
"""The greatest brightness of the page beside a card, as a share of the card's greatest brightness. Android dims by 0.32
to 0.6."""
BRIGHT_ROWS = 0.03
"""This share of the rows beside the card may hold something brighter, which the system draws over everything."""
BARS = 0.065
"""The share of the height at either end for the system's bars, which may be brighter than the page."""

Brightness = NDArray[np.uint8]


def find_dialog(rgb: Rgb, keyboard: bool) -> Box | None:
    """Return the box of the card over a dimmed page in pixels of ``rgb``, uint8 (height, width, 3).

    Return None if there is no card. A card stands free, or lies at the lower edge over the full width (a sheet).
    ``keyboard``: a keyboard is shown, so everything below the card is ignored.
    """
    small = np.ascontiguousarray(rgb[::STEP, ::STEP])
    red, green, blue = cv2.split(small)
    bright = np.asarray(cv2.max(cv2.max(red, green), blue), dtype=np.uint8)
    height, width = bright.shape
    if height < 60 or width < 60:
        return None
    for colour in _frequent(small):
        for x1, y1, x2, y2 in _cards(small, colour, keyboard):
            top = _top_of(bright, x1, y1, x2)
            if _all_dimmed(bright, (x1, top, x2, y2), keyboard):
                right, bottom = min(x2 * STEP, rgb.shape[1]), min(y2 * STEP, rgb.shape[0])
                return Box(x1=x1 * STEP, y1=top * STEP, x2=right, y2=bottom)
    return None


def _frequent(small: Rgb) -> list[NDArray[np.int16]]:
    """Return the most frequent colours, the most frequent first."""
    red, green, blue = ((channel >> 2).astype(np.intp).ravel() for channel in cv2.split(small))
    codes = red << 12 | green << 6 | blue
    counted = np.bincount(codes, minlength=1)
    enough = np.flatnonzero(counted >= LEAST * FILLED * codes.size)
    most_frequent = enough[np.argsort(counted[enough])[::-1][:COLOURS]]
    pixels = small.reshape(-1, 3)
    places = (np.flatnonzero(codes == code)[::SAMPLE] for code in most_frequent)
    return [np.median(pixels[some], axis=0).astype(np.int16) for some in places]


def _cards(small: Rgb, colour: NDArray[np.int16], keyboard: bool) -> list[tuple[int, int, int, int]]:
    """Return boxes of plain surfaces of a colour that have the shape and the edges of a card."""
    height, width = small.shape[:2]
    least, most = (np.clip(colour + by, 0, 255).astype(float) for by in (-ALIKE, ALIKE))
    alike = cv2.inRange(small, least, most) // 255
    # Opening separates the soft edges of dimmed letters, which may have the card's colour and touch the card.
    mask = np.asarray(cv2.morphologyEx(alike, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    cards = []
    for x, y, w, h, area in stats[1:].tolist():
        if not (LEAST * mask.size <= w * h <= MOST * mask.size and area >= FILLED * w * h):
            continue
        free = w <= WIDEST * width and w >= NARROWEST * width and x > 0 and x + w < width
        sheet = w > WIDEST * width and y > BARS * height and (keyboard or y + h >= (1 - BARS) * height)
        if (free or sheet) and _ends(mask, x, y, w, h, free=free):
            cards.append((x, y, x + w, y + h))
    return cards


def _ends(mask: NDArray[np.uint8], x: int, y: int, w: int, h: int, *, free: bool) -> bool:
    """Return whether the surface has straight sides.

    The plain ground between the contents of a page has no straight sides.
    """
    corner = round(CORNER * mask.shape[1])
    across, down = slice(x + corner, x + w - corner), slice(y + corner, y + h - corner)
    sides = [mask[y : y + 2, across].max(axis=0)]
    if free:
        sides += [mask[y + h - 2 : y + h, across].max(axis=0)]
        sides += [mask[down, x : x + 2].max(axis=1), mask[down, x + w - 2 : x + w].max(axis=1)]
    return all(side.size > 0 and float(side.mean()) >= EDGE for side in sides)


def _top_of(bright: Brightness, x1: int, y1: int, x2: int) -> int:
    """Return the top of a card, also if its head has another colour: the card's left and right edges reach
    up to its top.
    """
    if x1 < 3 or x2 > bright.shape[1] - 3:
        return y1
    inside = np.stack([bright[:y1, x1 + 2], bright[:y1, x2 - 3]]).astype(np.int16)
    outside = np.stack([bright[:y1, x1 - 3], bright[:y1, x2 + 2]]).astype(np.int16)
    ends = np.flatnonzero((np.abs(inside - outside) < 12).any(axis=0))
    top = int(ends[-1]) + 1 if ends.size else 0
    corner = round(CORNER * bright.shape[1])
    return max(top - corner // 2, 0) if y1 - top > corner else y1


def _all_dimmed(bright: Brightness, card: tuple[int, int, int, int], keyboard: bool) -> bool:
    """Return whether everything beside the card is darker than the card's brightest part, and enough is visible."""
    x1, y1, x2, y2 = card
    height = bright.shape[0]
    limit = DIMMED * float(np.percentile(bright[y1:y2, x1:x2], 99.7))
    first, last = round(BARS * height), round((1 - BARS) * height)
    beside = bright > limit
    beside[y1:y2, x1:x2] = False
    rows = beside.sum(axis=1) >= 2
    looked_at = np.zeros(height, np.bool_)
    looked_at[first : y2 if keyboard else last] = True
    looked_at[y2:] &= not keyboard
    if x1 == 0:
        looked_at[y1:y2] = False
    return int(looked_at.sum()) >= 10 and float(rows[looked_at].mean()) <= BRIGHT_ROWS
