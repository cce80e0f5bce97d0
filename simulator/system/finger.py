"""Simulate a finger that touches, moves and lifts by separate commands: ``input motionevent``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from manyhands.simulator.phone.device import PhoneDevice

LONG_PRESS_MS = 500
SLOP_DP = 8


class NoFinger(ValueError):
    """Report a command that moves or lifts the finger although it does not touch the screen."""


@dataclass(frozen=True, slots=True)
class _Down:
    """Hold where and when the finger came down, and its farthest point from there."""

    at: tuple[int, int]
    since: float
    furthest: tuple[int, int]


class Finger:
    """Collect the movements of the one finger. The phone receives the whole gesture when the finger is lifted."""

    def __init__(self, device: PhoneDevice, now: Callable[[], float] = time.monotonic) -> None:
        self._device, self._now = device, now
        self._down: _Down | None = None

    def down(self, x: int, y: int) -> None:
        """Begin a gesture. An unfinished one is forgotten."""
        self._down = _Down((x, y), self._now(), (x, y))

    def move(self, x: int, y: int) -> None:
        """Move the finger to a point. Raises NoFinger."""
        down = self._known()
        if math.dist(down.at, (x, y)) >= math.dist(down.at, down.furthest):
            self._down = replace(down, furthest=(x, y))

    def up(self, x: int, y: int) -> None:
        """Lift the finger at a point. The gesture is a swipe, or a tap or long press if the finger never moved far.

        Raises NoFinger.
        """
        self.move(x, y)
        down, self._down = self._known(), None
        perform(self._device, down.at, (x, y), down.furthest, round(1000 * (self._now() - down.since)))

    def cancel(self) -> None:
        """Forget the gesture, so that the phone does not receive it. Raises NoFinger."""
        self._known()
        self._down = None

    def _known(self) -> _Down:
        if self._down is None:
            raise NoFinger("no finger is down: DOWN comes first")
        return self._down


def perform(
    device: PhoneDevice, start: tuple[int, int], end: tuple[int, int], furthest: tuple[int, int], ms: int
) -> None:
    """Send a gesture of ``ms`` milliseconds to the device, as a swipe, a long press or a tap.

    It is a swipe if the finger moved farther than SLOP_DP from ``start``. Otherwise its duration decides.
    """
    if math.dist(start, furthest) > SLOP_DP * device.density / 160:
        device.swipe(*start, *end, ms)
    elif ms >= LONG_PRESS_MS:
        device.long_press(*start, ms)
    else:
        device.tap(*start)
