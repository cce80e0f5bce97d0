"""Prepare the input of icon detectors, and turn their output into icons.

A detector sees a picture reduced at its own aspect ratio, and padded to sides that the strides divide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import doubtful_glyphs
from manyhands.actors.perception.icons.boxes import distinct, without_groups
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

STRIDE = 32
"""The sides of a detector's input are multiples of this."""
PADDING = 114
"""The grey level of the padding: the same as Ultralytics'."""


@dataclass(frozen=True, slots=True)
class Letterbox:
    """Maps a picture to the detector's input: pixels times ``scale``, plus ``left``, ``top``."""

    picture: Size
    seen: Size
    scale: float
    left: int
    top: int

    @classmethod
    def of(cls, picture: Size, side: int) -> Letterbox:
        """Fit a picture: its longer side becomes ``side`` (a multiple of STRIDE), unless it is shorter."""
        scale = min(1.0, side / max(picture.width, picture.height))
        width, height = (max(1, round(length * scale)) for length in (picture.width, picture.height))
        padded = Size(width=_padded(width), height=_padded(height))
        return cls(picture, padded, scale, (padded.width - width) // 2, (padded.height - height) // 2)

    def apply(self, rgb: Rgb) -> Rgb:
        """Return the input, uint8 (seen.height, seen.width, 3)."""
        width, height = (max(1, round(length * self.scale)) for length in (self.picture.width, self.picture.height))
        small = rgb if self.scale == 1 else cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA)
        out = np.full((self.seen.height, self.seen.width, 3), PADDING, np.uint8)
        out[self.top : self.top + height, self.left : self.left + width] = small
        return out

    def boxes(self, corners: NDArray[np.float32]) -> list[Box]:
        """Return boxes (n, 4) of x1, y1, x2, y2 in the input as whole pixels of the picture, clipped to it."""
        limits = np.array([self.picture.width, self.picture.height] * 2)
        moved = (corners - np.array([self.left, self.top] * 2, np.float32)) / self.scale
        whole = np.clip(np.rint(moved), 0, limits).astype(int)
        return [Box(x1=x1, y1=y1, x2=max(x1, x2), y2=max(y1, y2)) for x1, y1, x2, y2 in whole.tolist()]


def _padded(length: int) -> int:
    return -(-length // STRIDE) * STRIDE


def to_elements(fit: Letterbox, corners: NDArray[np.float32], confidences: NDArray[np.float32]) -> list[Element]:
    """Return the icons in the given order, with boxes in pixels of the picture. Leave out icons with empty boxes."""
    rows = zip(fit.boxes(corners), confidences.tolist(), strict=True)
    return [
        Element(kind="icon", box=box, content="", confidence=min(max(sure, 0.0), 1.0)) for box, sure in rows if box.area
    ]


def select_icons(detections: Sequence[Element], texts: Sequence[Element], size: Size, limit: int) -> list[Element]:
    """Return a detector's icons that stay beside ``texts``. Characters that are mostly icons do not count as texts."""
    doubtful = doubtful_glyphs(texts, size)
    text_boxes = [text.box for text in texts if text not in doubtful]
    return distinct(without_groups(detections), text_boxes, size, limit)
