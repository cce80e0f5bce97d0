"""Queue calls in front of the servers. Calls beyond the cap wait; calls beyond the queue's limit are refused."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from manyhands.protocol.errors import DeadlinePassed, Overloaded
from manyhands.protocol.utilities.host_clock import HOST_CLOCK


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
