"""The share of an icon that has a colour."""

from __future__ import annotations

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.protocol.geometry import Box

_HUES = {
    "red": ((0, 8), (172, 180)),
    "orange": ((9, 20),),
    "yellow": ((21, 34),),
    "green": ((35, 85),),
    "blue": ((86, 128),),
    "purple": ((129, 150),),
    "pink": ((151, 171),),
}
"""OpenCV's hues, 0 to 180."""
SATURATED, LIT = 70, 60
DARK, LIGHT = 60, 215
ENOUGH = 0.12
"""Share of its box that a colour takes at least in an icon of that colour: strokes are thin."""


def has_colour(rgb: Rgb, box: Box, colour: str) -> float:
    """Return how much of an icon's box has the colour, 0 to 1, where ``ENOUGH`` of it and more is 1.

    ``rgb``: uint8 (height, width, 3); ``colour``: a key of ``words.COLOURS``.
    """
    crop = rgb[max(box.y1, 0) : box.y2, max(box.x1, 0) : box.x2]
    if crop.size == 0:
        return 0.0
    hsv = cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_RGB2HSV)
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    vivid = (saturation >= SATURATED) & (value >= LIT)
    if colour == "black":
        mask = value <= DARK
    elif colour == "white":
        mask = ~vivid & (value >= LIGHT)
    elif colour == "grey":
        mask = ~vivid & (value > DARK) & (value < LIGHT)
    else:
        mask = vivid & np.logical_or.reduce([(hue >= first) & (hue <= last) for first, last in _HUES[colour]])
    return min(1.0, float(mask.mean()) / ENOUGH)
