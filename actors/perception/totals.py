"""Running totals of a perception service."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

from manyhands.actors.perception.counts import WAIT_BOUNDS_S, BatchCounts, PerceptionCounts
from manyhands.actors.perception.reading import Content


class ServiceTotals:
    """Adds up the counts of a service. Belongs to one thread."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()
        self._stage_ms: defaultdict[str, float] = defaultdict(float)
        self._waits = [0] * (len(WAIT_BOUNDS_S) + 1)

    def add(self, name: str) -> None:
        """Add one to ``name``, a count of PerceptionCounts."""
        self._counted[name] += 1

    def read(self, content: Content) -> None:
        """Count a picture that was read to the end."""
        self.add("read")
        self.add(content.kind)
        for stage, ms in content.timings_ms.items():
            self._stage_ms[stage] += ms
        self._waits[bisect_left(WAIT_BOUNDS_S, content.timings_ms["queue"] / 1000)] += 1

    def counts(self, *, batches: Sequence[BatchCounts], workers: int, reading: int, waiting: int) -> PerceptionCounts:
        """Return the counts so far, with figures of the service itself."""
        return PerceptionCounts(
            **self._counted,
            stage_ms=dict(self._stage_ms),
            waits=tuple(self._waits),
            batches=tuple(batches),
            workers=workers,
            reading=reading,
            waiting=waiting,
        )
