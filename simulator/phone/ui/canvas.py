"""Draw on RGB pixels: boxes with round corners, masks in one colour, shades. All are clipped."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.theme import Colour

Pixels = NDArray[np.uint8]


@lru_cache(maxsize=256)
def _ramp(ink: Colour, paper: Colour) -> Pixels:
    """Return the colours from ``paper`` (alpha 0) to ``ink`` (alpha 255), in the form of cv2.applyColorMap."""
    alpha = np.arange(256, dtype=np.float32)[:, None] / 255
    table = np.array(paper, np.float32) * (1 - alpha) + np.array(ink, np.float32) * alpha
    return np.ascontiguousarray(np.rint(table).astype(np.uint8)[:, None, :])


@lru_cache(maxsize=128)
def _quarter(radius: int) -> Pixels:
    """Return the alpha of the top left quarter of a disc, anti-aliased."""
    centre = np.arange(radius, dtype=np.float32) + 0.5 - radius
    distance = np.sqrt(centre[:, None] ** 2 + centre[None, :] ** 2)
    return (np.clip(radius + 0.5 - distance, 0, 1) * 255).astype(np.uint8)


class Canvas:
    """Draw into ``pixels``, a contiguous uint8 array of shape (height, width, 3), inside ``clip``."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.clip = Box(0, 0, pixels.shape[1], pixels.shape[0])

    def fill(self, box: Box, colour: Colour, radius: int = 0) -> None:
        radius = min(radius, box.w // 2, box.h // 2)
        if radius <= 0:
            self._block(box, colour)
            return
        self._block(Box(box.x, box.y + radius, box.w, box.h - 2 * radius), colour)
        self._block(Box(box.x + radius, box.y, box.w - 2 * radius, radius), colour)
        self._block(Box(box.x + radius, box.bottom - radius, box.w - 2 * radius, radius), colour)
        corner = _quarter(radius)
        right, low = box.right - radius, box.bottom - radius
        self.mask(box.x, box.y, corner, colour)
        self.mask(right, box.y, corner[:, ::-1], colour)
        self.mask(box.x, low, corner[::-1], colour)
        self.mask(right, low, corner[::-1, ::-1], colour)

    def mask(self, x: int, y: int, mask: Pixels, ink: Colour, paper: Colour | None = None) -> None:
        """Draw ``ink`` where ``mask`` is 255. It is faster if ``paper``, the one colour beneath, is known."""
        part = Box(x, y, mask.shape[1], mask.shape[0]).cut(self.clip)
        if part.empty:
            return
        mask = mask[part.y - y : part.bottom - y, part.x - x : part.right - x]
        target = self.pixels[part.y : part.bottom, part.x : part.right]
        if paper is not None:
            target[:] = cv2.applyColorMap(mask, _ramp(ink, paper))
            return
        alpha = mask.astype(np.uint16)[:, :, None]
        under = target.astype(np.uint16)
        over = np.array(ink, np.uint16)
        target[:] = ((under * (255 - alpha) + over * alpha + 127) // 255).astype(np.uint8)

    def shade(self, box: Box, colour: Colour, share: float) -> None:
        """Blend ``colour`` over the pixels, with a weight of ``share`` (0 to 1)."""
        part = box.cut(self.clip)
        if part.empty:
            return
        ramps = [
            np.rint(np.arange(256, dtype=np.float32) * (1 - share) + channel * share).astype(np.uint8)
            for channel in colour
        ]
        table = np.stack(ramps, axis=1)[:, None, :]
        target = self.pixels[part.y : part.bottom, part.x : part.right]
        target[:] = cv2.LUT(target, table)

    def paste(self, x: int, y: int, picture: Pixels) -> None:
        part = Box(x, y, picture.shape[1], picture.shape[0]).cut(self.clip)
        if not part.empty:
            source = picture[part.y - y : part.bottom - y, part.x - x : part.right - x]
            self.pixels[part.y : part.bottom, part.x : part.right] = source

    def _block(self, box: Box, colour: Colour) -> None:
        part = box.cut(self.clip)
        if not part.empty:
            corner = (part.right - 1, part.bottom - 1)
            cv2.rectangle(self.pixels, (part.x, part.y), corner, colour, cv2.FILLED)
