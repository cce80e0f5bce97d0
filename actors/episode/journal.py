"""What an episode writes: its records in order, and its screens, both behind the step and both bounded."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from actors.episode.state import EpisodeState, fold
from actors.seams import Handle, Store
from protocol.errors import ActorLost, StoreError
from protocol.records import Record

logger = logging.getLogger(__name__)


LINGER_S = 1.0
"""How long a record waits for others to be appended with, while nobody waits for it to be on disk."""


class StoreLost(StoreError):
    """The process behind the store is gone. Nothing is wrong with its disk: another attempt may be written."""

    code = "store_lost"


class Journal:
    """One episode's records, appended by one writer task, and the state that they fold into.

    A record that follows from another is written after it, so the order on disk respects causality. An append
    costs two processes' time and a sync, so records are appended together: when a flush asks for it, and else
    after ``LINGER_S``. After a failed append every write and flush raises StoreError; StoreLost, if the store's
    process was gone.
    """

    def __init__(self, store: Store, episode: str, ahead: int) -> None:
        """``ahead``: records that may wait to be appended; a write beyond that waits."""
        self.state = EpisodeState()
        self._store = store
        self._episode = episode
        self._ahead = ahead
        self._pending: list[Record] = []
        self._written = 0
        self._synced = 0
        self._wanted = 0
        """As many records somebody waits for."""
        self._error: StoreError | None = None
        self._changed = asyncio.Condition()

    async def write(self, record: Record) -> None:
        """Fold ``record`` into the state and queue it. Raises StoreError."""
        async with self._changed:
            await self._wait_for(lambda: len(self._pending) < self._ahead)
            self.state = fold(self.state, record)
            self._pending.append(record)
            self._written += 1
            self._changed.notify_all()

    async def flush(self) -> None:
        """Wait until everything written so far is on disk. Raises StoreError."""
        async with self._changed:
            target = self._wanted = self._written
            self._changed.notify_all()
            await self._wait_for(lambda: self._synced >= target)

    async def run(self) -> None:
        """Append what is queued, until cancelled or an append fails."""
        while self._error is None:
            async with self._changed:
                await self._changed.wait_for(lambda: self._pending)
                await self._linger()
                batch, self._pending = self._pending, []
                self._changed.notify_all()
            try:
                await self._store.append(self._episode, batch)
            except Exception as error:
                logger.exception("the journal of %s cannot be written", self._episode)
                self._error = _failure(f"the journal of {self._episode} cannot be written", error)
            async with self._changed:
                self._synced += len(batch) if self._error is None else 0
                self._changed.notify_all()

    async def _linger(self) -> None:
        """Returns when what is queued is to be written."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await self._changed.wait_for(lambda: self._wanted > self._synced or len(self._pending) >= self._ahead)

    async def _wait_for(self, ready: Callable[[], bool]) -> None:
        await self._changed.wait_for(lambda: self._error is not None or ready())
        if self._error is not None:
            raise type(self._error)(str(self._error))


class ScreenKeeper:
    """Puts screens into the run folder, once each, a few behind the step that took them."""

    def __init__(self, store: Store, ahead: int) -> None:
        """``ahead``: screens that may wait; one more makes its capture wait."""
        self._store = store
        self._queue: asyncio.Queue[tuple[str, Handle]] = asyncio.Queue(ahead)
        self._kept: set[str] = set()
        self._error: StoreError | None = None

    async def keep(self, content_id: str, frame: Handle) -> None:
        """Raises StoreError if a screen before could not be written."""
        if self._error is not None:
            raise type(self._error)(str(self._error))
        if content_id not in self._kept:
            self._kept.add(content_id)
            await self._queue.put((content_id, frame))

    async def drain(self) -> None:
        """Wait until every screen is written or has failed. Raises StoreError."""
        await self._queue.join()
        if self._error is not None:
            raise type(self._error)(str(self._error))

    async def run(self) -> None:
        """Write what is queued, until cancelled. After a failure the rest is dropped."""
        while True:
            content_id, frame = await self._queue.get()
            try:
                if self._error is None:
                    await self._store.put_screen(content_id, frame)
            except Exception as error:
                logger.exception("screen %s cannot be written", content_id)
                self._error = _failure(f"screen {content_id} cannot be written", error)
            finally:
                self._queue.task_done()


def _failure(what: str, error: Exception) -> StoreError:
    return (StoreLost if isinstance(error, ActorLost) else StoreError)(f"{what}: {error}")
