"""Record the time in which something outside an episode pauses it: a person, a lost model, a lost store.

The episode's limits and figures do not count that time.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

from manyhands.actors.clock import Clock
from manyhands.protocol.errors import (
    ActorLost,
    DeadlinePassed,
    InvalidRecord,
    Overloaded,
    StaleEpoch,
    StoreError,
    StoreLost,
)
from manyhands.protocol.journals.records import Interval, StageName
from manyhands.protocol.utilities.backoff import Backoff

AWAY = (ActorLost, DeadlinePassed, Overloaded, StoreError)
"""Errors that a retry may mend: the store's process restarts, the disk has space again, the folder is moved back."""
FINAL = (StaleEpoch, InvalidRecord, StoreLost)
"""Errors of the store that no retry mends."""
T = TypeVar("T")
PAUSES = Backoff(first_s=0.2, longest_s=1.0)

logger = logging.getLogger(__name__)


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


def _merge_intervals(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
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
    return sum(end - start for start, end in _merge_intervals(intervals))


class Outage:
    """Record when no server answered a stage that asks a model, or took its requests. Times are Unix seconds."""

    def __init__(self) -> None:
        self.began_at: float | None = None
        """When the present outage began; None while servers answer."""
        self.ended_at = 0.0
        """The latest time at which no server answered, as far as the stage knows."""
        self.past: list[Interval] = []
        self.is_busy = True
        """Whether servers only refused requests, as too busy or paused, as far as the stage knows."""

    def met(self, since: float, now: float, is_busy: bool) -> None:
        """Record an outage from ``since`` that lasts until ``now`` at least."""
        if self.began_at is None:
            self.began_at = since
        self.ended_at = now
        self.is_busy = self.is_busy and is_busy


class OutageLog(PausedTime):
    """Record the outages of all stages of one episode."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._ended: dict[tuple[StageName, int], list[Interval]] = defaultdict(list)
        self._asking: set[Outage] = set()
        self.not_busy: set[tuple[StageName, int]] = set()
        """The stages and steps for which no server answered, so that servers were not busy only."""

    @contextmanager
    def of(self, stage: StageName, step: int) -> Iterator[Outage]:
        """Return a stage's outage record, for use while it asks a model."""
        outage = Outage()
        self._asking.add(outage)
        try:
            yield outage
        finally:
            self._asking.discard(outage)
            ended = [(outage.began_at, outage.ended_at)] if outage.began_at is not None else []
            self._ended[stage, step].extend([*outage.past, *ended])
            if not outage.is_busy:
                self.not_busy.add((stage, step))
            self._signal_end()

    @property
    def met_outage(self) -> bool:
        """Return whether no server answered at some time; false if servers only refused, as too busy or paused."""
        return bool(self.not_busy) or any(not outage.is_busy for outage in self._asking)

    def _open(self) -> Iterable[float]:
        return (outage.began_at for outage in self._asking if outage.began_at is not None)

    def _past(self) -> Iterable[Interval]:
        return chain.from_iterable(self._ended.values())

    def met_by(self, stage: StageName, step: int, start: float, end: float) -> tuple[Interval, ...]:
        """Return the outages that the stage met, cut to the time between ``start`` and ``end``."""
        inside = ((max(start, began), min(end, ended)) for began, ended in self._ended[stage, step])
        return _merge_intervals(interval for interval in inside if interval[0] < interval[1])


class WaitBudget(PausedTime):
    """Retry while the store is away, for all parts of one episode that need it."""

    def __init__(self, clock: Clock, limit_s: float) -> None:
        """``limit_s``: how long a writer waits before it gives up."""
        super().__init__(clock)
        self._limit_s = limit_s
        self._waiting: dict[object, float] = {}
        self._waited: tuple[Interval, ...] = ()

    def _open(self) -> Iterable[float]:
        return self._waiting.values()

    def _past(self) -> Iterable[Interval]:
        return self._waited

    async def until_done(self, what: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what ``ask`` returns once it succeeds. Raises StoreLost after the limit.

        An error that no retry mends is raised at once.
        """
        began, pauses, writer = self._clock.now(), PAUSES.pauses(), object()
        try:
            while True:
                try:
                    return await ask()
                except FINAL:
                    raise
                except AWAY as error:
                    if writer not in self._waiting:
                        logger.warning("waiting for the store, for %s: %s", what, error)
                        self._waiting[writer] = began
                    pause_s = next(pauses)
                    if self._clock.now() + pause_s > began + self._limit_s:
                        raise StoreLost(str(error)) from error
                await self._clock.sleep(pause_s)
        finally:
            if self._waiting.pop(writer, None) is not None:
                self._waited = _merge_intervals([*self._waited, (began, self._clock.now())])
                self._signal_end()
