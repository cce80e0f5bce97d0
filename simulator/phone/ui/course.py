"""Define the course of a transition: how much of the new screen shows at which time, and whether an empty page comes
first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Family = Literal["bursts", "pauses"]
FAMILIES: tuple[Family, ...] = ("bursts", "pauses")

QUICK_S = 0.25
SHORTEST_S, LONGEST_S = 0.1, 1.5
"""The shortest and longest transition of the family ``bursts``."""
GAP_S = (0.02, 0.15)
MOVE_S = (0.06, 0.3)
PAUSE_S = (0.2, 1.2)
"""The range of the typical pauses of the family ``pauses``."""
JITTER = 0.2
APPEAR_S = (0.1, 0.2)
FINGER_S = 0.03


@dataclass(frozen=True, slots=True)
class Leg:
    """Be a part of a course: until ``end`` (seconds since the course began), the share changes evenly to ``share``."""

    end: float
    share: float


@dataclass(frozen=True, slots=True)
class Course:
    """Hold ``legs`` in order of time. The last one reaches share 1.

    The share says how much of the new screen shows. ``eased``: the share changes fast at first, slowly at the end.
    ``empty``: up to share 0.5 an empty page comes in, and then the page's content appears.
    """

    legs: Sequence[Leg]
    eased: bool = False
    empty: bool = False

    @property
    def seconds(self) -> float:
        return self.legs[-1].end

    def share(self, elapsed: float) -> float:
        """Return the share shown after ``elapsed`` seconds: 0 at first, 1 at the end."""
        even = self._even(elapsed)
        return 1 - (1 - even) ** 2 if self.eased else even

    def _even(self, elapsed: float) -> float:
        begin, reached = 0.0, 0.0
        for leg in self.legs:
            if elapsed < leg.end:
                return reached + (leg.share - reached) * (elapsed - begin) / (leg.end - begin)
            begin, reached = leg.end, leg.share
        return 1.0


QUICK = Course((Leg(QUICK_S, 1.0),), eased=True)


class Transitions:
    """Make the courses of one phone's transitions, to measure how well others find out when transitions end.

    ``bursts``: 100 to 1500 ms, with no gap without change longer than 150 ms. ``pauses``: the screen, old or empty,
    stays still for 0.2 to 1.2 s before the new content appears. For each app and kind of input there is a typical
    pause, which varies by 20 %. ``seed`` decides the typical pauses, so phones with the same seed share them. ``phone``
    decides all the rest.
    """

    def __init__(self, family: Family, seed: int, phone: int) -> None:
        self._family = family
        self._seed = seed
        self._random = Random(f"{family} {seed} {phone}")

    def course(self, app: str, kind: str) -> Course:
        """Return the course of the change that an input of this kind makes in an app."""
        return self._bursts() if self._family == "bursts" else self._pause(app, kind)

    def _bursts(self) -> Course:
        random = self._random
        whole = random.uniform(SHORTEST_S, LONGEST_S)
        ends: list[tuple[float, bool]] = []
        now = random.uniform(*GAP_S) * min(1.0, whole)
        ends.append((now, False))
        while whole - now > GAP_S[1] + MOVE_S[1]:
            now += random.uniform(*MOVE_S)
            ends.append((now, True))
            now += random.uniform(*GAP_S)
            ends.append((now, False))
        ends.append((whole, True))
        moves = sum(moves for _, moves in ends)
        legs, done = [], 0
        for end, moving in ends:
            done += moving
            legs.append(Leg(end, done / moves))
        return Course(legs)

    def _pause(self, app: str, kind: str) -> Course:
        typical = Random(f"pause {self._seed} {app} {kind}")
        pause = typical.uniform(*PAUSE_S) * self._random.uniform(1 - JITTER, 1 + JITTER)
        appears = self._random.uniform(*APPEAR_S)
        if typical.random() < 0.5:
            return Course((Leg(pause, 0.0), Leg(pause + appears, 1.0)))
        comes = FINGER_S + self._random.uniform(*APPEAR_S)
        legs = (Leg(FINGER_S, 0.0), Leg(comes, 0.5), Leg(comes + pause, 0.5), Leg(comes + pause + appears, 1.0))
        return Course(legs, empty=True)
