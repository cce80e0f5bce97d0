"""Boxes of lines from the outlines that detection networks draw around them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.protocol.geometry import Box

SMALLEST_LINE = 3
"""Pixels of a line's sides, at least."""


def boxes_around(outlines: ArrayLike, width: int, height: int) -> list[Box]:
    """Return upright boxes around outlines (lines, 4, 2) of corners x, y, clipped to a picture, without tiny ones."""
    points: NDArray[np.float64] = np.asarray(outlines, float).reshape(-1, 4, 2)
    limits = (width, height)
    low = np.clip(np.floor(points.min(axis=1)), 0, limits).astype(int)
    high = np.clip(np.ceil(points.max(axis=1)), 0, limits).astype(int)
    large = (high - low).min(axis=1) >= SMALLEST_LINE
    found = zip(low[large].tolist(), high[large].tolist(), strict=True)
    return [Box(x1=x1, y1=y1, x2=x2, y2=y2) for (x1, y1), (x2, y2) in found]
