"""Record when no server of a model answered an episode. The episode's limits and figures do not count that time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

from manyhands.actors.clock import Clock
from manyhands.actors.episode.recording.paused_time import PausedTime, merge_intervals
from manyhands.protocol.journals.records import Interval, StageName


class Outage:
    """Record when no server answered a stage that asks a model. Times are Unix seconds."""

    def __init__(self) -> None:
        self.began_at: float | None = None
        """When the present outage began; None while servers answer."""
        self.ended_at = 0.0
        """The latest time at which no server answered, as far as the stage knows."""
        self.past: list[Interval] = []

    def met(self, since: float, now: float) -> None:
        """Record an outage from ``since`` that lasts until ``now`` at least."""
        if self.began_at is None:
            self.began_at = since
        self.ended_at = now


class OutageLog(PausedTime):
    """Record the outages of all stages of one episode."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._ended: dict[tuple[StageName, int], list[Interval]] = defaultdict(list)
        self._asking: set[Outage] = set()

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
            self._signal_end()

    def _open(self) -> Iterable[float]:
        return (outage.began_at for outage in self._asking if outage.began_at is not None)

    def _past(self) -> Iterable[Interval]:
        return chain.from_iterable(self._ended.values())

    def met_by(self, stage: StageName, step: int, start: float, end: float) -> tuple[Interval, ...]:
        """Return the outages that the stage met, cut to the time between ``start`` and ``end``."""
        inside = ((max(start, began), min(end, ended)) for began, ended in self._ended[stage, step])
        return merge_intervals(interval for interval in inside if interval[0] < interval[1])
