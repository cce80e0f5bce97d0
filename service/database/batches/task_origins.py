"""Find whose tasks some tasks are, and what they are to do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.service.database.row_numbers import write_id
from manyhands.service.database.schema import TASKS

MOST_AT_ONCE = 500
"""The most ids in one statement; databases bound how many values a statement has."""


class TaskOrigin(NamedTuple):
    """Say what a task is to do, and where it comes from."""

    goal: str
    batch: str
    owner: str


async def find_origins(connection: AsyncConnection, tasks: Collection[str]) -> Mapping[str, TaskOrigin]:
    """Return the origins of those tasks that the service knows, by their ids."""
    ids, found = sorted(tasks), dict[str, TaskOrigin]()
    for start in range(0, len(ids), MOST_AT_ONCE):
        query = select(TASKS.c.id, TASKS.c.goal, TASKS.c.batch, TASKS.c.owner)
        rows = await connection.execute(query.where(TASKS.c.id.in_(ids[start : start + MOST_AT_ONCE])))
        found |= {row.id: TaskOrigin(row.goal, write_id("b", row.batch), row.owner) for row in rows}
    return found
