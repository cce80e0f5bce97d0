"""One episode host as a dispatcher sees it: its load, its failures, and when it is asked next. Time is an argument."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from manyhands.actors.dispatch.health import Backoff
from manyhands.actors.seams import Host

_WELL_S = 60.0
"""After so long without a failure the next one is the first in a row."""


@dataclass(slots=True, eq=False)
class HostSlot:
    """A host with its load and failures."""

    host: Host
    backoff: Backoff
    running: int = 0
    lives: int = 0
    """How often it was lost. Calls made in one life that fail together are one failure."""
    failures: int = 0
    """Failures in a row."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the host is left alone after a failure."""
    gone_at: float = 0.0
    again_at: float = 0.0
    """Until when it is left alone."""
    back_at: float = 0.0
    reason: str = ""
    _calls: set[asyncio.Future[str]] = field(default_factory=set)
    """One for each call that it is to answer: set, with the reason, once nobody waits for that any more."""

    @contextmanager
    def call(self) -> Iterator[asyncio.Future[str]]:
        """Count the host as one episode busier while the block runs; what it is given says why the call is given up."""
        given_up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._calls.add(given_up)
        self.running += 1
        try:
            yield given_up
        finally:
            self.running -= 1
            self._calls.discard(given_up)

    def lost(self, life: int, reason: str, now: float) -> None:
        """Take note that the host died or went silent in a life of its: once, whatever failed with it."""
        if life == self.lives:
            self.lives += 1
            self.leave_alone(reason, now)

    def leave_alone(self, reason: str, now: float) -> None:
        """Leave the host alone, longer each time in a row. What fails or is refused together is one time."""
        self.reason = reason
        if self.gone.is_set():
            return
        self.failures = self.failures + 1 if now - self.back_at < _WELL_S else 1
        self.gone_at, self.again_at = now, now + self.backoff.wait_s(self.failures)
        self.gone.set()

    def give_up(self, reason: str, now: float) -> None:
        """Have nobody wait any more for what the host was asked."""
        self.lost(self.lives, reason, now)
        for given_up in self._calls:
            if not given_up.done():
                given_up.set_result(reason)

    def is_back(self, now: float) -> None:
        self.back_at = now
        self.gone.clear()
