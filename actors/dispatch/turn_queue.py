"""Order the tasks that may run: by priority, then by turns of their owners, then by their places. Pure."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice


class TurnQueue:
    """Holds the places of tasks that may run, in the order in which phones get them.

    The places of one priority and owner are one line. A phone takes from the line of the highest priority. If several
    lines have this priority, the phone takes from the line of the owner with the fewest running tasks. If several
    owners have the fewest, the phone takes from the line of the owner whose last turn is longest ago.
    """

    def __init__(self) -> None:
        self._lines: dict[tuple[int, str], list[int]] = {}
        """The places of each priority and owner, in order. No line is empty."""
        self._line_of: dict[int, tuple[int, str]] = {}
        self._running: Counter[str] = Counter()
        self._last_turn: dict[str, int] = {}
        self._turns = 0

    def add(self, place: int, priority: int, owner: str) -> None:
        """Let the task at ``place`` run. It must not be in the queue."""
        bisect.insort(self._lines.setdefault((priority, owner), []), place)
        self._line_of[place] = (priority, owner)

    def remove(self, place: int) -> None:
        """Take a place out, if it is in the queue."""
        key = self._line_of.pop(place, None)
        if key is None:
            return
        line = self._lines[key]
        del line[bisect.bisect_left(line, place)]
        if not line:
            del self._lines[key]

    def move(self, place: int, priority: int) -> None:
        """Give a place another priority, if it is in the queue."""
        key = self._line_of.get(place)
        if key is not None and key[0] != priority:
            self.remove(place)
            self.add(place, priority, key[1])

    def take(self, allowed: Callable[[int], bool]) -> int | None:
        """Take out the first place that is ``allowed``, and note its owner's turn. Return None if none is allowed."""
        for place in self._in_order():
            if allowed(place):
                _, owner = self._line_of[place]
                self._turns += 1
                self._last_turn[owner] = self._turns
                self.remove(place)
                return place
        return None

    def first(self, most: int) -> list[int]:
        """Return the places that would be taken next, at most ``most``."""
        return list(islice(self._in_order(), most))

    def count_running(self, owner: str, change: int) -> None:
        """Count a task of an owner that began (1) or ended (-1)."""
        self._running[owner] += change

    def _in_order(self) -> Iterator[int]:
        for key in sorted(self._lines, key=self._rank):
            yield from self._lines[key]

    def _rank(self, key: tuple[int, str]) -> tuple[int, int, int, str]:
        priority, owner = key
        return -priority, self._running[owner], self._last_turn.get(owner, 0), owner
