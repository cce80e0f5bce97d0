"""Queue calls in front of the servers, and set the cap on calls in flight by the servers' queues.

Calls beyond the cap wait; calls beyond the queue's limit are refused.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import re
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from manyhands.protocol.errors import DeadlinePassed, Overloaded
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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

    The cap increases additively and decreases multiplicatively, as in TCP (Chiu and Jain, 1989). So several clients
    that share servers and do not know each other arrive at equal shares. A short queue at the servers is good, because
    it keeps their batches full. A long queue ends in refusals (docs/measurements/limiter.md).

    A server's figures do not show all of its queue. vLLM counts a request only once its pictures are prepared, and
    other servers publish nothing. So two things that we see ourselves count as well: requests of ours that are in
    flight but in no figure of the server, and answers that take several times as long as the best ones.
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


@dataclass(order=True, slots=True)
class _QueuedCall:
    priority: int
    number: int
    place: asyncio.Future[None] = field(compare=False)


class Admission:
    """Admit ``cap`` calls at a time: the lowest priority number first, then first come, first served.

    A call with a high number waits as long as calls with lower numbers keep arriving. Its deadline ends the wait.
    """

    def __init__(self, cap: int, waiting: int) -> None:
        self._cap = cap
        self._waiting_limit = waiting
        self._in_flight = 0
        self._queue: list[_QueuedCall] = []
        self._numbers = itertools.count()

    @property
    def cap(self) -> int:
        return self._cap

    @property
    def in_flight(self) -> int:
        return self._in_flight

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def resize(self, cap: int) -> None:
        """Change the cap. Calls in flight continue."""
        self._cap = cap
        self._admit()

    @asynccontextmanager
    async def enter(self, priority: int, deadline: float) -> AsyncIterator[float]:
        """Wait for a place until ``deadline`` (Unix seconds) and yield the time waited, in ms.

        Raises Overloaded if too many calls wait already, DeadlinePassed after the deadline.
        """
        began = time.perf_counter()
        if deadline <= HOST_CLOCK.now():
            raise DeadlinePassed("the deadline had passed before the model could be asked")
        if self._in_flight < self._cap and not self._queue:
            self._in_flight += 1
        else:
            await self._wait(priority, deadline)
        try:
            yield (time.perf_counter() - began) * 1000
        finally:
            self._in_flight -= 1
            self._admit()

    async def _wait(self, priority: int, deadline: float) -> None:
        if len(self._queue) >= self._waiting_limit:
            raise Overloaded(f"{self._in_flight} model calls run and {len(self._queue)} wait; that is the limit")
        place = asyncio.get_running_loop().create_future()
        waiting = _QueuedCall(priority, next(self._numbers), place)
        heapq.heappush(self._queue, waiting)
        admitted = False
        try:
            async with asyncio.timeout(deadline - HOST_CLOCK.now()):
                await place
            admitted = True
        except TimeoutError:
            raise DeadlinePassed("the deadline passed before the model could be asked") from None
        finally:
            if not admitted:
                self._leave(waiting)

    def _leave(self, waiting: _QueuedCall) -> None:
        # the call was admitted and cancelled at the same moment
        if waiting.place.done() and not waiting.place.cancelled():
            self._in_flight -= 1
        elif waiting in self._queue:
            self._queue.remove(waiting)
            heapq.heapify(self._queue)
        self._admit()

    def _admit(self) -> None:
        while self._queue and self._in_flight < self._cap:
            waiting = heapq.heappop(self._queue)
            if waiting.place.cancelled():
                continue
            waiting.place.set_result(None)
            self._in_flight += 1
