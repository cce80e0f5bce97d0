"""Count what a perception service does, for publication."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping

from pydantic import Field

from manyhands.protocol.base import Message

WAIT_BOUNDS_S = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds of the wait histogram. One more count holds the longer waits."""


class BatchCounts(Message):
    """Count the batches of one network since the start."""

    network: str
    sizes: dict[int, int] = Field(default_factory=dict)
    """The number of batches by the number of their items."""
    waited_ms: float = 0
    """The waiting time of all items together, before their batches ran."""
    busy_ms: float = 0
    """The time during which the network worked."""


class PerceptionCounts(Message):
    """Count what a service has done since its start, and how busy it is."""

    read: int = 0
    """Pictures that were read completely: the sum of the next four counts."""
    full: int = 0
    part: int = 0
    """Pictures of which only the rows were read that no earlier page had."""
    scrolled: int = 0
    """Pictures of which only new rows were read, and with texts that were known from other places on the screen."""
    unchanged: int = 0
    """Pictures whose rows were all known from earlier pages, so that nothing was read."""
    remembered: int = 0
    """Requests that were answered from the cache."""
    shared: int = 0
    """Requests that joined a reading in progress."""
    refused: int = 0
    """Pictures that found no place in the queue, or waited too long."""
    dropped: int = 0
    """Readings for which no caller waited any more when their turn came."""
    failed: int = 0
    stage_ms: dict[str, float] = Field(default_factory=dict)
    """The times of all pictures that were read: the sums of ``Content.timings_ms``."""
    waits: tuple[int, ...] = (0,) * (len(WAIT_BOUNDS_S) + 1)
    """Pictures by wait: one count for each of WAIT_BOUNDS_S (longer than the bound before), one for longer waits."""
    batches: tuple[BatchCounts, ...] = ()
    """Counts of each network that is run in batches."""
    workers: int = 0
    reading: int = 0
    """Pictures that are being read now."""
    waiting: int = 0
    """Pictures that wait now."""


class ServiceTotals:
    """Add up the counts of a service. Belongs to one thread."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()
        self._stage_ms: defaultdict[str, float] = defaultdict(float)
        self._waits = [0] * (len(WAIT_BOUNDS_S) + 1)

    def add(self, name: str) -> None:
        """Add one to ``name``, a field of PerceptionCounts."""
        self._counted[name] += 1

    def read(self, kind: str, timings_ms: Mapping[str, float]) -> None:
        """Count a picture that was read completely."""
        self._counted.update(("read", kind))
        for stage, ms in timings_ms.items():
            self._stage_ms[stage] += ms
        self._waits[bisect_left(WAIT_BOUNDS_S, timings_ms["queue"] / 1000)] += 1

    def counts(self, batches: tuple[BatchCounts, ...], workers: int, reading: int, waiting: int) -> PerceptionCounts:
        """Return the counts so far, with the service's own figures."""
        return PerceptionCounts(
            **self._counted,
            stage_ms=dict(self._stage_ms),
            waits=tuple(self._waits),
            batches=batches,
            workers=workers,
            reading=reading,
            waiting=waiting,
        )
