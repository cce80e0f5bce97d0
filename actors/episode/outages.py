"""When an episode waited because no server of a model answered: neither its limits nor its figures count that."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from manyhands.actors.clock import Clock
from manyhands.protocol.records import Interval, StageName


class Outage:
    """Record when no server answered one stage that asks a model. Times are Unix seconds."""

    def __init__(self) -> None:
        self.began_at: float | None = None
        """None while servers answer."""
        self.ended_at = 0.0
        """The latest time at which one still did not, as far as the stage knows."""
        self.past: list[Interval] = []

    def met(self, since: float, now: float) -> None:
        """Note that no server has answered since then."""
        if self.began_at is None:
            self.began_at = since
        self.ended_at = now


class Outages:
    """Record the outages of all stages of one episode."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._past: dict[tuple[StageName, int], list[Interval]] = defaultdict(list)
        self._open: set[Outage] = set()
        self._over = asyncio.Event()

    @contextmanager
    def of(self, stage: StageName, step: int) -> Iterator[Outage]:
        """Give a stage its record while it asks a model."""
        outage = Outage()
        self._open.add(outage)
        try:
            yield outage
        finally:
            self._open.discard(outage)
            ended = [(outage.began_at, outage.ended_at)] if outage.began_at is not None else []
            self._past[stage, step].extend([*outage.past, *ended])
            self._over.set()
            self._over = asyncio.Event()

    @property
    def since(self) -> float | None:
        """Return since when some stage waits for a server; None while none does."""
        return min((outage.began_at for outage in self._open if outage.began_at is not None), default=None)

    def seconds(self) -> float:
        """Return how long stages have waited for servers up to now, all together."""
        now = self._clock.now()
        past = [interval for intervals in self._past.values() for interval in intervals]
        going_on = [(outage.began_at, now) for outage in self._open if outage.began_at is not None]
        return sum(end - start for start, end in united([*past, *going_on]))

    def met_by(self, stage: StageName, step: int, start: float, end: float) -> tuple[Interval, ...]:
        """Return the stage's waits, as far as they lie between two moments."""
        inside = ((max(start, began), min(end, ended)) for began, ended in self._past[stage, step])
        return united(interval for interval in inside if interval[0] < interval[1])

    async def over(self) -> None:
        """Return once no stage waits for a server."""
        while self.since is not None:
            await self._over.wait()


def united(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the same time in intervals that do not overlap, in order."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
