"""Time, injected: what an episode measures by, sleeps by and gives up by."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from protocol.errors import DeadlinePassed


class Clock(Protocol):
    """``now`` and the running event loop's timers advance together; ``sleep`` is cancellable."""

    def now(self) -> float:
        """Unix seconds."""

    async def sleep(self, seconds: float) -> None: ...


class RealClock:
    """The machine's clock."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def until(clock: Clock, deadline: float, what: str) -> AsyncIterator[None]:
    """Cancel the body at ``deadline`` (Unix seconds). Raises DeadlinePassed, which names ``what``."""
    try:
        async with asyncio.timeout(max(0.0, deadline - clock.now())) as scope:
            yield
    except TimeoutError as error:
        if not scope.expired():
            raise
        raise DeadlinePassed(f"{what}: no answer by the deadline") from error
