"""Limit how long an episode's writers wait for a lost store, and record when they waited.

The episode's limits do not count that time.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.episode.recording.paused_time import PausedTime, merge_intervals
from manyhands.protocol.errors import (
    ActorLost,
    DeadlinePassed,
    InvalidRecord,
    Overloaded,
    StaleEpoch,
    StoreError,
    StoreLost,
)
from manyhands.protocol.journals.records import Interval
from manyhands.protocol.utilities.backoff import Backoff

AWAY = (ActorLost, DeadlinePassed, Overloaded, StoreError)
"""Errors that a retry may mend: the store's process restarts, the disk has space again, the folder is moved back."""
FINAL = (StaleEpoch, InvalidRecord, StoreLost)
"""Errors of the store that no retry mends."""
T = TypeVar("T")
PAUSES = Backoff(first_s=0.2, longest_s=1.0)

logger = logging.getLogger(__name__)


class WaitBudget(PausedTime):
    """Retry while the store is away, for all parts of one episode that need it."""

    def __init__(self, clock: Clock, limit_s: float) -> None:
        """``limit_s``: how long a writer waits before it gives up."""
        super().__init__(clock)
        self._limit_s = limit_s
        self._waiting: dict[object, float] = {}
        self._waited: tuple[Interval, ...] = ()

    def _open(self) -> Iterable[float]:
        return self._waiting.values()

    def _past(self) -> Iterable[Interval]:
        return self._waited

    async def until_done(self, what: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what ``ask`` returns once it succeeds. Raises StoreLost after the limit.

        An error that no retry mends is raised at once.
        """
        began, pauses, writer = self._clock.now(), PAUSES.waits(), object()
        try:
            while True:
                try:
                    return await ask()
                except FINAL:
                    raise
                except AWAY as error:
                    if writer not in self._waiting:
                        logger.warning("waiting for the store, for %s: %s", what, error)
                        self._waiting[writer] = began
                    pause_s = next(pauses)
                    if self._clock.now() + pause_s > began + self._limit_s:
                        raise StoreLost(str(error)) from error
                await self._clock.sleep(pause_s)
        finally:
            if self._waiting.pop(writer, None) is not None:
                self._waited = merge_intervals([*self._waited, (began, self._clock.now())])
                self._signal_end()
