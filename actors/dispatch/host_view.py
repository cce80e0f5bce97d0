"""Track one episode host as the dispatcher sees it: its load, its failures, its next retry. Time is an argument."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from manyhands.actors.interfaces import Host
from manyhands.protocol.utilities.backoff import Backoff

_WELL_S = 60.0
"""After this long without a failure, the next failure is the first in a row."""


@dataclass(slots=True, eq=False)
class HostView:
    """Hold a host with its load and failures."""

    host: Host
    backoff: Backoff
    running: int = 0
    lives: int = 0
    """How often the host was lost. Each loss begins a new life; failures of several calls in one life count as one."""
    failures: int = 0
    """Failures in a row."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the host is left alone after a failure."""
    gone_at: float = 0.0
    again_at: float = 0.0
    """The host is left alone until this time."""
    back_at: float = 0.0
    reason: str = ""
    held_s: dict[str, float] = field(default_factory=dict)
    """For how many seconds people have held the host's episodes, by the episodes' ids, as the host last reported."""
    _calls: set[asyncio.Future[str]] = field(default_factory=set)
    """A future for each call that the host must answer. A future's result is the reason to give the call up."""

    @contextmanager
    def call(self) -> Iterator[asyncio.Future[str]]:
        """Count one more running episode while the block runs.

        The yielded future ends with the reason to give the call up.
        """
        given_up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._calls.add(given_up)
        self.running += 1
        try:
            yield given_up
        finally:
            self.running -= 1
            self._calls.discard(given_up)

    def lost(self, life: int, reason: str, now: float) -> None:
        """Record that the host died or went silent in the life ``life``.

        Several calls that fail in one life count once.
        """
        if life == self.lives:
            self.lives += 1
            self.leave_alone(reason, now)

    def leave_alone(self, reason: str, now: float) -> None:
        """Leave the host alone, for longer after each failure in a row.

        Failures and refusals at the same time count once.
        """
        self.reason = reason
        if self.gone.is_set():
            return
        self.failures = self.failures + 1 if now - self.back_at < _WELL_S else 1
        self.gone_at, self.again_at = now, now + self.backoff.wait_s(self.failures)
        self.gone.set()

    def give_up(self, reason: str, now: float) -> None:
        """Give up all calls that wait for the host."""
        self.lost(self.lives, reason, now)
        for given_up in self._calls:
            if not given_up.done():
                given_up.set_result(reason)

    def is_back(self, now: float) -> None:
        self.back_at = now
        self.gone.clear()
