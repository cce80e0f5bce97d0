"""Writing behind the step: things are queued, bounded, and written together by one task."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from manyhands.actors.episode.patience import Patience
from manyhands.protocol.errors import StaleEpoch, StoreError, StoreLost

T = TypeVar("T")

logger = logging.getLogger(__name__)

LINGER_S = 1.0
"""How long a thing waits for others to be written with, while nobody waits for it to be written."""


class WriteBehind(Generic[T]):
    """Queue things and write them together, by the task ``run``.

    A call of the store costs two processes' time, so things are written together: when a flush asks for it or the
    queue is full, and else after ``LINGER_S``. While the store is away they are written again and again, and ``put``
    and ``flush`` hold. After a write that failed every ``put`` and ``flush`` raises StoreError: StoreLost, if the store
    was away for too long; StaleEpoch, if the episode goes on elsewhere.
    """

    def __init__(
        self, write: Callable[[Sequence[T]], Awaitable[None]], what: str, ahead: int, patience: Patience
    ) -> None:
        """``what`` names the things in errors. ``ahead`` of them may wait; one more waits until it may.

        ``write`` may be called again with things that it wrote before.
        """
        self._write = write
        self._what = what
        self._ahead = ahead
        self._patience = patience
        self._pending: list[T] = []
        self._taken = 0
        self._written = 0
        self._error: StoreError | None = None
        self._filled = asyncio.Event()
        """Something is queued."""
        self._due = asyncio.Event()
        """It is to be written now. The writer sleeps until then, whatever else is queued."""
        self._advanced = asyncio.Event()
        """Set, and made anew, whenever things were taken from the queue or written."""

    async def put(self, thing: T) -> None:
        """Queue ``thing``. Nothing else runs between its being queued and the return. Raises StoreError."""
        await self._wait_for(lambda: len(self._pending) < self._ahead)
        self._pending.append(thing)
        self._taken += 1
        self._filled.set()
        if len(self._pending) >= self._ahead:
            self._due.set()

    async def flush(self) -> None:
        """Wait until everything queued so far is written. Raises StoreError."""
        target = self._taken
        if self._pending:
            self._due.set()
        await self._wait_for(lambda: self._written >= target)

    async def run(self) -> None:
        """Write what is queued, until cancelled or a write fails."""
        while self._error is None:
            await self._filled.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await self._due.wait()
            batch, self._pending = self._pending, []
            self._filled.clear()
            self._due.clear()
            self._advance()
            try:
                await self._patience.until_done(self._what, partial(self._write, batch))
            except Exception as error:
                logger.exception("%s cannot be written", self._what)
                self._error = _told(error)(f"{self._what} cannot be written: {error}")
            else:
                self._written += len(batch)
            self._advance()

    def _advance(self) -> None:
        advanced, self._advanced = self._advanced, asyncio.Event()
        advanced.set()

    async def _wait_for(self, ready: Callable[[], bool]) -> None:
        while self._error is None and not ready():
            await self._advanced.wait()
        if self._error is not None:
            raise type(self._error)(str(self._error))


def _told(error: Exception) -> type[StoreError]:
    """Return what a failed write is to those who wait for it."""
    return type(error) if isinstance(error, StoreLost | StaleEpoch) else StoreError
