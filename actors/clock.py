"""Inject time: what episodes, dispatchers and settling measure by, sleep by and give up by."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Protocol

from manyhands.protocol.errors import DeadlinePassed
from manyhands.protocol.host_clock import HOST_CLOCK


class Clock(Protocol):
    """Give seconds, in which the running event loop's timers advance too; ``sleep`` can be cancelled."""

    def now(self) -> float:
        """Return seconds: Unix time of a RealClock, since an arbitrary start of a LoopClock."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class RealClock:
    """Give the Unix time of this host, which no step of the machine's clock moves (``protocol.host_clock``)."""

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
    """Cancel the body at ``deadline`` (Unix seconds). Raises DeadlinePassed, which names ``what``."""

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
