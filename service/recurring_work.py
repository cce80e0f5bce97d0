"""Do work again and again: when it is due, when somebody asks for it, and after a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Self

from manyhands.actors.clock import Clock
from manyhands.protocol.errors import ManyhandsError

log = logging.getLogger(__name__)


class RecurringWork:
    """Call a function until cancelled. The function returns when it is to be called next, in Unix seconds."""

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[float]],
        clock: Clock,
        longest_wait_s: float = 30.0,
        retry_s: float = 5.0,
    ) -> None:
        """Call ``work`` at least each ``longest_wait_s``, because the machine's sleep stops our timers too."""
        self._name = name
        self._work = work
        self._clock = clock
        self._longest_wait_s = longest_wait_s
        self._retry_s = retry_s
        self._is_asked = asyncio.Event()

    @classmethod
    def every(cls, seconds: float, name: str, work: Callable[[], Awaitable[None]], clock: Clock) -> Self:
        """Return work that is done every so many seconds, also after a failure."""

        async def do() -> float:
            await work()
            return clock.now() + seconds

        return cls(name, do, clock, seconds, seconds)

    def wake(self) -> None:
        """Let the work be done now: something has changed."""
        self._is_asked.set()

    async def run(self) -> None:
        """Do the work until cancelled. After an error, such as a database that is away, it is tried again.

        A defect is logged with its traceback, and does not end the service either.
        """
        while True:
            self._is_asked.clear()
            try:
                wait_s = await self._work() - self._clock.now()
            except ManyhandsError as error:
                log.warning("%s: %s; trying again in %g s", self._name, error, self._retry_s)
                wait_s = self._retry_s
            except Exception:
                log.exception("%s: a defect; trying again in %g s", self._name, self._retry_s)
                wait_s = self._retry_s
            await self._wait(min(max(wait_s, 0.0), self._longest_wait_s))

    async def _wait(self, seconds: float) -> None:
        waits = [asyncio.ensure_future(self._clock.sleep(seconds)), asyncio.ensure_future(self._is_asked.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
