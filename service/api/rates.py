"""Limit how often a client may ask, in memory that does not grow with the number of clients."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cachetools import LRUCache

MOST_KEYS = 10_000
"""The most clients that are remembered. The one that was silent longest is forgotten first."""
BURST = 2.0
"""How many seconds' worth of requests may come at once."""


class RequestRate:
    """Let each client send a number of requests a second. A client that was silent may send more at once."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Allow ``per_second`` requests of each client."""
        self._per_second = per_second
        self._most = max(1.0, per_second * BURST)
        self._clock = clock
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(MOST_KEYS)
        """For each client, how many requests it may send now, and since when that number is right."""

    def seconds_to_wait(self, client: str) -> float:
        """Count a request. Return 0 if it may pass, or in how many seconds the client may ask again."""
        now = self._clock()
        allowance, since = self._left.get(client, (self._most, now))
        allowance = min(self._most, allowance + (now - since) * self._per_second)
        passes = allowance >= 1
        self._left[client] = (allowance - 1 if passes else allowance, now)
        return 0.0 if passes else (1 - allowance) / self._per_second


class OpenStreams:
    """Count the streams that are open, in all and for each token."""

    def __init__(self, most: int, most_of_token: int) -> None:
        """Allow ``most`` streams in all, and ``most_of_token`` of each token."""
        self._most = most
        self._most_of_token = most_of_token
        self._open: dict[str, list[tuple[Callable[[], None], str | None]]] = {}
        """The functions that end the streams of a token, each with the id of the stream's session, if it has one."""

    @property
    def is_full(self) -> bool:
        """Return whether no further stream may be opened by anybody."""
        return sum(map(len, self._open.values())) >= self._most

    def is_full_for(self, token: str) -> bool:
        """Return whether this token may open no further stream."""
        return len(self._open.get(token, ())) >= self._most_of_token

    @contextmanager
    def counted(self, token: str, end: Callable[[], None], session: str | None = None) -> Iterator[None]:
        """Count a stream of a token while the context is open. ``end`` ends the stream; ``session``: its session."""
        stream = (end, session)
        self._open.setdefault(token, []).append(stream)
        try:
            yield
        finally:
            self._open[token].remove(stream)
            if not self._open[token]:
                del self._open[token]

    def end_all_of(self, token: str, session: str | None = None) -> None:
        """End the streams of a token that was revoked, or those of one session that is over."""
        for end, of in tuple(self._open.get(token, ())):
            if session in (None, of):
                end()
