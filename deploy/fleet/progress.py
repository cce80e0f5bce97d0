"""Where all batches of a fleet stand together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Protocol

from manyhands.protocol.errors import CallError
from manyhands.protocol.progress import RunProgress, RunWait, TasksDone, latest

_log = logging.getLogger(__name__)


class Telling(Protocol):
    """Tell where a batch stands. Raises CallError where that cannot be learned."""

    async def progress(self) -> RunProgress: ...


class FleetProgress:
    """Add up what dispatchers say, and what those said last that are done."""

    def __init__(self) -> None:
        self._dispatchers: list[Telling] = []
        self._past: list[RunProgress] = []

    @asynccontextmanager
    async def with_those_of(self, dispatcher: Telling) -> AsyncIterator[None]:
        """Count a dispatcher's tasks: while the context is open as it says then, afterwards as it said last."""
        self._dispatchers.append(dispatcher)
        try:
            yield
        finally:
            last: RunProgress | None = None
            try:
                last = await dispatcher.progress()
            except CallError as error:  # its results are there: only who looks at the progress misses them
                _log.warning("a batch that has ended does not say how: %s", error)
            finally:
                # At once, for whoever asks meanwhile is to count its tasks once.
                self._dispatchers.remove(dispatcher)
                self._past += [] if last is None else [last]

    async def now(self) -> RunProgress:
        """Return where all batches stand."""
        past = tuple(self._past)
        asked = await asyncio.gather(*(dispatcher.progress() for dispatcher in self._dispatchers))
        parts = [*past, *asked]
        return RunProgress(
            total=sum(part.total for part in parts),
            waiting=sum(part.waiting for part in parts),
            running=tuple(item for part in parts for item in part.running),
            done=sum((part.done for part in parts), TasksDone()),
            latest=latest(item for part in parts for item in part.latest),
            held_up=_each(wait for part in asked for wait in part.held_up),
            away=_each(wait for part in asked for wait in part.away),
        )


def _each(waits: Iterable[RunWait]) -> tuple[RunWait, ...]:
    """Return what several batches wait for, each once."""
    return tuple({wait.what: wait for wait in waits}.values())
