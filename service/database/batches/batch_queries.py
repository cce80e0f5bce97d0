"""Find batches and tasks, by their ids or in lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import UnknownItem
from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import BatchPhase, BatchStatus, TaskPhase, TaskStatus
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from manyhands.service.database.row_numbers import read_id, read_page, unknown_item, write_id
from manyhands.service.database.schema import (
    BATCH_TAGS,
    BATCHES,
    TASK_TAGS,
    TASKS,
    TableQuery,
    TableRow,
    dump_json,
    plain_text,
)

MOST_TRIES = 20
"""How often a task may be tried at the request of clients."""
MOST_SEARCHED = 100_000
"""Among how many of the newest rows texts are searched: no index serves that."""
_TASK_COLUMNS = [column for column in TASKS.c if column.name != "spec"]


@dataclass(frozen=True, slots=True)
class BatchFilter:
    """Choose batches: all of what is given must fit."""

    owner: str | None = None
    phase: BatchPhase | None = None
    tag: str | None = None
    schedule: str | None = None
    text: str | None = None
    """A text in its id, its name, its owner or one of its tags, whether in capitals or not."""


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Choose tasks: all of what is given must fit."""

    batch: str | None = None
    owner: str | None = None
    phase: TaskPhase | None = None
    tag: str | None = None
    """A tag of the task itself."""
    phone: str | None = None
    """The phone that carries it out, or carried it out last."""
    ending: Ending | None = None
    is_done: bool | None = None
    text: str | None = None
    """A text in its id, its goal or its phone, whether in capitals or not."""


ALL_BATCHES = BatchFilter()
ALL_TASKS = TaskFilter()


def batch_status(row: TableRow) -> BatchStatus:
    """Return what clients see of a row of batches."""
    return BatchStatus(
        id=write_id("b", row.number),
        name=row.name,
        owner=row.owner,
        priority=row.priority,
        tags=tuple(json.loads(row.tags)),
        phase=BatchPhase(row.phase),
        submitted_at=row.submitted_at,
        ended_at=row.ended_at,
        deadline=row.deadline,
        deadline_warning=row.deadline_warning,
        phones=row.phones,
        schedule=row.schedule,
        tasks=row.tasks,
        waiting=row.waiting,
        running=row.running,
        done=row.done,
        failed=row.failed - row.cancelled - row.retried,
        cancelled=row.cancelled,
        retried=row.retried,
        run=row.run,
    )


def task_status(row: TableRow) -> TaskStatus:
    """Return what clients see of a row of tasks."""
    return TaskStatus(
        id=row.id,
        batch=write_id("b", row.batch),
        owner=row.owner,
        goal=row.goal,
        phase=TaskPhase(row.phase),
        priority=row.priority,
        tags=tuple(json.loads(row.tags)),
        retry_of=row.retry_of,
        phone=row.phone,
        episode=row.episode,
        step=row.step,
        doing=row.doing,
        started_at=row.started_at,
        ended_at=row.ended_at,
        ending=None if row.ending is None else Ending(row.ending),
        reason=row.reason,
        is_done=row.is_done,
        verified=row.verified,
        verified_by=row.verified_by,
        unmet=() if row.unmet is None else tuple(UnmetTest.model_validate(one) for one in json.loads(row.unmet)),
        answer=row.answer,
        answer_data=None if row.answer_data is None else json.loads(row.answer_data),
        steps=row.steps,
        attempts=row.attempts,
    )


async def find_batch(connection: AsyncConnection, id: str) -> BatchStatus:
    """Return one batch. Raises UnknownItem."""
    row = (await connection.execute(select(BATCHES).where(BATCHES.c.number == read_id("b", id)))).one_or_none()
    if row is None:
        raise unknown_item("batch", id)
    return batch_status(row)


async def find_task(connection: AsyncConnection, id: str) -> TaskStatus:
    """Return one task. Raises UnknownItem."""
    row = (await connection.execute(select(*_TASK_COLUMNS).where(TASKS.c.id == id))).one_or_none()
    if row is None:
        raise unknown_item("task", id)
    return task_status(row)


