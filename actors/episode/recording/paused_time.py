"""Record the time in which something outside an episode pauses it.

The episode's time limit does not count that time.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import chain

from manyhands.actors.clock import Clock
from manyhands.protocol.journals.records import Interval


class PausedTime(ABC):
    """Record when an episode was paused by one cause. Times are Unix seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._over = asyncio.Event()
        """Set, and then replaced, whenever a wait has ended."""

    @abstractmethod
    def _open(self) -> Iterable[float]:
        """Return the start of each wait that still lasts."""

    @abstractmethod
    def _past(self) -> Iterable[Interval]:
        """Return the pauses that have ended."""

    @property
    def since(self) -> float | None:
        """Return since when the episode is paused; None while it is not."""
        return min(self._open(), default=None)

    def intervals(self) -> tuple[Interval, ...]:
        """Return all pauses up to now. They may overlap."""
        now = self._clock.now()
        return (*self._past(), *((since, now) for since in self._open()))

    async def over(self) -> None:
        """Return once no pause lasts any more."""
        while self.since is not None:
            await self._over.wait()

    def _signal_end(self) -> None:
        self._over.set()
        self._over = asyncio.Event()


class TimeLimit:
    """The time limit of an episode."""

    def __init__(self, clock: Clock, limit_s: float, *uncounted: PausedTime) -> None:
        self.began_at = clock.now()
        self._clock = clock
        self._limit_s = limit_s
        self._uncounted = uncounted
        self._stopped_s = 0.0
        self._known = asyncio.Event()
        """Set once it is known when the episode began."""

    def count_from(self, began_at: float, stopped_s: float = 0.0) -> None:
        """Start counting.

        The seconds ``stopped_s`` do not count: in them no host ran the episode, or no model answered.
        """
        self.began_at, self._stopped_s = began_at, stopped_s
        self._known.set()

    async def passed(self) -> None:
        """Return once the time is up.

        Time in which the episode was paused for several reasons at the same time is excluded only once.
        """
        await self._known.wait()
        while True:
            for waits in self._uncounted:
                await waits.over()
            free_s = self._stopped_s + measure_s(chain.from_iterable(waits.intervals() for waits in self._uncounted))
            left_s = self.began_at + self._limit_s + free_s - self._clock.now()
            if left_s <= 0:
                return
            await self._clock.sleep(left_s)


def merge_intervals(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return intervals, in order, that cover the same time and do not overlap."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def measure_s(intervals: Iterable[Interval]) -> float:
    """Return how many seconds the intervals cover. Time in several intervals counts once."""
    return sum(end - start for start, end in merge_intervals(intervals))
