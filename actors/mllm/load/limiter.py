"""Set the cap on a client's requests in flight by its servers' queues. Pure logic.

The cap increases additively and decreases multiplicatively, as in TCP (Chiu and Jain, 1989). So several clients that
share servers and do not know each other arrive at equal shares. A short queue at the servers is good, because it keeps
their batches full. A long queue ends in refusals (docs/measurements/limiter.md).

A server's figures do not show all of its queue. vLLM counts a request only once its pictures are prepared, and other
servers publish nothing. So two things that we see ourselves count as well: requests of ours that are in flight but in
no figure of the server, and answers that take several times as long as the best ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

READ_EVERY_S = 2.0
"""How often the servers' queues are read while requests are in flight."""
DECREASE = 0.7
FULL_CACHE = 0.95
"""The cap stops growing when this share of the KV cache is in use: beyond it, vLLM would preempt running requests."""
_STEPS = 16
"""The number of increases from zero to the ceiling."""
_SHORT_QUEUE = 2
"""So many waiting requests for each server are always acceptable."""
TOO_SLOW = 6.0
"""Answers that take so many times the best latency show a queue. A full batch alone makes them 2 to 4 times slower."""


@dataclass(frozen=True, slots=True)
class ServerQueue:
    """Hold a server's queue as the server's /metrics page reports it."""

    waiting: int
    running: int
    cache_usage: float
    """The share of the KV cache in use, 0 to 1."""
    unseen: int = 0
    """Requests of this client that are at the server but in none of its figures: their pictures are being prepared."""

    @property
    def backlog(self) -> int:
        """Return how many requests wait, as far as the server and this client know."""
        return self.waiting + self.unseen

    def with_own(self, in_flight: int, earlier: int) -> ServerQueue:
        """Return the queue with this client's own requests. ``earlier``: how many were unseen at the last reading.

        Requests that were sent a moment ago are in no figure either, so only those count that were unseen twice.
        """
        return replace(self, unseen=min(earlier, self.missing(in_flight)))

    def others(self, in_flight: int) -> int:
        """Return how many requests of other clients the server has, at least."""
        return max(0, self.waiting + self.running - in_flight)

    def missing(self, in_flight: int) -> int:
        """Return how many of this client's requests in flight the figures lack, at least."""
        return max(0, in_flight - self.waiting - self.running)


class Limiter:
    """Hold the cap, from 1 to a ceiling. The cap starts at the ceiling.

    If no server publishes a queue, only refusals and slow answers lower it.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._cap = float(ceiling)
        self._decreased_at = -math.inf

    @property
    def cap(self) -> int:
        return max(1, int(self._cap))

    def read(self, queues: Iterable[ServerQueue | None], now: float) -> None:
        """Adapt the cap to the servers' queues. A queue is None if the server publishes none.

        ``now``: seconds of any clock.
        """
        reports = [queue for queue in queues if queue is not None]
        waiting = sum(queue.backlog for queue in reports)
        running = sum(queue.running for queue in reports)
        if waiting > running / 2 + _SHORT_QUEUE * len(reports):
            self.refused(now)
        elif all(queue.cache_usage < FULL_CACHE for queue in reports):
            self._cap = min(self._cap + max(1, self._ceiling / _STEPS), self._ceiling)

    def answered(self, slowness: float, now: float) -> None:
        """Adapt the cap to how many times the best latency some answers took."""
        if slowness > TOO_SLOW:
            self.refused(now)

    def refused(self, now: float) -> None:
        """Lower the cap, because a server was too busy (429 or 503), the queues are long or the answers slow."""
        # The cap is lowered at most once in a period, because a burst of refusals and the next reading of queues have
        # the same cause.
        if now - self._decreased_at >= READ_EVERY_S:
            self._decreased_at = now
            self._cap = max(self._cap * DECREASE, 1.0)


_SAMPLE = re.compile(
    r"^vllm:(num_requests_waiting|num_requests_running|kv_cache_usage_perc)(?:\{[^\n]*\})? +([0-9.eE+-]+)", re.MULTILINE
)


_MOST = {"num_requests_waiting": 1e9, "num_requests_running": 1e9, "kv_cache_usage_perc": 1.0}
"""The largest plausible sample of each kind."""


def read_queue(page: str) -> ServerQueue | None:
    """Return a vLLM server's queue from its /metrics (Prometheus text).

    Return None if the page holds no queue or impossible figures. A server with several engines has a sample for each:
    requests are added up, and the fullest cache counts.
    """
    samples: dict[str, list[float]] = {}
    for name, value in _SAMPLE.findall(page):
        try:
            number = float(value)
        except ValueError:
            return None
        if not 0 <= number <= _MOST[name]:  # NaN fails this check, too
            return None
        samples.setdefault(name, []).append(number)
    if "num_requests_waiting" not in samples or "num_requests_running" not in samples:
        return None
    return ServerQueue(
        waiting=int(sum(samples["num_requests_waiting"])),
        running=int(sum(samples["num_requests_running"])),
        cache_usage=max(samples.get("kv_cache_usage_perc", [0.0])),
    )
