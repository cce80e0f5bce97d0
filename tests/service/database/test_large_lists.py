"""With 100,000 tasks, each part of a list is found by an index: nothing reads or sorts a whole table."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Column, Select, text
from sqlalchemy.dialects import postgresql, sqlite

from manyhands.protocol.base import Ending
from manyhands.protocol.service.batches import BatchPhase, TaskPhase
from manyhands.protocol.service.events import EventKind
from manyhands.service.api.routes.fleet import LOGGED
from manyhands.service.database.batches.batch_queries import BatchFilter, TaskFilter, batch_query, task_query
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventFilter, event_query
from manyhands.service.database.failure_repository import failure_query
from manyhands.service.database.schema import BATCH_TAGS, BATCHES, EVENTS, TASK_TAGS, TASKS

FILL = (
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO batches (number, name, owner, priority, tags, phase, submitted_at, deadline, phones, schedule, tasks,
      waiting, running, done, failed)
    SELECT i, '', 'owner-' || CAST(i % 20 AS TEXT), 0, '[]',
      CASE i % 4 WHEN 0 THEN 'open' WHEN 1 THEN 'paused' WHEN 2 THEN 'cancelled' ELSE 'ended' END,
      0, CASE WHEN i % 5 = 0 THEN i END, '', 's' || CAST(i % 7 AS TEXT), 100, 100, 0, 0, 0 FROM n
    """,
    "INSERT INTO batch_tags (tag, batch) SELECT 'tag-' || CAST(number % 9 AS TEXT), number FROM batches",
    """
    INSERT INTO handovers (number, id, batch, state)
    SELECT number, 'b' || CAST(number AS TEXT), number, 'given' FROM batches
    """,
    """
    WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100099)
    INSERT INTO tasks (number, id, batch, handover, owner, goal, spec, priority, tags, phase, origin, retry, attempts,
      phone, ending, is_done, cancelled_at)
    SELECT i, 'b' || CAST(i / 100 AS TEXT) || '.t' || CAST(i % 100 AS TEXT), i / 100, i / 100,
      'owner-' || CAST(i / 100 % 20 AS TEXT), 'Buy milk.', '{}', 0, '[]',
      CASE i % 4 WHEN 0 THEN 'waiting' WHEN 1 THEN 'paused' WHEN 2 THEN 'running' ELSE 'ended' END,
      'b' || CAST(i / 100 AS TEXT) || '.t' || CAST(i % 100 AS TEXT), 1, 0,
      CASE WHEN i % 4 = 3 THEN 'p' || CAST(i % 100 AS TEXT) END,
      CASE WHEN i % 4 = 3 THEN CASE WHEN i % 7 = 0 THEN 'cancelled' ELSE 'finished' END END,
      CASE WHEN i % 4 = 3 THEN i % 8 = 3 END,
      CASE WHEN i % 1000 = 0 THEN 1 END FROM n
    """,
    "INSERT INTO task_tags (tag, task) SELECT 'tag-' || CAST(number % 9 AS TEXT), number FROM tasks",
    """
    INSERT INTO events (at, kind, batch, task, phone, data)
    SELECT 0, CASE WHEN number % 10 = 0 THEN 'task.ended' ELSE 'task.step' END, 'b' || CAST(batch AS TEXT), id,
      'p' || CAST(number % 100 AS TEXT), '{}' FROM tasks ORDER BY number
    """,
    "ANALYZE",
)


@pytest.fixture
async def full(url: str) -> AsyncIterator[ServiceDatabase]:
    """A database of each kind with 1,000 batches of 100 tasks, a fourth of them in each phase, and as many events."""
    database = await ServiceDatabase.open(url)
    for statement in FILL:
        async with database.write() as change:
            await change.connection.execute(text(statement))
    yield database
    await database.close()


