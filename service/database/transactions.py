"""Append events in transactions, and wake those who wait for the next event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.events import ServiceEvent
from manyhands.service.database.schema import EVENTS, dump_json


class WriteTransaction:
    """Change the database. Nothing counts before the end of the transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection
        self.last_event = 0
        """The number of the last event that was appended; 0 if there is none."""

    async def append(self, events: Sequence[ServiceEvent]) -> None:
        """Append events. The database numbers them, so their own ids do not matter."""
        if not events:
            return
        rows = [
            {
                "at": one.at,
                "kind": one.kind.value,
                "batch": one.batch,
                "task": one.task,
                "phone": one.phone,
                "data": dump_json(one.data),
            }
            for one in events
        ]
        await self.connection.execute(insert(EVENTS), rows)
        self.last_event = await last_event(self.connection)


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


async def last_event(connection: AsyncConnection) -> int:
    """Return the number of the last event; 0 if there is none."""
    return (await connection.execute(select(func.max(EVENTS.c.id)))).scalar_one() or 0
