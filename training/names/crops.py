"""Crops as a phone would show them: an icon's drawing, coloured, placed on a ground, with what happens to pictures.

The crop itself is cut exactly as icons are cut when they are named (``crop_of``), from a small picture around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.onnx import crop_of
from training.names.grounds import Ground, contrasting, ground, photo, tiled
from training.names.rasters import Raster

LEAST_SIDE, MOST_SIDE = 12, 80
"""Pixels of an icon's longer side on the screen."""
JITTER = 0.15
"""Share of the longer side: how far a finder's box may lie from the ink at each edge."""
AROUND = 0.6
"""Share of the longer side: what of the screen is drawn around an icon."""
MOST_TURN = 3.0
"""Degrees."""


class CropMaker:
    """Draws random crops; equal seeds give equal crops."""

    def __init__(self, seed: int, neighbours: Sequence[Raster]) -> None:
        """``neighbours``: drawings that may stand beside an icon."""
        self._random = np.random.default_rng(seed)
        self._neighbours = neighbours

    def crop(self, raster: Raster) -> Rgb:
        """Return ``raster`` on a screen, cut by a box as a finder gives it: uint8 (SIDE, SIDE, 3)."""
        random = self._random
        side = math.exp(random.uniform(math.log(LEAST_SIDE), math.log(MOST_SIDE)))
        scale = side / max(raster.pixels.shape[:2])
        height, width = (max(2, round(length * scale)) for length in raster.pixels.shape[:2])
        margin = round(AROUND * max(height, width)) + 2
        under = ground(random, height + 2 * margin, width + 2 * margin)
        box = np.array([margin, margin, margin + width, margin + height], float)
        cut = box
        if random.random() < 0.3:
            under, cut = tiled(random, under, box)
        if random.random() < 0.35:
            self._add_neighbours(under.rgb, box)
        self._paint(under, raster, box)
        if random.random() < 0.05:
            self._add_badge(under.rgb, box)
        picture = self._worn(under.rgb)
        return crop_of(picture, self._found(cut))

    def photo_bit(self) -> Rgb:
        """Return a piece of a photograph, sometimes cut round as an avatar is: a crop without an icon."""
        random = self._random
        side = int(random.integers(24, 120))
        rgb = photo(random, 2 * side, 2 * side)
        if random.random() < 0.5:
            around = ground(random, 2 * side, 2 * side).rgb
            mask = np.zeros((2 * side, 2 * side), np.uint8)
            cv2.circle(mask, (side, side), side // 2, 255, -1, cv2.LINE_AA)
            rgb = _over(around, rgb, np.asarray(mask / 255, np.float32))
        half = side / 2
        return crop_of(self._worn(rgb), self._found(np.array([side - half, side - half, side + half, side + half])))

    def _paint(self, under: Ground, raster: Raster, box: NDArray[np.float64]) -> None:
        """Draw ``raster`` in its box on ``under``, turned a little."""
        random = self._random
        x, y = int(box[0]), int(box[1])
        width, height = int(box[2] - box[0]), int(box[3] - box[1])
        small = cv2.resize(raster.pixels, (width, height), interpolation=cv2.INTER_AREA)
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), random.uniform(-MOST_TURN, MOST_TURN), 1)
        turn[:, 2] += (x + random.uniform(-0.5, 0.5), y + random.uniform(-0.5, 0.5))
        canvas = cv2.warpAffine(small, turn, under.rgb.shape[1::-1], flags=cv2.INTER_LINEAR)
        if canvas.ndim == 3:
            paint = np.ascontiguousarray(canvas[:, :, :3])
            under.rgb[:] = _over(under.rgb, paint, canvas[:, :, 3].astype(np.float32) / 255)
            return
        opacity = random.uniform(0.55, 1) if random.random() < 0.25 else 1.0
        colour = contrasting(random, under.colour)
        paint = np.full(under.rgb.shape, np.array(colour, np.uint8))
        under.rgb[:] = _over(under.rgb, paint, canvas.astype(np.float32) * (opacity / 255))

    def _add_neighbours(self, rgb: Rgb, box: NDArray[np.float64]) -> None:
        """Draw one or two other drawings beside the box."""
        random = self._random
        width, height = box[2] - box[0], box[3] - box[1]
        sides = [(1, 0), (-1, 0), (0, 1), (0, -1)]
        random.shuffle(sides)
        for dx, dy in sides[: int(random.integers(1, 3))]:
            other = self._neighbours[int(random.integers(len(self._neighbours)))]
            alpha = other.pixels[:, :, 3] if other.pixels.ndim == 3 else other.pixels
            length = random.uniform(0.4, 1) * max(width, height)
            scale = length / max(alpha.shape)
            size = (max(1, round(alpha.shape[1] * scale)), max(1, round(alpha.shape[0] * scale)))
            alpha = cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)
            gap = random.uniform(0.12, 0.5) * max(width, height)
            away_x = (width + alpha.shape[1]) / 2 + gap
            away_y = (height + alpha.shape[0]) / 2 + gap
            x = round((box[0] + box[2]) / 2 + dx * away_x - alpha.shape[1] / 2)
            y = round((box[1] + box[3]) / 2 + dy * away_y - alpha.shape[0] / 2)
            top, left = max(y, 0), max(x, 0)
            part = alpha[top - y : rgb.shape[0] - y, left - x : rgb.shape[1] - x]
            if 0 in part.shape:
                continue
            there = rgb[top : top + part.shape[0], left : left + part.shape[1]]
            paint = np.full(there.shape, random.integers(0, 256, 3).astype(np.uint8))
            there[:] = _over(np.ascontiguousarray(there), paint, part.astype(np.float32) / 255)

    def _add_badge(self, rgb: Rgb, box: NDArray[np.float64]) -> None:
        """Draw the red dot of something new."""
        size = max(box[2] - box[0], box[3] - box[1])
        centre = (round(box[2] - 0.05 * size), round(box[1] + 0.05 * size))
        cv2.circle(rgb, centre, max(1, round(self._random.uniform(0.1, 0.2) * size)), (235, 60, 50), -1, cv2.LINE_AA)

    def _found(self, box: NDArray[np.float64]) -> tuple[int, int, int, int]:
        """Return ``box`` as a finder might give it."""
        longer = max(box[2] - box[0], box[3] - box[1])
        spread = JITTER * longer * self._random.triangular(-1, 0, 1, 4)
        x1, y1, x2, y2 = np.rint(box + spread).astype(int).tolist()
        return x1, y1, max(x2, x1 + 2), max(y2, y1 + 2)

    def _worn(self, rgb: Rgb) -> Rgb:
        """Return the picture with blur, noise, other brightness or JPEG's losses."""
        random = self._random
        if random.random() < 0.2:
            rgb = cv2.GaussianBlur(rgb, (0, 0), random.uniform(0.3, 0.9))
        if random.random() < 0.2:
            gain, bias = random.uniform(0.8, 1.15), random.uniform(-20, 20)
            rgb = cv2.convertScaleAbs(np.maximum(rgb.astype(np.float32) * gain + bias, 0))
        if random.random() < 0.1:
            rgb = np.clip(rgb + random.normal(0, random.uniform(1, 6), rgb.shape), 0, 255).astype(np.uint8)
        if random.random() < 0.35:
            done, data = cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(45, 96))])
            rgb = np.asarray(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), np.uint8) if done else rgb
        return np.asarray(rgb, np.uint8)


def _over(under: Rgb, paint: Rgb, coverage: NDArray[np.float32]) -> Rgb:
    """Return ``paint`` on ``under`` by ``coverage``, shape (height, width), from 0 to 1."""
    return np.asarray(cv2.blendLinear(paint, under, coverage, 1 - coverage), np.uint8)
