"""Simulate replies that are written at the same time and share one speed. The caller passes in the time."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

_ROUNDING = 1e-6
"""If fewer tokens than this are left, the reply counts as complete: such a rest comes from rounding."""


@dataclass(eq=False, slots=True)
class Writing:
    """Hold a reply that is being written: how many tokens it has, and how many are left."""

    tokens: float
    limit: float
    """The highest speed of this reply, in tokens a second."""
    left: float
    speed: float = 0.0

    @property
    def written(self) -> float:
        return self.tokens - self.left


class SharedSpeed:
    """Share ``tokens_per_s`` evenly among all replies. If a reply's limit is lower than its share, others get the rest.

    Without ``tokens_per_s``, each reply is as fast as its limit. Times are seconds of any clock that never goes back.
    """

    def __init__(self, tokens_per_s: float | None) -> None:
        self._tokens_per_s = math.inf if tokens_per_s is None else tokens_per_s
        self._slowest_first: list[Writing] = []
        self._now = 0.0

    @property
    def writings(self) -> Sequence[Writing]:
        """Return the replies that are being written, as of the latest call of another method."""
        return self._slowest_first

    def begin(self, tokens: float, least_s: float, now: float) -> Writing:
        """Begin a reply of ``tokens`` at ``now`` that takes at least ``least_s`` seconds."""
        limit = tokens / least_s if least_s > 0 else math.inf
        writing = Writing(tokens, limit, left=tokens)
        self._move(now)
        bisect.insort(self._slowest_first, writing, key=lambda other: other.limit)
        self._share()
        return writing

    def end(self, writing: Writing, now: float) -> None:
        """Stop a reply, whether it is complete or not."""
        self._move(now)
        self._slowest_first.remove(writing)
        self._share()

    def advance(self, now: float) -> tuple[Writing, ...]:
        """Remove and return the replies that are complete by ``now``."""
        self._move(now)
        done = tuple(writing for writing in self._slowest_first if writing.left <= _ROUNDING)
        if done:
            for writing in done:
                writing.left = 0.0
                self._slowest_first.remove(writing)
            self._share()
        return done

    def next_end(self) -> float | None:
        """Return when the next reply will be complete if nothing else happens; None if there is none."""
        if not self._slowest_first:
            return None
        return self._now + min(_seconds(writing.left, writing.speed) for writing in self._slowest_first)

    def _move(self, now: float) -> None:
        seconds, self._now = now - self._now, now
        for writing in self._slowest_first:
            if writing.speed == math.inf:
                writing.left = 0.0
            else:
                writing.left = max(0.0, writing.left - writing.speed * seconds)

    def _share(self) -> None:
        rest = self._tokens_per_s
        for place, writing in enumerate(self._slowest_first):
            writing.speed = min(writing.limit, rest / (len(self._slowest_first) - place))
            rest -= writing.speed if rest < math.inf else 0.0


def _seconds(tokens: float, speed: float) -> float:
    return 0.0 if tokens <= _ROUNDING or speed == math.inf else tokens / speed
