"""Grounds behind icons: one colour, gradients, photographs, tiles; and colours that can be seen on them."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb

Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 255."""
LEAST_CONTRAST = 70.0
"""Difference in luminance (0 to 255) between an icon and what it stands on."""


@dataclass(slots=True)
class Ground:
    """Hold a ground and its average ``colour`` under the icon."""

    rgb: Rgb
    colour: Colour


def ground(random: Generator, height: int, width: int) -> Ground:
    kind = random.random()
    if kind < 0.72:
        colour = _page_colour(random)
        return Ground(np.full((height, width, 3), colour, np.uint8), colour)
    if kind < 0.87:
        one, other = np.array(_page_colour(random)), np.array(_vivid(random))
        ramp = _ramp(random, height, width)[:, :, None]
        rgb = (one + (other - one) * ramp).astype(np.uint8)
    else:
        rgb = photo(random, height, width)
    mean = rgb.reshape(-1, 3).mean(axis=0)
    return Ground(rgb, (float(mean[0]), float(mean[1]), float(mean[2])))


def photo(random: Generator, height: int, width: int) -> Rgb:
    """Draw noise that is smooth at several scales, with a few edges."""
    rgb = np.zeros((height, width, 3), np.float32)
    weight = 1.0
    for cells in (2, 4, 9, 20):
        rough = random.uniform(0, 255, (cells, cells, 3)).astype(np.float32)
        rgb += weight * cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC)
        weight *= random.uniform(0.3, 0.8)
    low, high = rgb.min(), rgb.max()
    rgb = (rgb - low) * (random.uniform(120, 255) / max(high - low, 1))
    for _ in range(int(random.integers(0, 5))):
        centre = (int(random.integers(width)), int(random.integers(height)))
        axes = (int(random.integers(2, width // 2 + 3)), int(random.integers(2, height // 2 + 3)))
        cv2.ellipse(rgb, centre, axes, random.uniform(0, 180), 0, 360, _vivid(random), -1, cv2.LINE_AA)
    return np.asarray(np.clip(rgb, 0, 255), np.uint8)


def tiled(random: Generator, under: Ground, box: NDArray[np.float64]) -> tuple[Ground, NDArray[np.float64]]:
    """Return ``under`` with a disc or a rounded square behind ``box`` (x1, y1, x2, y2), and a finder's box.

    That is the tile, unless the tile is so large that only its glyph would be found.
    """
    size = max(box[2] - box[0], box[3] - box[1])
    side = size * random.uniform(1.25, 2.1)
    centre = (box[:2] + box[2:]) / 2
    low, high = np.rint(centre - side / 2).astype(int), np.rint(centre + side / 2).astype(int)
    colour = _vivid(random) if random.random() < 0.75 else _page_colour(random)
    tall, wide = under.rgb.shape[:2]
    mask = np.zeros((tall, wide), np.float32)
    radius = side / 2 if random.random() < 0.45 else side * random.uniform(0.05, 0.35)
    _rounded(mask, low, high, round(radius))
    paint = np.empty(under.rgb.shape, np.float32)
    paint[:] = colour
    if random.random() < 0.3:
        paint += (np.array(_vivid(random)) - paint) * (_ramp(random, tall, wide)[:, :, None] * 0.5)
    rgb = under.rgb + (paint - under.rgb) * mask[:, :, None]
    found = np.array([*low, *high], float) if random.random() < 0.75 else box
    return Ground(np.clip(rgb, 0, 255).astype(np.uint8), colour), found


def contrasting(random: Generator, under: Colour) -> Colour:
    """Return a colour for a glyph on ``under``: mostly grey, black or white, sometimes vivid."""
    for _ in range(8):
        kind = random.random()
        if kind < 0.35:
            level = random.uniform(0, 110)
            colour: Colour = (level, level, level)
        elif kind < 0.6:
            level = random.uniform(215, 255)
            colour = (level, level, level)
        else:
            colour = _vivid(random)
        if abs(_luminance(colour) - _luminance(under)) >= LEAST_CONTRAST:
            return colour
    return (0, 0, 0) if _luminance(under) > 127 else (255, 255, 255)


def _luminance(colour: Colour) -> float:
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def _page_colour(random: Generator) -> Colour:
    kind = random.random()
    if kind < 0.55:
        level = random.uniform(225, 255)
    elif kind < 0.85:
        level = random.uniform(0, 60)
    else:
        return _vivid(random)
    tint = random.uniform(-6, 6, 3)
    red, green, blue = np.clip(level + tint, 0, 255).tolist()
    return red, green, blue


def _vivid(random: Generator) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(random.random(), random.uniform(0.3, 1), random.uniform(0.35, 1))
    return red * 255, green * 255, blue * 255


def _ramp(random: Generator, height: int, width: int) -> NDArray[np.float64]:
    """Return values from 0 to 1 in a random direction, shape (height, width)."""
    angle = random.uniform(0, 2 * np.pi)
    rows, columns = np.mgrid[0:height, 0:width]
    along = columns * np.cos(angle) + rows * np.sin(angle)
    return np.asarray((along - along.min()) / max(np.ptp(along), 1e-6))


def _rounded(mask: NDArray[np.float32], low: NDArray[np.int_], high: NDArray[np.int_], radius: int) -> None:
    """Fill a rounded rectangle with ones, its corners smooth."""
    (x1, y1), (x2, y2) = low.tolist(), high.tolist()
    radius = max(1, min(radius, (x2 - x1) // 2, (y2 - y1) // 2))
    cv2.rectangle(mask, (x1 + radius, y1), (x2 - radius, y2), 1.0, -1)
    cv2.rectangle(mask, (x1, y1 + radius), (x2, y2 - radius), 1.0, -1)
    smooth = np.zeros(mask.shape, np.uint8)
    for x in (x1 + radius, x2 - radius):
        for y in (y1 + radius, y2 - radius):
            cv2.circle(smooth, (x, y), radius, 255, -1, cv2.LINE_AA)
    np.maximum(mask, smooth.astype(np.float32) / 255, out=mask)
