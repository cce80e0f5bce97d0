"""A clock that a test moves on, for code that waits by a given clock and beside that does real work (files, HTTP)."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

SETTLED = 20
"""For so many rounds of the event loop nobody but sleepers may be there before time goes on."""


class JumpingClock:
    """The Clock of a test: time stands still while anything is done, and jumps from one sleeper's end to the next."""

    def __init__(self, start: float) -> None:
        self._now = start
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._count += 1
        end = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, self._count, end))
        await end

    def jump(self, seconds: float) -> None:
        """Let time pass in which nothing runs, as while a machine is off."""
        self._now += seconds

    async def advance(self, seconds: float, is_idle: Callable[[], bool] = lambda: True) -> None:
        """Let time pass. It stands still while nobody sleeps, and while not ``is_idle``."""
        end = self._now + seconds
        while (at := await self._next_end(is_idle)) <= end:
            self._now = max(self._now, at)
            heapq.heappop(self._sleepers)[2].set_result(None)
        self._now = end

    async def _next_end(self, is_idle: Callable[[], bool]) -> float:
        """Wait until all that can be done now is done. Return when the next sleeper's time is over."""
        rounds = 0
        while rounds < SETTLED:
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            rounds = rounds + 1 if self._sleepers and is_idle() else 0
            await asyncio.sleep(0 if rounds else 0.0005)
        return self._sleepers[0][0]
