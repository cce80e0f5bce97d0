"""The needs of a batch: while one of them lacks something, no task is handed out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from manyhands.protocol.base import Ending


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing now. Tasks wait for it, and are given up after ``patience_s``."""

    what: str
    """A few words: ``a phone``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str
    patience_s: float
    ending: Ending
    """The ending of tasks that are given up for it."""

    @property
    def ends_at(self) -> float:
        return self.since + self.patience_s


class Need(Protocol):
    """One thing without which no task can begin."""

    def lack(self) -> Lack | None:
        """Return what is missing now; None while nothing is."""

    def paused_s(self) -> float:
        """Return for how long, in all, it has paused running episodes: their limits do not count that time."""

    async def watch(self, changed: Callable[[], None]) -> None:
        """Keep ``lack`` up to date while a batch runs, and call ``changed`` when it may have changed.

        The batch runs this in a task and cancels it at its end. Returning early is allowed, raising is not.
        """


class Change:
    """Wakes all who wait for a change of any kind. Belongs to one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def next(self) -> None:
        """Return at the next change. A caller that checks a condition must not await between the check and this."""
        await self._event.wait()
