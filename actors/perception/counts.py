"""The counts that a perception service publishes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping

from pydantic import Field

from manyhands.protocol.base import Message

WAIT_BOUNDS_S = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds by which waits are counted; one count more for those above."""


class BatchCounts(Message):
    """Count the batches of one network since the start."""

    network: str
    sizes: dict[int, int] = Field(default_factory=dict)
    """Batches by the number of their items."""
    waited_ms: float = 0
    """Waiting time of all items together, before their batches were run."""
    busy_ms: float = 0
    """Time in which the network worked."""


class PerceptionCounts(Message):
    """Count what a service has done since its start, and how busy it is."""

    read: int = 0
    """Pictures that were read to the end: the sum of the next four."""
    full: int = 0
    part: int = 0
    """Pictures of which only rows that no earlier page had were read."""
    scrolled: int = 0
    """Such pictures with texts known from other places on the screen."""
    unchanged: int = 0
    """Not the same pixels as any picture before, but the same rows as pages before: nothing was read."""
    remembered: int = 0
    """Requests that were answered from memory."""
    shared: int = 0
    """Requests that joined a reading under way."""
    refused: int = 0
    """Pictures that the queue had no place for, or that waited for too long."""
    dropped: int = 0
    """Readings that nobody waited for when their turn came."""
    failed: int = 0
    stage_ms: dict[str, float] = Field(default_factory=dict)
    """Times of all pictures that were read: ``Content.timings_ms`` added up."""
    waits: tuple[int, ...] = (0,) * (len(WAIT_BOUNDS_S) + 1)
    """Pictures by wait: up to each of WAIT_BOUNDS_S (and more than the one before it), and longer."""
    batches: tuple[BatchCounts, ...] = ()
    """Counts of each network that is run in batches."""
    workers: int = 0
    reading: int = 0
    """Pictures that are being read now."""
    waiting: int = 0
    """Pictures that wait now."""


class ServiceTotals:
    """Adds up the counts of a service. Belongs to one thread."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()
        self._stage_ms: defaultdict[str, float] = defaultdict(float)
        self._waits = [0] * (len(WAIT_BOUNDS_S) + 1)

    def add(self, name: str) -> None:
        """Add one to ``name``, a count of PerceptionCounts."""
        self._counted[name] += 1

    def read(self, kind: str, timings_ms: Mapping[str, float]) -> None:
        """Count a picture that was read to the end."""
        self._counted.update(("read", kind))
        for stage, ms in timings_ms.items():
            self._stage_ms[stage] += ms
        self._waits[bisect_left(WAIT_BOUNDS_S, timings_ms["queue"] / 1000)] += 1

    def counts(self, batches: tuple[BatchCounts, ...], workers: int, reading: int, waiting: int) -> PerceptionCounts:
        """Return the counts so far, with figures of the service itself."""
        return PerceptionCounts(
            **self._counted,
            stage_ms=dict(self._stage_ms),
            waits=tuple(self._waits),
            batches=batches,
            workers=workers,
            reading=reading,
            waiting=waiting,
        )
