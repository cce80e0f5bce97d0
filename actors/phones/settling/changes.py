"""Find what changed between two looks at a screen, except for regions that change by themselves.

A look is compared as a small grey picture without the status bar, whose clock and signs change by themselves.
Differences are returned as square tiles. A caret's blink is no change. A tile that changes in every look for long
enough (a video, a progress spinner) is restless. Changes of restless tiles do not count; changes of other tiles still
do.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
"""Luminance of a whole frame, shape (height, width)."""
Thumbnail = NDArray[np.uint8]
"""Grey, a quarter as wide and high, without the status bar."""
Tiles = NDArray[np.bool_]
"""Shape (ceil(height / TILE), ceil(width / TILE)) of a thumbnail."""

SHRINK = 4
"""How many times smaller thumbnails are on each side."""
TILE = 8
"""The side of a tile in thumbnail pixels."""
STATUS_BAR_SHARE = 0.04
"""Share of the height that is omitted at the top."""
NOISE_LEVEL = 1
"""Grey levels by which a thumbnail's pixel must differ to count."""
NOISE_SHARE = 0.0001
"""Share of a thumbnail's pixels that may differ while two still agree: 15 pixels for a 1080x2400 phone."""
DPS_ACROSS = 400
"""The approximate shorter side of a phone in dp: most have 360 to 412."""
CARET_DP = (3, 8, 40)
"""A caret's greatest width, and its least and greatest height."""
RESTLESS_S = 1.8
"""A tile is restless if it changed in every look for this long; the longest ordinary transitions take 1.5 s."""
RESTLESS_LOOKS = 5
"""A restless tile must have changed in at least this many looks, because a few looks far apart prove nothing."""
STILL_S = 0.3
"""A tile that kept still for this long, and in two looks, is no longer restless."""


def status_bar(height: int) -> int:
    """Return how many rows of a screen are omitted at the top."""
    return round(height * STATUS_BAR_SHARE)


def grey(pixels: NDArray[np.uint8]) -> Grey:
    """Return the luminance of uint8 pixels of shape (height, width, 3 or 4), RGB or RGBA."""
    code = cv2.COLOR_RGBA2GRAY if pixels.shape[2] == 4 else cv2.COLOR_RGB2GRAY
    return np.asarray(cv2.cvtColor(pixels, code), dtype=np.uint8)


def thumbnail(whole: Grey) -> Thumbnail:
    """Return the thumbnail of a whole frame's luminance."""
    height, width = whole.shape
    body = whole[status_bar(height) :]
    size = (max(1, width // SHRINK), max(1, body.shape[0] // SHRINK))
    return np.asarray(cv2.resize(body, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def dp(shape: tuple[int, ...]) -> float:
    """Return approximately how many pixels of a picture of this height and width make a dp."""
    return min(shape[:2]) / DPS_ACROSS


def changed_tiles(one: Thumbnail, other: Thumbnail) -> Tiles:
    """Return where two thumbnails of one size differ by more than the noise."""
    if one is other:  # looks with the same bytes share one frame
        return np.zeros((-(-one.shape[0] // TILE), -(-one.shape[1] // TILE)), np.bool_)
    _, differs = cv2.threshold(cv2.absdiff(one, other), NOISE_LEVEL, 255, cv2.THRESH_BINARY)
    height, width = differs.shape
    below, beside = -height % TILE, -width % TILE
    padded = cv2.copyMakeBorder(differs, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=0)
    # One pixel of 64 at 255 makes a mean of 4, so no difference is lost; numpy's any() over tiles takes three times as
    # long.
    mean = cv2.resize(padded, (padded.shape[1] // TILE, padded.shape[0] // TILE), interpolation=cv2.INTER_AREA)
    return np.asarray(mean > 0, dtype=np.bool_)


def grown(tiles: Tiles) -> Tiles:
    """Return the tiles and all their neighbours."""
    wider = cv2.dilate(tiles.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(wider > 0, dtype=np.bool_)


def same_place(one: Tiles, other: Tiles) -> bool:
    """Return whether two changes touched the same tiles, or neighbours of them."""
    return not (one & ~grown(other)).any() and not (other & ~grown(one)).any()


def negligible(one: Thumbnail, other: Thumbnail, counted: Tiles) -> bool:
    """Return whether the difference within ``counted`` tiles is only a caret's blink or noise."""
    pixels = np.repeat(np.repeat(counted, TILE, axis=0), TILE, axis=1)[: one.shape[0], : one.shape[1]]
    differs = ((cv2.absdiff(one, other) > NOISE_LEVEL) & pixels).astype(np.uint8)
    if int(np.count_nonzero(differs)) <= NOISE_SHARE * one.size:
        return True
    _, _, width, height = cv2.boundingRect(differs)
    widest, low, high = (size * dp(one.shape) for size in CARET_DP)
    # A drawn shape may touch one more pixel of a thumbnail on each side.
    return bool(width <= widest + 2 and low - 1 <= height <= high + 2)


class RestlessTiles:
    """Track which tiles keep changing by themselves. Times are seconds of any clock.

    ``restless``: tiles that were restless at the last screenshot. They count as restless again while they continue. A
    moving object leaves and enters tiles, so a tile continues while a neighbour changes.
    """

    def __init__(self, shape: tuple[int, ...], at: float, restless: Tiles | None = None) -> None:
        self._began = np.full(shape, np.inf)
        self._last = np.full(shape, -np.inf)
        self._changes = np.zeros(shape, np.int64)
        self._missed = np.zeros(shape, np.int64)
        if restless is not None and restless.shape == shape:
            self._began[restless] = at - RESTLESS_S
            self._last[restless] = at
            self._changes[restless] = RESTLESS_LOOKS

    def saw(self, at: float, changed: Tiles) -> None:
        """Record where a look at ``at`` differs from the look before it."""
        near = grown(changed) if changed.any() else changed
        self._missed = np.where(near, 0, self._missed + 1)
        over = (self._missed >= 2) & (self._last < at - STILL_S)
        self._began[over], self._changes[over] = np.inf, 0
        self._began[near & np.isinf(self._began)] = at
        self._last[near] = at
        self._changes[near] += 1

    def now(self) -> Tiles:
        """Return the tiles that were restless at the last look."""
        # Slightly less, because times are sums.
        for_long = self._last - self._began >= RESTLESS_S - 1e-6
        return np.asarray(for_long & (self._changes >= RESTLESS_LOOKS), dtype=np.bool_)