async def explain(database: ServiceDatabase, query: Select[Any]) -> str:
    dialect = sqlite.dialect() if database.is_sqlite else postgresql.dialect()
    written = str(query.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
    async with database.read() as connection:
        if not database.is_sqlite:
            # It may sort a few rows even if an index has them in order: what counts is whether one has.
            await connection.exec_driver_sql("SET LOCAL enable_sort = off")
            await connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        prefix = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        rows = (await connection.exec_driver_sql(prefix + written)).all()
    return "\n".join(str(row[-1]) for row in rows)


def refuse_slow(plan: str) -> None:
    """Fail for a plan that reads a whole table or sorts: its cost grows with the table."""
    for sign in ("USE TEMP B-TREE", "Sort", "Seq Scan"):
        assert sign not in plan, plan
    assert not re.search(r"^SCAN (?!.*USING)", plan, re.MULTILINE), plan
    assert re.search(r"USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|Index( Only)? Scan", plan), plan


TASK_FILTERS = [
    TaskFilter(batch="b500"),
    TaskFilter(owner="owner-7"),
    *(TaskFilter(phase=phase) for phase in TaskPhase),
    TaskFilter(tag="tag-3"),
    TaskFilter(phone="p7"),
    TaskFilter(ending=Ending.CANCELLED),
    TaskFilter(is_done=True),
    TaskFilter(is_done=False),
    TaskFilter(batch="b500", phase=TaskPhase.ENDED),
    TaskFilter(owner="owner-7", phase=TaskPhase.RUNNING),
    TaskFilter(batch="b500", is_done=False),
]
BATCH_FILTERS = [
    BatchFilter(owner="owner-7"),
    *(BatchFilter(phase=phase) for phase in BatchPhase),
    BatchFilter(tag="tag-3"),
    BatchFilter(schedule="s3"),
    BatchFilter(owner="owner-7", phase=BatchPhase.OPEN),
]
EVENT_FILTERS = [
    EventFilter(batch="b500"),
    EventFilter(task="b500.t7"),
    EventFilter(phone="p7"),
    EventFilter(kinds=(EventKind.TASK_ENDED,)),
    EventFilter(phone="p7", kinds=LOGGED),
]


def page(query: Select[Any], number: Column[int], *, newest_first: bool = False) -> Select[Any]:
    """A part in the middle of a list."""
    if newest_first:
        return query.where(number < 500).order_by(number.desc()).limit(51)
    return query.where(number > 50_000).order_by(number).limit(51)


async def test_parts_of_lists_are_found_by_indexes(full: ServiceDatabase) -> None:
    """One database serves all filters, because it takes seconds to fill."""
    for filters in TASK_FILTERS:
        number = TASKS.c.number if filters.tag is None else TASK_TAGS.c.task
        refuse_slow(await explain(full, page(task_query(filters), number)))
    for chosen in BATCH_FILTERS:
        number = BATCHES.c.number if chosen.tag is None else BATCH_TAGS.c.batch
        refuse_slow(await explain(full, page(batch_query(chosen), number, newest_first=True)))
    for some in EVENT_FILTERS:
        refuse_slow(await explain(full, page(event_query(some), EVENTS.c.id)))
    refuse_slow(await explain(full, page(task_query(TaskFilter(phone="p7")), TASKS.c.number, newest_first=True)))
    refuse_slow(await explain(full, page(task_query(TaskFilter(text="milk")), TASKS.c.number, newest_first=True)))
    refuse_slow(await explain(full, page(batch_query(BatchFilter(text="shop")), BATCHES.c.number, newest_first=True)))
    refuse_slow((await explain(full, failure_query())).replace("Seq Scan on dismissals", ""))  # it has no row here
    batches = BatchRepository(full)
    first = await batches.tasks(TaskFilter(phase=TaskPhase.ENDED, owner="owner-7"), limit=1000)
    second = await batches.tasks(TaskFilter(phase=TaskPhase.ENDED, owner="owner-7"), first.next_cursor, 1000)
    assert len(first.items) == 1000
    assert len({task.id for task in (*first.items, *second.items)}) == 1250


def test_slow_plans_are_noticed() -> None:
    for plan in ("SCAN tasks", "Seq Scan on tasks", "SEARCH tasks USING INDEX x (a=?)\nUSE TEMP B-TREE FOR ORDER BY"):
        with pytest.raises(AssertionError):
            refuse_slow(plan)
