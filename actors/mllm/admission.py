"""A bounded queue before the servers: so many run, so many wait, the next is refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from protocol.errors import DeadlinePassed, Overloaded


class Admission:
    """Lets ``running`` calls in at a time, first come, first served."""

    def __init__(self, running: int, waiting: int) -> None:
        self._places = asyncio.Semaphore(running)
        self._running = running
        self._waiting_limit = waiting
        self._waiting = 0

    @asynccontextmanager
    async def enter(self, deadline: float) -> AsyncIterator[float]:
        """Waits for a place until ``deadline`` (Unix seconds) and gives the time waited, in ms.

        Raises Overloaded when too many wait already, DeadlinePassed.
        """
        began = time.perf_counter()
        if self._places.locked() and self._waiting >= self._waiting_limit:
            raise Overloaded(f"{self._running} model calls run and {self._waiting} wait; that is the limit")
        self._waiting += 1
        try:
            async with asyncio.timeout(deadline - time.time()):
                await self._places.acquire()
        except TimeoutError:
            raise DeadlinePassed("the deadline passed before the model could be asked") from None
        finally:
            self._waiting -= 1
        try:
            yield (time.perf_counter() - began) * 1000
        finally:
            self._places.release()
