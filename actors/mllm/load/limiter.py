"""The limiter: the cap on a client's requests in flight, given its servers' queues. Pure logic.

Additive increase, multiplicative decrease, as in TCP (Chiu and Jain, 1989): several clients that share servers
and know nothing of each other arrive at equal shares. A short queue at the servers is wanted, for it keeps their
batches full; a long one ends in refusals (docs/measurements/limiter.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

READ_EVERY_S = 2.0
"""How often the servers' queues are read while requests are in flight."""
DECREASE = 0.7
FULL_CACHE = 0.95
"""Share of the KV cache above which the cap grows no further: vLLM would preempt running requests."""
_STEPS = 16
"""Increases from nothing to the ceiling."""
_SHORT_QUEUE = 2
"""Waiting requests for each server that are never too many."""


@dataclass(frozen=True, slots=True)
class ServerQueue:
    """A server's queue by its /metrics."""

    waiting: int
    running: int
    cache_usage: float
    """0 to 1."""


class Limiter:
    """Holds the cap, from 1 to a ceiling; it starts at the ceiling and stays there while servers publish no queue."""

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._cap = float(ceiling)
        self._decreased_at = -math.inf

    @property
    def cap(self) -> int:
        return max(1, int(self._cap))

    def read(self, queues: Iterable[ServerQueue | None], now: float) -> None:
        """Adapt the cap to the servers' queues; None stands for a server without one. ``now``: seconds of any clock."""
        known = [queue for queue in queues if queue is not None]
        waiting = sum(queue.waiting for queue in known)
        running = sum(queue.running for queue in known)
        if waiting > running / 2 + _SHORT_QUEUE * len(known):
            self.refused(now)
        elif all(queue.cache_usage < FULL_CACHE for queue in known):
            self._cap = min(self._cap + max(1, self._ceiling / _STEPS), self._ceiling)

    def refused(self, now: float) -> None:
        """Lower the cap: a server was too busy (429 or 503), or its queue is long."""
        # Once in a period: a burst of refusals, and the reading after it, come from the same queue.
        if now - self._decreased_at >= READ_EVERY_S:
            self._decreased_at = now
            self._cap = max(self._cap * DECREASE, 1.0)


_SAMPLE = re.compile(
    r"^vllm:(num_requests_waiting|num_requests_running|kv_cache_usage_perc)(?:\{[^\n]*\})? +([0-9.eE+-]+)", re.MULTILINE
)


_MOST = {"num_requests_waiting": 1e9, "num_requests_running": 1e9, "kv_cache_usage_perc": 1.0}
"""The largest sample of each kind that a server can mean."""


def read_queue(page: str) -> ServerQueue | None:
    """Return a vLLM server's queue from its /metrics (Prometheus text).

    None where the page holds none, or impossible figures. A server of several engines has a sample for each: requests
    are added up, and the fullest cache counts.
    """
    found: dict[str, list[float]] = {}
    for name, value in _SAMPLE.findall(page):
        try:
            number = float(value)
        except ValueError:
            return None
        if not 0 <= number <= _MOST[name]:  # nor is NaN
            return None
        found.setdefault(name, []).append(number)
    if "num_requests_waiting" not in found or "num_requests_running" not in found:
        return None
    return ServerQueue(
        waiting=int(sum(found["num_requests_waiting"])),
        running=int(sum(found["num_requests_running"])),
        cache_usage=max(found.get("kv_cache_usage_perc", [0.0])),
    )
