"""Compare two screenshots of a phone at full resolution, except for what changes by itself.

One more letter, a switch, or a digit in a badge is a difference. Every pixel counts unless it is in the status bar, in
a region that kept changing by itself at both screenshots, or in a caret's blink. A typed l or | looks like a caret. So
a difference is taken for a caret only where it cannot be a typed letter: see :func:`same`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from manyhands.actors.phones.settling.changes import CARET_DP, SHRINK, TILE, Grey, Tiles, dp, grown, status_bar

MOST_MASKED = 0.5
"""If a larger share of a screen than this changes by itself, the screen never counts as the same."""
FILLED = 0.9
"""The least share of a caret's box that its blink changes: a caret is a plain bar, most letters are not."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparableScreenshot:
    """Hold what is compared of a screenshot. ``restless``: tiles (of its thumbnail) that changed by themselves.

    ``caret``: characters before the caret, as the phone prints it; None if the phone prints none.
    """

    content_id: str
    grey: Grey
    restless: Tiles | None
    caret: int | None


def same(before: ComparableScreenshot, after: ComparableScreenshot, touched: bool) -> bool:
    """Return whether ``after`` shows the same as ``before``. ``touched``: something was sent to the phone in between.

    A difference counts as a caret's blink if the phone prints the same caret position as before (then nothing was
    typed), or if nothing was sent.
    """
    if before.content_id == after.content_id:
        return True
    if before.grey.shape != after.grey.shape:
        return False
    top = status_bar(before.grey.shape[0])
    differs = cv2.absdiff(before.grey[top:], after.grey[top:])
    if before.restless is not None and after.restless is not None:
        masked = grown(before.restless) & grown(after.restless)
        if masked.mean() > MOST_MASKED:
            return False
        _clear(differs, masked)
    if not cv2.hasNonZero(differs):
        return True
    stands = before.caret is not None and before.caret == after.caret
    return (stands or not touched) and _is_caret(differs)


def _clear(differs: Grey, masked: Tiles) -> None:
    side = SHRINK * TILE
    for row, column in np.argwhere(masked):
        differs[row * side : (row + 1) * side, column * side : (column + 1) * side] = 0


def _is_caret(differs: Grey) -> bool:
    """Return whether the whole difference is one plain upright bar of a caret's size."""
    _, _, width, height = cv2.boundingRect(differs)
    widest, low, high = (size * dp(differs.shape) for size in CARET_DP)
    filled = cv2.countNonZero(differs) / (width * height)
    return bool(width <= max(1, round(widest)) and low <= height <= high and height >= 4 * width and filled >= FILLED)
