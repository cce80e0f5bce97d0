"""A finger that comes down, moves and leaves in commands of its own: ``input motionevent``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from manyhands.simulator.phone.device import PhoneDevice

LONG_PRESS_MS = 500
SLOP_DP = 8


class NoFinger(ValueError):
    """Report that a finger is to move or leave that has not come down."""


@dataclass(frozen=True, slots=True)
class _Down:
    """Hold where and when the finger came down, and where it was farthest from there."""

    at: tuple[int, int]
    since: float
    furthest: tuple[int, int]


class Finger:
    """Hold the one finger of a phone's ``input motionevent``. The phone has the gesture when the finger leaves."""

    def __init__(self, device: PhoneDevice, now: Callable[[], float] = time.monotonic) -> None:
        self._device, self._now = device, now
        self._down: _Down | None = None

    def down(self, x: int, y: int) -> None:
        """Come down; a finger that was down still is forgotten."""
        self._down = _Down((x, y), self._now(), (x, y))

    def move(self, x: int, y: int) -> None:
        """Move to a place. Raises NoFinger."""
        down = self._known()
        if math.dist(down.at, (x, y)) >= math.dist(down.at, down.furthest):
            self._down = replace(down, furthest=(x, y))

    def up(self, x: int, y: int) -> None:
        """Leave: a swipe to that place, or a tap or a long press where the finger never moved far. Raises NoFinger."""
        self.move(x, y)
        down, self._down = self._known(), None
        perform(self._device, down.at, (x, y), down.furthest, round(1000 * (self._now() - down.since)))

    def cancel(self) -> None:
        """Forget the gesture, as if an app took it away. Raises NoFinger."""
        self._known()
        self._down = None

    def _known(self) -> _Down:
        if self._down is None:
            raise NoFinger("no finger is down: DOWN comes first")
        return self._down


def perform(
    device: PhoneDevice, start: tuple[int, int], end: tuple[int, int], furthest: tuple[int, int], ms: int
) -> None:
    """Swipe, press or tap, whatever such a gesture is on a phone."""
    if math.dist(start, furthest) > SLOP_DP * device.density / 160:
        device.swipe(*start, *end, ms)
    elif ms >= LONG_PRESS_MS:
        device.long_press(*start, ms)
    else:
        device.tap(*start)
