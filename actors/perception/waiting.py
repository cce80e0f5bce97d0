"""Who waits for a worker, and who is next."""

from __future__ import annotations

import itertools
from typing import Generic, TypeVar

T = TypeVar("T")


class WaitingLine(Generic[T]):
    """A bounded queue: what is needed before what is speculative, then by time waited. For one thread.

    Its items are hashed by identity or value, and stand in it once.
    """

    def __init__(self, limit: int) -> None:
        """``limit``: how many may wait."""
        self._limit = limit
        self._numbers = itertools.count()
        self._ranks: dict[T, tuple[bool, int]] = {}
        """(speculative, number): the lowest is next."""

    def __len__(self) -> int:
        return len(self._ranks)

    def __contains__(self, item: object) -> bool:
        return item in self._ranks

    def add(self, item: T, speculative: bool) -> T | None:
        """Who has to leave for ``item``: None where there is room, ``item`` itself if nobody has to.

        In a full line what is needed takes the place of what is speculative and came last.
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
        """From now on ``item`` is not speculative, as if it had never been; nothing if it is not in the line."""
        if item in self._ranks:
            self._ranks[item] = (False, self._ranks[item][1])

    def remove(self, item: T) -> bool:
        """Whether it was in the line."""
        return self._ranks.pop(item, None) is not None

    def next(self) -> T | None:
        """Takes out who is first; None if nobody waits."""
        if not self._ranks:
            return None
        first = min(self._ranks, key=self._ranks.__getitem__)
        del self._ranks[first]
        return first
