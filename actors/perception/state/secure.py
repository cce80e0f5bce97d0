"""Black screens: a page that forbids screenshots is captured as black, between the system's bars or with them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from manyhands.actors.frames import Rgb
from manyhands.protocol.geometry import Box, Size
from manyhands.protocol.screens import Element

BLACK = 6
"""The brightest level of a pixel that shows nothing: a video coder's noise, not a dark theme's ground (17 and more)."""
STEP = 8
"""Each eighth column is looked at first."""
LEAST = 0.4
"""Share of the height that is black, at least; a keyboard takes up to half."""
TOP, BOTTOM = 0.12, 0.88
"""Shares of the height: a black page begins above the first and, without a keyboard, ends below the second."""


def find_black(rgb: Rgb, texts: Sequence[Element], keyboard: bool) -> Box | None:
    """Return the part of a picture, uint8 (height, width, 3), on which a whole page is black; None without one.

    Also of a display that is off, and of a page that has drawn nothing yet: pixels do not tell these apart.
    """
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    sparse = rgb[:, ::STEP].reshape(size.height, -1).max(axis=1) <= BLACK
    runs = ((value, len(list(same))) for value, same in itertools.groupby(sparse.tolist()))
    end = 0
    for value, length in runs:
        start, end = end, end + length
        if not value or length < LEAST * size.height or start > TOP * size.height:
            continue
        if end < BOTTOM * size.height and not keyboard:
            continue
        if int(rgb[start:end].max()) > BLACK:
            continue
        if not any(start <= text.centre[1] < end for text in texts):
            return Box(x1=0, y1=start, x2=size.width, y2=end)
    return None
