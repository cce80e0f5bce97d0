"""Give the time to episodes, dispatchers and settling. Tests replace the clock by one of their own."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Protocol

from manyhands.protocol.errors import DeadlinePassed
from manyhands.protocol.utilities.host_clock import HOST_CLOCK


class Clock(Protocol):
    """Give the time in seconds. The timers of the running event loop advance with it. ``sleep`` can be cancelled."""

    def now(self) -> float:
        """Return seconds. A RealClock returns Unix time. A LoopClock counts from an arbitrary start."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class RealClock:
    """Give the Unix time of this host (``protocol.utilities.host_clock``).

    A change of the machine's clock does not move this time.
    """

    def now(self) -> float:
        return HOST_CLOCK.now()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class LoopClock:
    """Give the event loop's time, which no change of the machine's clock moves."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class time_limit:
    """Cancel the body at ``deadline`` (Unix seconds). Then raise DeadlinePassed, whose message names ``what``."""

    def __init__(self, clock: Clock, deadline: float, what: str) -> None:
        self._clock = clock
        self._deadline = deadline
        self._what = what

    async def __aenter__(self) -> None:
        self._scope = asyncio.timeout(max(0.0, self._deadline - self._clock.now()))
        await self._scope.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._scope.__aexit__(kind, error, traceback)
        except TimeoutError as late:
            raise DeadlinePassed(f"{self._what}: no answer by the deadline") from late
