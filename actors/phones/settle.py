"""When a screen is at rest: two frames that agree, a quiet time apart. Pure logic and an injected clock.

Frames are compared as small grey pictures without the status bar, whose clock and signal change by
themselves. What stays below the noise (a blinking cursor) does not count as change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from protocol.phones import SettleSpec
from protocol.screens import Settling

Thumbnail = NDArray[np.uint8]
T = TypeVar("T")

SHRINK = 4
"""Thumbnails are so much smaller on each side."""
STATUS_BAR_SHARE = 0.04
"""Share of the height that is left out at the top."""
NOISE_LEVEL = 12
"""Grey levels by which a pixel must differ to count."""
NOISE_SHARE = 0.0003
"""Share of a thumbnail's pixels that may differ while two frames still agree."""
UNCHANGED_FACTOR = 3.0
"""A screen that looks as it did before an action must keep still so much longer: the phone may not have begun."""
SAMPLES_PER_QUIET = 3
"""While the screen changes, frames are taken so often within a quiet time."""
HEAD_START = 0.8
"""A look begins so much of its usual duration before its frame is wanted: a frame that is early is in vain."""


def thumbnail(rgb: NDArray[np.uint8]) -> Thumbnail:
    """Grey, a quarter as wide and high, without the status bar, of uint8 pixels of shape (h, w, 3 or 4)."""
    height, width = rgb.shape[:2]
    body = rgb[round(height * STATUS_BAR_SHARE) :]
    size = (max(1, width // SHRINK), max(1, body.shape[0] // SHRINK))
    small = cv2.resize(body, size, interpolation=cv2.INTER_AREA)
    code = cv2.COLOR_RGBA2GRAY if rgb.shape[2] == 4 else cv2.COLOR_RGB2GRAY
    return np.asarray(cv2.cvtColor(small, code), dtype=np.uint8)


def alike(one: Thumbnail, other: Thumbnail) -> bool:
    """Whether two thumbnails agree within the noise."""
    if one is other:
        return True
    if one.shape != other.shape:
        return False
    changed = np.count_nonzero(cv2.absdiff(one, other) > NOISE_LEVEL)
    return bool(changed <= NOISE_SHARE * one.size)


class Settler:
    """Decides, frame by frame, whether a screen has come to rest. Times are seconds of any clock.

    ``before`` is what the screen looked like before an action that may not have begun to show.
    """

    def __init__(self, spec: SettleSpec, started_at: float, before: Thumbnail | None = None) -> None:
        self._quiet = spec.quiet_ms / 1000
        self._ends_at = started_at + spec.limit_ms / 1000
        self._started_at = started_at
        self._before = before
        self._reference: tuple[float, Thumbnail, float] | None = None
        self._frames = 0
        self._last_at = started_at
        self._settled = False
        self.next_at = started_at
        """When the next frame is worth taking."""

    def offer(self, at: float, frame: Thumbnail) -> bool:
        """Take the frame that was complete at ``at``; True if it is the last one needed."""
        self._frames += 1
        self._last_at = at
        if self._reference is not None and alike(self._reference[1], frame):
            since, _, quiet = self._reference
            self._settled = at - since >= quiet
            self.next_at = since + quiet
        else:
            quiet = self._quiet
            if self._before is not None and alike(self._before, frame):
                quiet *= UNCHANGED_FACTOR
            self._reference = (at, frame, quiet)
            self.next_at = at + self._quiet / SAMPLES_PER_QUIET
        self.next_at = min(self.next_at, self._ends_at)
        return self._settled or at >= self._ends_at

    def may_end(self, at: float) -> bool:
        """Whether a frame complete at ``at`` could be the last one."""
        if at >= self._ends_at:
            return True
        return self._reference is not None and at - self._reference[0] >= self._reference[2]

    def report(self) -> Settling:
        """How it went so far. At least one frame must have been offered."""
        return Settling(ms=(self._last_at - self._started_at) * 1000, frames=self._frames, settled=self._settled)


class Clock(Protocol):
    """Seconds and sleeping; a virtual one in tests."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Look(Generic[T]):
    """A frame as one look at the screen gave it: complete at ``at``, in seconds of the clock."""

    at: float
    thumbnail: Thumbnail
    value: T


async def settled(
    spec: SettleSpec, look: Callable[[bool], Awaitable[Look[T]]], clock: Clock, before: Thumbnail | None = None
) -> tuple[Look[T], Settling]:
    """Look until the screen rests or the limit has passed; the last look and how it went.

    ``look(True)`` asks for a look that may be the last one.
    """
    settler = Settler(spec, clock.now(), before)
    took = 0.0
    while True:
        started_at = clock.now()
        seen = await look(settler.may_end(started_at + took))
        took = seen.at - started_at
        if settler.offer(seen.at, seen.thumbnail):
            return seen, settler.report()
        pause = settler.next_at - HEAD_START * took - clock.now()
        if pause > 0:
            await clock.sleep(pause)
