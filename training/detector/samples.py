"""Training samples: windows of labelled screens, at random scales and with random damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from training.detector.damage import damaged
from training.detector.distractors import distracted
from training.detector.labels import Boxes, TrainingScreen, read_picture

WIDTH, HEIGHT = 288, 320
"""Sides of a window: the width at which a phone's screen is seen, and half of its height."""
STORED = 360
"""Width in pixels at which screens are kept in memory: 0.9 MB each."""
KEYS, KEYS_SHARE = 8, 0.2
"""Texts of a character or two that make a page one of keys or days, and the share of samples that are taken
from such pages, beside those by chance: single characters look most like icons."""
KEY_ASPECT = 1.6
"""Width of such a text by its height, at most."""
SCALES = (0.8, 1.3)
"""Width of the screen by the width of a window: phones differ in density, and in how large their users set things."""
STRETCH = 0.1
"""By how much height may differ from width in scale."""
PICTURE = 0.15
"""Shorter side of an ignored place, as a share of the screen's width, from which it is a picture: nothing in it is an
icon but what is labelled there."""
LEAST_SIDE = 3.0
"""Pixels of an icon's shorter side in a window: smaller ones cannot be seen, and do not count."""
LEAST_SEEN = 0.6
"""Share of an icon that a window has to show; of less, it does not count."""


class Sample(NamedTuple):
    """Hold a window and its boxes in pixels of the window."""

    picture: Rgb
    icons: Boxes
    neutral: Boxes


class Samples:
    """Draws windows at random, equal ones for equal generators. Screens are read when first drawn, and kept."""

    def __init__(self, screens: Sequence[TrainingScreen]) -> None:
        self._screens = screens
        self._stored: dict[int, tuple[Rgb, float]] = {}
        self._keys = [index for index, screen in enumerate(screens) if _has_keys(screen)]

    def draw(self, rng: np.random.Generator) -> Sample:
        """Return a window with distractors and damage."""
        return self._sample(rng, changed=True)

    def window(self, rng: np.random.Generator) -> Sample:
        """Return a window as the screen is."""
        return self._sample(rng, changed=False)

    def _sample(self, rng: np.random.Generator, *, changed: bool) -> Sample:
        index = int(rng.integers(len(self._screens)))
        if self._keys and rng.random() < KEYS_SHARE:
            index = self._keys[index % len(self._keys)]
        picture, scale = self._picture(index)
        screen = self._screens[index]
        # Photographs are no icons, large as they are; what is small and ignored may be one that is half hidden.
        small = (screen.ignored[:, 2:] - screen.ignored[:, :2]).min(axis=1, initial=np.inf) * scale < PICTURE * STORED
        icons, neutral = screen.icons * scale, np.concatenate([screen.minor, screen.ignored[small]]) * np.float32(scale)
        if changed:
            picture = distracted(picture, np.concatenate([icons, neutral, screen.texts * scale]), rng)
        window, seen, hidden = _window(picture, icons, neutral, rng)
        return Sample(damaged(window, rng) if changed else window, seen, hidden)

    def _picture(self, index: int) -> tuple[Rgb, float]:
        """Return the screen at the stored width, and its scale. Raises what ``read_picture`` raises."""
        if index not in self._stored:
            read = read_picture(self._screens[index].path)
            scale = STORED / read.shape[1]
            small = cv2.resize(read, (STORED, round(read.shape[0] * scale)), interpolation=cv2.INTER_AREA)
            self._stored[index] = (np.asarray(small, np.uint8), scale)
        return self._stored[index]


def _window(picture: Rgb, icons: Boxes, neutral: Boxes, rng: np.random.Generator) -> Sample:
    scale = WIDTH / picture.shape[1] * float(np.exp(rng.uniform(*np.log(SCALES))))
    across, down = scale, scale * float(1 + rng.uniform(-STRETCH, STRETCH))
    # Where the window begins, in pixels of the scaled screen: negative if the screen is narrower than a window.
    left = _offset(picture.shape[1] * across - WIDTH, rng)
    top = _offset(picture.shape[0] * down - HEIGHT, rng)
    matrix = np.array([[across, 0, -left], [0, down, -top]])
    flags = cv2.INTER_AREA if across < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(picture, None, fx=across, fy=down, interpolation=flags)
    window = np.full((HEIGHT, WIDTH, 3), 114, np.uint8)
    x, y = max(left, 0), max(top, 0)
    part = scaled[y : y + HEIGHT - max(-top, 0), x : x + WIDTH - max(-left, 0)]
    window[max(-top, 0) :, max(-left, 0) :][: part.shape[0], : part.shape[1]] = part
    seen, cut = _clipped(_moved(icons, matrix))
    beside, hidden = _clipped(_moved(neutral, matrix))
    return Sample(window, seen, np.concatenate([cut, beside, hidden]))


def _has_keys(screen: TrainingScreen) -> bool:
    width, height = (screen.texts[:, 2:] - screen.texts[:, :2]).T
    return int((width < KEY_ASPECT * height).sum()) >= KEYS


def _offset(room: float, rng: np.random.Generator) -> int:
    low, high = sorted((0.0, room))
    return int(rng.uniform(low, high))


def _moved(boxes: Boxes, matrix: NDArray[np.float64]) -> Boxes:
    factors, shift = np.diag(matrix[:, :2]), matrix[:, 2]
    return (boxes * np.tile(factors, 2) + np.tile(shift, 2)).astype(np.float32)


def _clipped(boxes: Boxes) -> tuple[Boxes, Boxes]:
    """Return the boxes seen in the window, and those of which too little is seen, both clipped to it."""
    inner = np.clip(boxes, 0, [WIDTH, HEIGHT, WIDTH, HEIGHT]).astype(np.float32)
    sides, whole = inner[:, 2:] - inner[:, :2], boxes[:, 2:] - boxes[:, :2]
    there = (sides > 0).all(axis=1)
    share = sides.prod(axis=1) / np.maximum(whole.prod(axis=1), 1e-6)
    clear = there & (sides.min(axis=1, initial=np.inf) >= LEAST_SIDE) & (share >= LEAST_SEEN)
    return inner[clear], inner[there & ~clear]
