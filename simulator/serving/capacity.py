"""Limit how fast a stand-in for a model answers: latency by role, output tokens a second, requests at once."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from manyhands.protocol.roles.role import Role
from manyhands.simulator.serving.shared_speed import SharedSpeed, Writing


class Capacity:
    """Run at most ``max_running`` requests at once, each for its role's least time, at a token rate that all share.

    Waiting requests start by priority, the lowest number first, as in a vLLM with priority scheduling. A cancelled
    request frees its place and its share of the rate at once. The tokens that it had written count as written.
    """

    def __init__(self, latency_s: Mapping[Role, float], tokens_per_s: float | None, max_running: int) -> None:
        self._latency_s = dict(latency_s)
        self._speed = SharedSpeed(tokens_per_s)
        self._places = max_running
        self._queue: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._ends: dict[Writing, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._written = 0
        self.running = 0

    @property
    def waiting(self) -> int:
        return sum(not place.done() for _, _, place in self._queue)

    @property
    def written(self) -> int:
        """Return the tokens that were written so far, including those of unfinished and cancelled requests."""
        self._tick()
        return self._written + sum(int(writing.written) for writing in self._ends)

    @asynccontextmanager
    async def place(self, priority: int = 0) -> AsyncIterator[float]:
        """Wait for a place among the running requests, and hold it. Yield the loop's time at which the wait ended."""
        if self.running < self._places and not self.waiting:
            self.running += 1
        else:
            await self._wait(priority)
        try:
            yield asyncio.get_running_loop().time()
        finally:
            self._leave()

    async def write(self, role: Role | None, tokens: int, since: float, cost_s: float = 0.0) -> None:
        """Wait until a reply of so many tokens is written.

        A role has a least time for its replies, and a reply has a least time by its tokens (``cost_s``). The longer one
        counts. It began at ``since``, so the wait lasts at least until it is over.
        """
        loop = asyncio.get_running_loop()
        least_s = max(cost_s, self._latency_s.get(role, 0.0) if role is not None else 0.0)
        end: asyncio.Future[None] = loop.create_future()
        # An empty reply counts as one token, so that it also takes the least time.
        writing = self._speed.begin(max(1, tokens), max(0.0, since + least_s - loop.time()), loop.time())
        self._ends[writing] = end
        try:
            self._tick()
            await end
        finally:
            if self._ends.pop(writing, None) is not None:
                self._speed.end(writing, loop.time())
                self._written += int(writing.written)
                self._tick()

    async def _wait(self, priority: int) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (priority, next(self._numbers), place))
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # the place was given just before the wait was cancelled
                self._leave()
            raise

    def _leave(self) -> None:
        self.running -= 1
        while self._queue and self.running < self._places:
            place = heapq.heappop(self._queue)[2]
            if not place.done():
                place.set_result(None)
                self.running += 1

    def _tick(self) -> None:
        """End the requests that are written by now, and set the timer for the next end."""
        loop = asyncio.get_running_loop()
        for writing in self._speed.advance(loop.time()):
            end = self._ends.pop(writing)
            self._written += int(writing.tokens)
            if not end.done():
                end.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
        moment = self._speed.next_end()
        self._timer = loop.call_at(moment, self._tick) if moment is not None else None
