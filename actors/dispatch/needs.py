"""What a batch cannot go on without: while something of it is missing, no task is handed out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from manyhands.protocol.base import Ending


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing now. Tasks wait for it, and are given up when ``patience_s`` is over."""

    what: str
    """A few words: ``a phone``, ``the model``."""
    since: float
    """Unix seconds."""
    reason: str
    patience_s: float
    ending: Ending
    """How the tasks end that are given up for it."""

    @property
    def ends_at(self) -> float:
        return self.since + self.patience_s


class Need(Protocol):
    """One thing without which no task can begin."""

    def lack(self) -> Lack | None:
        """What is missing now; None while all is there."""

    def paused_s(self) -> float:
        """How long, in all, it kept from going on what runs already: no limit of an episode counts that."""

    async def watch(self, changed: Callable[[], None]) -> None:
        """Look after it for as long as a batch runs; call ``changed`` when ``lack`` may answer otherwise.

        Runs in a task of the batch, which cancels it at its end. Returning early is allowed, raising is not.
        """


class Change:
    """Tells all who wait that something they may wait for is different now. Belongs to one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def tell(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def next(self) -> None:
        """Return at the next change. Whoever looks at something before must not wait between."""
        await self._event.wait()
