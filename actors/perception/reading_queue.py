"""Queue pictures in front of the workers: needed pictures before speculative ones."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from manyhands.actors.frames import Frame
from manyhands.actors.perception.reading import Content, Stopwatch
from manyhands.protocol.screens.screen import Screenshot

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class PendingReading:
    """Hold a picture that waits for a worker or is being read, and the future of its content."""

    screenshot: Screenshot
    frame: Frame
    answer: asyncio.Future[Content]
    serials: set[str]
    """The phones that show these pixels."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    waiters: int = 0
    timer: asyncio.TimerHandle | None = None
    """Ends the wait of a reading that has waited too long."""

    @property
    def content_id(self) -> str:
        return self.screenshot.content_id


class ReadingQueue(Generic[T]):
    """Queue items up to a limit: needed items come before speculative ones, and longer waiting items before others.

    Belongs to one thread. An item is in the queue at most once. Items must be hashable.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: how many items may wait."""
        self._limit = limit
        self._numbers = itertools.count()
        self._ranks: dict[T, tuple[bool, int]] = {}
        """(speculative, number) of each item. The lowest is next."""

    def __len__(self) -> int:
        return len(self._ranks)

    def add(self, item: T, speculative: bool) -> T | None:
        """Add ``item``.

        Return the item that has no place in a full queue, either ``item`` itself or one that it replaces; None if there
        is space. In a full queue, a needed item takes the place of the latest speculative one.
        """
        if len(self._ranks) < self._limit:
            self._ranks[item] = (speculative, next(self._numbers))
            return None
        last = max(self._ranks, key=self._ranks.__getitem__, default=None)
        if last is None or speculative or not self._ranks[last][0]:
            return item
        del self._ranks[last]
        self._ranks[item] = (speculative, next(self._numbers))
        return last

    def need(self, item: T) -> None:
        """Mark a queued ``item`` as needed, and keep its place by time waited. Do nothing if it is not queued."""
        if item in self._ranks:
            self._ranks[item] = (False, self._ranks[item][1])

    def remove(self, item: T) -> bool:
        """Remove ``item``. Return whether it was queued."""
        return self._ranks.pop(item, None) is not None

    def next(self) -> T | None:
        """Remove and return the first item. Return None if nothing waits."""
        if not self._ranks:
            return None
        first = min(self._ranks, key=self._ranks.__getitem__)
        del self._ranks[first]
        return first
