"""Wake those who wait for the next event."""

from __future__ import annotations

import asyncio


class EventSignal:
    """Tell the tasks of this process that events were committed.

    It knows no events of other processes, so whoever waits should look again after a while.
    """

    def __init__(self) -> None:
        self._last = 0
        self._changed = asyncio.Event()

    @property
    def last(self) -> int:
        """Return the number of the last event that this process knows; 0 if there is none."""
        return self._last

    def note(self, last: int) -> None:
        """Wake everybody: the event with the number ``last`` is committed."""
        if last <= self._last:
            return
        self._last = last
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait(self, after: int, timeout_s: float) -> bool:
        """Wait for an event with a number above ``after``. Return False if none came within the time."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._last <= after:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True