async def find_failed(connection: AsyncConnection, batch: str) -> Sequence[str]:
    """Return the ids of the tasks of a batch that have ended, are not done, and may be tried again now."""
    later = TASKS.alias()
    is_retried = exists().where(later.c.origin == TASKS.c.origin, later.c.retry > TASKS.c.retry)
    query = select(TASKS.c.id).where(
        TASKS.c.batch == read_id("b", batch),
        TASKS.c.phase == TaskPhase.ENDED.value,
        TASKS.c.is_done.is_(False),
        TASKS.c.retry < MOST_TRIES,
        ~is_retried,
    )
    return (await connection.execute(query.order_by(TASKS.c.number))).scalars().all()


async def list_batches(
    connection: AsyncConnection, filters: BatchFilter, cursor: str | None, limit: int
) -> ListPage[BatchStatus]:
    """Return a part of the list of batches, newest first. Raises BadCursor."""
    number = BATCHES.c.number if filters.tag is None else BATCH_TAGS.c.batch
    return await read_page(connection, batch_query(filters), number, cursor, limit, batch_status, newest_first=True)


async def list_tasks(
    connection: AsyncConnection, filters: TaskFilter, cursor: str | None, limit: int, newest_first: bool = False
) -> ListPage[TaskStatus]:
    """Return a part of the list of tasks, in the order in which they were submitted, or in the opposite order.

    Raises BadCursor, and UnknownItem for a batch that does not exist.
    """
    if filters.batch is not None:
        await find_batch(connection, filters.batch)
    number = TASKS.c.number if filters.tag is None else TASK_TAGS.c.task
    return await read_page(
        connection, task_query(filters), number, cursor, limit, task_status, newest_first=newest_first
    )


def batch_query(filters: BatchFilter) -> TableQuery:
    """Return the query for the batches that a filter chooses."""
    query: TableQuery = select(BATCHES)
    if filters.owner is not None:
        query = query.where(BATCHES.c.owner == filters.owner)
    if filters.phase is not None:
        query = query.where(BATCHES.c.phase == filters.phase.value)
    if filters.schedule is not None:
        query = query.where(BATCHES.c.schedule == filters.schedule)
    if filters.tag is not None:
        query = query.join(BATCH_TAGS, BATCH_TAGS.c.batch == BATCHES.c.number).where(BATCH_TAGS.c.tag == filters.tag)
    if filters.text is not None:
        is_fit = or_(
            _holds(BATCHES.c.name, filters.text),
            _holds(BATCHES.c.owner, filters.text),
            _holds(BATCHES.c.tags, dump_json(filters.text)[1:-1]),
            BATCHES.c.number == _number_of(filters.text),
        )
        query = query.where(is_fit, _is_recent(BATCHES.c.number))
    return query


def task_query(filters: TaskFilter) -> TableQuery:
    """Return the query for the tasks that a filter chooses."""
    query: TableQuery = select(*_TASK_COLUMNS)
    if filters.batch is not None:
        query = query.where(TASKS.c.batch == read_id("b", filters.batch))
    if filters.owner is not None:
        query = query.where(TASKS.c.owner == filters.owner)
    if filters.phase is not None:
        query = query.where(TASKS.c.phase == filters.phase.value)
    if filters.phone is not None:
        query = query.where(TASKS.c.phone == filters.phone)
    if filters.ending is not None:
        query = query.where(TASKS.c.ending == filters.ending.value)
    if filters.is_done is not None:
        query = query.where(TASKS.c.is_done.is_(filters.is_done))
    if filters.tag is not None:
        query = query.join(TASK_TAGS, TASK_TAGS.c.task == TASKS.c.number).where(TASK_TAGS.c.tag == filters.tag)
    if filters.text is not None:
        is_fit = or_(*(_holds(column, filters.text) for column in (TASKS.c.goal, TASKS.c.id, TASKS.c.phone)))
        query = query.where(is_fit, _is_recent(TASKS.c.number))
    return query


def _holds(column: Column[str], text: str) -> ColumnElement[bool]:
    return column.icontains(plain_text(text), autoescape=True)


def _is_recent(number: Column[int]) -> ColumnElement[bool]:
    """Return whether a row is among the newest, by its number."""
    return number > select(func.max(number)).scalar_subquery() - MOST_SEARCHED


def _number_of(text: str) -> int:
    """Return the number of the batch with an id; 0, which no batch has, for any other text."""
    try:
        return read_id("b", text.lower())
    except UnknownItem:
        return 0
