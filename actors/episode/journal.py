"""Write an episode's records and screens in order, some time after the step that made them. Both queues are bounded."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.paused_time import FINAL, WaitBudget
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame
from manyhands.actors.interfaces import Ref, Store
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.records import Record

T = TypeVar("T")

logger = logging.getLogger(__name__)

LINGER_S = 1.0
"""How long an item waits for others, so that all are written together. If somebody waits for the write, it begins at
once."""


class WriteBehind(Generic[T]):
    """Queue items and write them together, by the task ``run``.

    A call of the store costs time in two processes, so items are written together. The write begins when a flush asks
    for it or the queue is full, otherwise after ``LINGER_S``. While the store is away, the write is retried, and
    ``put`` and ``flush`` wait. After a failed write every ``put`` and ``flush`` raises StoreError: StoreLost if the
    store was away for too long, StaleEpoch if the episode continues elsewhere.
    """

    def __init__(
        self, write: Callable[[Sequence[T]], Awaitable[None]], what: str, ahead: int, wait_budget: WaitBudget
    ) -> None:
        """``what`` names the items in errors. At most ``ahead`` items may wait to be written.

        If so many wait, ``put`` waits for a free place. ``write`` may be called again with items that it has already
        written.
        """
        self._write = write
        self._what = what
        self._ahead = ahead
        self._wait_budget = wait_budget
        self._pending: list[T] = []
        self._taken = 0
        self._written = 0
        self._error: StoreError | None = None
        self._filled = asyncio.Event()
        """Set when something is queued."""
        self._due = asyncio.Event()
        """Set when the queue must be written now. Until then the writer waits for more items, for at most
        ``LINGER_S``."""
        self._advanced = asyncio.Event()
        """Set, and then replaced, whenever items were taken from the queue or written."""

    async def put(self, thing: T) -> None:
        """Queue ``thing``. Nothing else runs between the queueing and the return. Raises StoreError."""
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
                await self._wait_budget.until_done(self._what, partial(self._write, batch))
            except Exception as error:
                logger.exception("%s cannot be written", self._what)
                self._error = _error_kind(error)(f"{self._what} cannot be written: {error}")
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


def _error_kind(error: Exception) -> type[StoreError]:
    """Return the error type that waiting callers get after a failed write."""
    return type(error) if isinstance(error, StoreError) and isinstance(error, FINAL) else StoreError


class Journal(WriteBehind[Record]):
    """Append one episode's records by one writer task, and keep the state that they fold into.

    A record that follows from another record is written after it, so the order on disk respects causality. Each record
    has its place. If nobody knows whether a record was written, it is appended again with the same place and counts
    once.
    """

    def __init__(
        self, store: Store, episode: str, epoch: int, ahead: int, wait_budget: WaitBudget, writable: bool = True
    ) -> None:
        """``epoch``: the epoch of the lease. At most ``ahead`` records may wait to be appended.

        If so many wait, ``write`` waits.
        """
        self.state = EpisodeState()
        self.writable = writable
        """Whether the journal's existing records have been read. Before that nothing is written, so that no record is
        overwritten."""
        self.next_seq = 0
        """The place of the next batch's first record."""

        async def append(records: Sequence[Record]) -> None:
            await store.append(episode, records, self.next_seq, epoch)
            self.next_seq += len(records)

        super().__init__(append, f"the journal of {episode}", ahead, wait_budget)

    def resume_from(self, state: EpisodeState, next_seq: int) -> None:
        """Continue after the journal's existing records, which fold into ``state``."""
        self.state, self.next_seq, self.writable = state, next_seq, True

    async def write(self, record: Record) -> None:
        """Queue ``record`` and fold it into the state. Raises StoreError."""
        await self.put(record)
        self.state = fold(self.state, record)

    async def try_to_write(self, *records: Record) -> StoreError | None:
        """Write records in this order. Return the error if one cannot be written."""
        try:
            for record in records:
                await self.write(record)
        except StoreError as error:
            return error
        return None


class ScreenKeeper(WriteBehind[tuple[str, Ref[Frame]]]):
    """Put each screen into the run folder once, up to a few steps after it was taken."""

    def __init__(self, store: Store, ahead: int, wait_budget: WaitBudget) -> None:
        """At most ``ahead`` screens may wait to be written. If so many wait, the next capture waits."""
        self._kept: set[str] = set()

        async def put_screens(screens: Sequence[tuple[str, Ref[Frame]]]) -> None:
            await store.put_screens([content_id for content_id, _ in screens], *(frame for _, frame in screens))

        super().__init__(put_screens, "screens", ahead, wait_budget)

    async def keep(self, content_id: str, frame: Ref[Frame]) -> None:
        """Queue a screen that is new. Raises StoreError if an earlier screen could not be written."""
        if content_id not in self._kept:
            self._kept.add(content_id)
            await self.put((content_id, frame))
