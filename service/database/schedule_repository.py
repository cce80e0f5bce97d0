"""Keep schedules, and what became of their due times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.schedules import (
    FiredTime,
    MissedRule,
    MissedTimes,
    OverlapRule,
    QueuedTime,
    ScheduleRequest,
    ScheduleStatus,
)
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, read_page, unknown_item, write_id
from manyhands.service.database.schema import SCHEDULES, TableRow, dump_json


class ScheduleRepository:
    """Keep the schedules of a service. Every method may raise DatabaseAway.

    Methods that take an id raise UnknownItem if there is no such schedule.
    """

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    async def make(self, request: ScheduleRequest, owner: str, at: float) -> ScheduleStatus:
        """Keep a new schedule, whose times count from ``at``."""
        fresh = {
            "owner": owner,
            "created_at": at,
            "counted_from": at,
            "settled_until": at,
            "queued": "[]",
            "submitted": 0,
            "skipped": 0,
        }
        async with self._database.write() as change:
            statement = insert(SCHEDULES).values({**_columns_of(request), **fresh}).returning(*SCHEDULES.c)
            return _status((await change.connection.execute(statement)).one())

    async def change(self, schedule: str, request: ScheduleRequest, at: float) -> ScheduleStatus:
        """Replace what a schedule asks for. Other times, or the end of a pause, count from ``at``."""
        async with self._database.write() as change:
            row = await _find(change.connection, schedule)
            values = _columns_of(request)
            if (row.when, row.zone) != (request.when, request.zone):
                values |= {"counted_from": at, "settled_until": at}
            elif row.paused and not request.paused:
                values["settled_until"] = at
            return await _update(change.connection, row.number, values)

    async def set_paused(self, schedule: str, paused: bool, at: float) -> ScheduleStatus:
        """Pause or resume a schedule. Due times of the pause are forgotten."""
        async with self._database.write() as change:
            row = await _find(change.connection, schedule)
            values: dict[str, Any] = {"paused": paused}
            if row.paused and not paused:
                values["settled_until"] = at
            return await _update(change.connection, row.number, values)

    async def remove(self, schedule: str, at: float) -> None:
        """Remove a schedule. Its batches remain."""
        async with self._database.write() as change:
            row = await _find(change.connection, schedule)
            await change.connection.execute(delete(SCHEDULES).where(SCHEDULES.c.number == row.number))

    async def schedule(self, schedule: str) -> ScheduleStatus:
        """Return one schedule."""
        async with self._database.read() as connection:
            return _status(await _find(connection, schedule))

    async def schedules(self, cursor: str | None = None, limit: int = 50) -> ListPage[ScheduleStatus]:
        """Return a part of the list of schedules, oldest first. Raises BadCursor."""
        async with self._database.read() as connection:
            return await read_page(connection, select(SCHEDULES), SCHEDULES.c.number, cursor, limit, _status)

    async def active(self) -> Sequence[ScheduleStatus]:
        """Return all schedules that are not paused, oldest first."""
        query = select(SCHEDULES).where(SCHEDULES.c.paused.is_(False)).order_by(SCHEDULES.c.number)
        async with self._database.read() as connection:
            return tuple(_status(row) for row in (await connection.execute(query)).all())

    async def take_up(
        self,
        expected: ScheduleStatus,
        settled_until: float,
        queued: Sequence[QueuedTime],
        missed: Sequence[MissedTimes],
        at: float,
    ) -> bool:
        """Store that the due times up to ``settled_until`` are queued or missed.

        Returns False, and changes nothing, if the schedule was changed since it was ``seen``.
        """
        async with self._database.write() as change:
            row = await _find(change.connection, expected.id)
            present = (row.when, row.zone, row.paused, row.settled_until)
            if present != (expected.when, expected.zone, expected.paused, expected.settled_until):
                return False
            values = {
                "settled_until": settled_until,
                "queued": dump_json([one.model_dump() for one in queued]),
                "skipped": row.skipped + sum(one.count for one in missed),
            }
            await _update(change.connection, row.number, values)
            await change.append([_missed_event(one, at) for one in missed])
            return True

    async def note_submitted(self, schedule: str, queued: QueuedTime, batch: str | None, at: float) -> None:
        """Store that the batch of a due time was submitted. Do nothing if the due time is not in the queue."""
        async with self._database.write() as change:
            row = await _find(change.connection, schedule)
            remaining = _without(row, queued)
            if remaining is None:
                return
            values = {"queued": remaining, "last_due": queued.due, "submitted": row.submitted + 1, "problem": None}
            if batch is not None:
                values["last_batch"] = batch
            await _update(change.connection, row.number, values)
            data = FiredTime(schedule=schedule, due=queued.due).model_dump(mode="json")
            event = ServiceEvent(id=0, at=at, kind=EventKind.SCHEDULE_FIRED, batch=batch, data=data)
            await change.append([event])

    async def note_dropped(self, queued: QueuedTime, missed: MissedTimes, problem: str | None, at: float) -> None:
        """Take a due time out of the queue, without a batch. Do nothing if it is not in the queue."""
        async with self._database.write() as change:
            row = await _find(change.connection, missed.schedule)
            remaining = _without(row, queued)
            if remaining is not None:
                values = {"queued": remaining, "skipped": row.skipped + missed.count, "problem": problem}
                await _update(change.connection, row.number, values)
                await change.append([_missed_event(missed, at)])

    async def note_problem(self, schedule: str, problem: str | None) -> None:
        """Store why the batch that is due cannot be submitted now."""
        async with self._database.write() as change:
            row = await _find(change.connection, schedule)
            if row.problem != problem:
                await _update(change.connection, row.number, {"problem": problem})


async def _find(connection: AsyncConnection, schedule: str) -> TableRow:
    query = select(SCHEDULES).where(SCHEDULES.c.number == read_id("s", schedule))
    row: TableRow | None = (await connection.execute(query)).one_or_none()
    if row is None:
        raise unknown_item("schedule", schedule)
    return row


async def _update(connection: AsyncConnection, number: int, values: dict[str, Any]) -> ScheduleStatus:
    statement = update(SCHEDULES).where(SCHEDULES.c.number == number).values(values).returning(*SCHEDULES.c)
    return _status((await connection.execute(statement)).one())


def _columns_of(request: ScheduleRequest) -> dict[str, Any]:
    return {
        "name": request.name,
        "when": request.when,
        "zone": request.zone,
        "batch": request.batch.model_dump_json(exclude_unset=True),
        "deadline_s": request.deadline_s,
        "missed": request.missed.value,
        "overlap": request.overlap.value,
        "paused": request.paused,
    }


def _without(row: TableRow, queued: QueuedTime) -> str | None:
    """Return the queue of a schedule without a due time; None if it is not there."""
    queue = json.loads(row.queued)
    remaining = [one for one in queue if one["due"] != queued.due]
    return None if len(remaining) == len(queue) else dump_json(remaining)


def _missed_event(missed: MissedTimes, at: float) -> ServiceEvent:
    return ServiceEvent(id=0, at=at, kind=EventKind.SCHEDULE_MISSED, data=missed.model_dump(mode="json"))


def _status(row: TableRow) -> ScheduleStatus:
    return ScheduleStatus(
        id=write_id("s", row.number),
        owner=row.owner,
        name=row.name,
        when=row.when,
        zone=row.zone,
        batch=BatchRequest.model_validate_json(row.batch),
        deadline_s=row.deadline_s,
        missed=MissedRule(row.missed),
        overlap=OverlapRule(row.overlap),
        paused=row.paused,
        created_at=row.created_at,
        counted_from=row.counted_from,
        settled_until=row.settled_until,
        queued=tuple(QueuedTime.model_validate(one) for one in json.loads(row.queued)),
        last_due=row.last_due,
        last_batch=row.last_batch,
        submitted=row.submitted,
        skipped=row.skipped,
        problem=row.problem,
    )
