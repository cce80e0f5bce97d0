"""Find colours of icons: their words in English and Chinese, and their share of an icon's pixels."""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.grounding.words import NAME_OF
from manyhands.protocol.screens.geometry import Box

COLOURS: dict[str, str] = {
    "red": "red 红色 红", "orange": "orange 橙色 橙 橘色", "yellow": "yellow golden 黄色 黄",
    "green": "green 绿色 绿", "blue": "blue 蓝色 蓝", "purple": "purple violet 紫色 紫",
    "pink": "pink magenta 粉色 粉 粉红色", "black": "black 黑色 黑", "white": "white 白色 白",
    "grey": "grey gray 灰色 灰",
}  # fmt: skip
_COLOUR_OF = {word: colour for colour, words in COLOURS.items() for word in words.split()}
_COLOUR = re.compile(
    rf"(?<!\S)(?:{'|'.join(word for word in _COLOUR_OF if word.isascii())})(?!\S)"
    rf"|(?:{'|'.join(word for word in _COLOUR_OF if len(word) > 1 and not word.isascii())})的?"
    rf"|(?:{'|'.join(word for word in _COLOUR_OF if len(word) == 1)})的"
    rf"|(?<![^\s的])(?:{'|'.join(word for word in _COLOUR_OF if len(word) == 1)})"
    rf"(?=(?:{'|'.join(word for word in NAME_OF if not word.isascii())})?(?!\S))"
)
"""A single Chinese character for a colour is part of many words (小红书, 蓝牙). It needs 色, 的 or a known name."""

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
"""An icon counts as having a colour if at least this share of its box has the colour. Strokes are thin."""


def colour_share(rgb: Rgb, box: Box, colour: str) -> float:
    """Return how much of an icon's box has the colour, 0 to 1. ``ENOUGH`` of it, or more, gives 1.

    ``rgb``: uint8 (height, width, 3). ``colour``: a key of ``COLOURS``.
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


def colours_in(text: str) -> list[re.Match[str]]:
    """Return the words that may name a colour in ``text``, as made by ``words.plain_words``."""
    return list(_COLOUR.finditer(text))


def colour_of(matches: Sequence[re.Match[str]]) -> str | None:
    """Return the first colour of these, a key of ``COLOURS``. Return None if there is none."""
    return next((_COLOUR_OF[part[0].removesuffix("的")] for part in matches), None)
