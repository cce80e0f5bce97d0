"""Paint what looks like an icon and is not, on free ground: photographs, portraits, QR codes, charts, stars."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from training.detector.labels import Boxes

SHARE = 0.5
"""Share of the samples that have distractors."""
MOST = 4
TRIES = 8
MARGIN = 6
"""Pixels between a distractor and what is on the screen."""


def distracted(picture: Rgb, busy: Boxes, rng: np.random.Generator) -> Rgb:
    """Return ``picture``, or a copy with up to MOST distractors outside of ``busy``, on ground of one colour."""
    if rng.random() >= SHARE:
        return picture
    out = picture.copy()
    for _ in range(int(rng.integers(1, MOST + 1))):
        paint = PAINTERS[int(rng.integers(len(PAINTERS)))]
        for _ in range(TRIES):
            width = int(rng.integers(24, 150))
            height = int(width * rng.uniform(0.6, 1.5))
            if width >= out.shape[1] or height >= out.shape[0]:
                continue
            x, y = int(rng.integers(out.shape[1] - width)), int(rng.integers(out.shape[0] - height))
            ground = out[y : y + height, x : x + width]
            if _is_free(ground, (x, y, x + width, y + height), busy):
                paint(ground, rng)
                break
    return out


def _is_free(ground: Rgb, box: tuple[int, int, int, int], busy: Boxes) -> bool:
    x1, y1, x2, y2 = box
    beside = (
        (busy[:, 2] < x1 - MARGIN)
        | (busy[:, 0] > x2 + MARGIN)
        | (busy[:, 3] < y1 - MARGIN)
        | (busy[:, 1] > y2 + MARGIN)
    )
    return bool(beside.all()) and float(ground.std(axis=(0, 1)).max()) < 4


def _photo(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint soft noise of many sizes: what a photograph looks like without anything on it."""
    ground[:] = _texture(ground.shape[0], ground.shape[1], rng)


def _portrait(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint a round picture, as of a person: a head and shoulders on some ground."""
    side = min(ground.shape[:2])
    picture = _texture(side, side, rng)
    skin = tuple(int(c) for c in rng.integers(60, 230, 3))
    cv2.circle(picture, (side // 2, int(side * 0.42)), int(side * 0.2), skin, -1, cv2.LINE_AA)
    clothes = tuple(int(c) for c in rng.integers(0, 255, 3))
    cv2.ellipse(picture, (side // 2, side), (int(side * 0.36), int(side * 0.36)), 0, 0, 360, clothes, -1, cv2.LINE_AA)
    mask = np.zeros((side, side), np.uint8)
    cv2.circle(mask, (side // 2, side // 2), side // 2 - 1, 255, -1)
    ground[:side, :side][mask > 0] = picture[mask > 0]


def _code(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint a QR code: random modules and the three squares in its corners."""
    side = min(ground.shape[:2])
    count = int(rng.integers(21, 38))
    modules = (rng.random((count, count)) < 0.5).astype(np.uint8)
    for row, column in ((0, 0), (0, count - 7), (count - 7, 0)):
        modules[row : row + 7, column : column + 7] = 1
        modules[row + 1 : row + 6, column + 1 : column + 6] = 0
        modules[row + 2 : row + 5, column + 2 : column + 5] = 1
    grey = cv2.resize(255 - modules * 255, (side, side), interpolation=cv2.INTER_AREA)
    ground[:side, :side] = grey[:, :, None]


def _chart(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint a line over time, or bars."""
    height, width = ground.shape[:2]
    colour = tuple(int(c) for c in rng.integers(0, 255, 3))
    values = np.clip(0.5 + np.cumsum(rng.normal(0, 0.12, 16)), 0.05, 0.95)
    steps = np.linspace(2, width - 3, len(values))
    if rng.random() < 0.5:
        line = np.stack([steps, height * (1 - values)], axis=1).astype(np.int32)
        cv2.polylines(ground, [line], False, colour, int(rng.integers(1, 3)), cv2.LINE_AA)
        return
    bar = max(1, width // 34)
    for x, value in zip(steps.astype(int), values, strict=True):
        cv2.rectangle(ground, (int(x), int(height * (1 - value))), (int(x) + bar, height - 1), colour, -1)


def _letter(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint a round portrait with only an initial."""
    side = min(ground.shape[:2])
    colour = tuple(int(c) for c in rng.integers(40, 220, 3))
    cv2.circle(ground, (side // 2, side // 2), side // 2 - 1, colour, -1, cv2.LINE_AA)
    letter = chr(int(rng.integers(ord("A"), ord("Z") + 1)))
    size = side / 50
    (wide, high), _ = cv2.getTextSize(letter, cv2.FONT_HERSHEY_SIMPLEX, size, 2)
    where = ((side - wide) // 2, (side + high) // 2)
    cv2.putText(ground, letter, where, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 2, cv2.LINE_AA)


def _stars(ground: Rgb, rng: np.random.Generator) -> None:
    """Paint the five stars of a rating."""
    height, width = ground.shape[:2]
    radius = min(width / 11, height / 2 - 1, 9)
    colour = (250, 180, 20) if rng.random() < 0.6 else tuple(int(c) for c in rng.integers(0, 255, 3))
    angles = np.arange(10) * np.pi / 5 - np.pi / 2
    lengths = np.where(np.arange(10) % 2 == 0, radius, radius * 0.42)
    star = np.stack([np.cos(angles) * lengths, np.sin(angles) * lengths], axis=1)
    for number in range(5):
        centre = np.array([radius + number * 2.2 * radius, height / 2])
        cv2.fillPoly(ground, [(star + centre).astype(np.int32)], colour, cv2.LINE_AA)


def _texture(height: int, width: int, rng: np.random.Generator) -> Rgb:
    total = np.zeros((height, width, 3), np.float32)
    for cells in (2, 4, 9, 20):
        noise = rng.normal(0, 60 / np.sqrt(cells), (cells, cells, 3)).astype(np.float32)
        total += cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(total + rng.uniform(50, 200, 3), 0, 255).astype(np.uint8)


PAINTERS: tuple[Callable[[Rgb, np.random.Generator], None], ...] = (
    _photo,
    _portrait,
    _code,
    _chart,
    _letter,
    _stars,
)
