"""How fast a stand-in for a model answers: latency by role, output tokens a second, places for requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from protocol.base import Role


class Capacity:
    """Places for ``max_running`` requests, a least time for each role, and a rate of tokens that all share."""

    def __init__(self, latency_s: Mapping[Role, float], tokens_per_s: float | None, max_running: int) -> None:
        self._latency_s = dict(latency_s)
        self._tokens_per_s = tokens_per_s
        self._places = asyncio.Semaphore(max_running)
        self._written_until = 0.0
        self.waiting = 0
        self.running = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[float]:
        """A place among the running requests; gives the loop's time at which it was taken."""
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield asyncio.get_running_loop().time()
        finally:
            self.running -= 1
            self._places.release()

    async def think(self, role: Role | None, started: float) -> None:
        """Returns when ``role``'s least time has passed since ``started``."""
        latency = self._latency_s.get(role, 0.0) if role is not None else 0.0
        await _until(started + latency)

    async def write(self, tokens: int) -> None:
        """Returns when ``tokens`` more tokens can have been written, all requests taken together."""
        if self._tokens_per_s is None:
            return
        now = asyncio.get_running_loop().time()
        self._written_until = max(now, self._written_until) + tokens / self._tokens_per_s
        await _until(self._written_until)


async def _until(moment: float) -> None:
    remaining = moment - asyncio.get_running_loop().time()
    if remaining > 0:
        await asyncio.sleep(remaining)
