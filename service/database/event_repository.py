"""Keep the live events of a service, in the order in which they happened."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_page
from manyhands.service.database.schema import EVENTS, TableQuery, TableRow

MOST_EVENTS = 1000
"""The most events that are read at once."""

_LAST_NUMBER = 2**63 - 1
"""The highest number that databases count to."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Choose events: all of what is given must fit."""

    batch: str | None = None
    task: str | None = None
    phone: str | None = None
    kinds: tuple[EventKind, ...] = ()
    """Empty for all kinds."""


ALL_EVENTS = EventFilter()


def read_event(row: TableRow) -> ServiceEvent:
    """Return the event of a row."""
    return ServiceEvent(
        id=row.id,
        at=row.at,
        kind=EventKind(row.kind),
        batch=row.batch,
        task=row.task,
        phone=row.phone,
        data=json.loads(row.data),
    )


def event_query(filters: EventFilter) -> TableQuery:
    """Return the query for the events that a filter chooses."""
    query: TableQuery = select(EVENTS)
    if filters.batch is not None:
        query = query.where(EVENTS.c.batch == filters.batch)
    if filters.task is not None:
        query = query.where(EVENTS.c.task == filters.task)
    if filters.phone is not None:
        query = query.where(EVENTS.c.phone == filters.phone)
    if filters.kinds:
        query = query.where(EVENTS.c.kind.in_([kind.value for kind in filters.kinds]))
    return query


class EventRepository:
    """Keep events. A reader that always asks for the events after its last one gets each event once.

    BatchRepository and others append the events of what they change. Every method may raise DatabaseAway.
    """

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    async def append(self, events: Sequence[ServiceEvent]) -> None:
        """Append events of what no table holds, such as a phone that is away. Their ids do not matter."""
        async with self._database.write() as change:
            await change.append(events)

    async def since(self, id: int, limit: int, filters: EventFilter = ALL_EVENTS) -> Sequence[ServiceEvent]:
        """Return the first events with higher ids than ``id``, in their order; at most ``limit``, and at most 1,000."""
        after = max(0, min(id, _LAST_NUMBER))
        query = event_query(filters).where(EVENTS.c.id > after).order_by(EVENTS.c.id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.limit(max(1, min(limit, MOST_EVENTS))))).all()
        return tuple(read_event(row) for row in rows)

    async def latest(self, filters: EventFilter, cursor: str | None, limit: int) -> ListPage[ServiceEvent]:
        """Return a part of the list of events, newest first. Raises BadCursor."""
        async with self._database.read() as connection:
            query = event_query(filters)
            return await read_page(
                connection, query, EVENTS.c.id, cursor, limit, read_event, key="id", newest_first=True
            )

    async def last_id(self) -> int:
        """Return the id of the last event; 0 if there is none."""
        async with self._database.read() as connection:
            last = (await connection.execute(select(func.max(EVENTS.c.id)))).scalar_one() or 0
        return max(last, self._database.signal.last)

    async def wait(self, after_id: int, timeout_s: float) -> bool:
        """Wait until this process has committed an event with a higher id. Return False after ``timeout_s``.

        Events of other processes wake nobody, so read again after a timeout, too.
        """
        return await self._database.signal.wait(after_id, timeout_s)

    async def forget_steps(self, before: float) -> int:
        """Delete steps that were taken before a moment. Return how many there were. All other events remain."""
        statement = delete(EVENTS).where(EVENTS.c.kind == EventKind.TASK_STEP.value, EVENTS.c.at < before)
        async with self._database.write() as change:
            return (await change.connection.execute(statement)).rowcount
