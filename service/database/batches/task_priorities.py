"""Change the priorities of batches and tasks, at the request of clients."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, case, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.service.batches import HIGHEST_PRIORITY, LOWEST_PRIORITY, BatchPhase, TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_intake import NEW
from manyhands.service.database.batches.task_control import find_subject
from manyhands.service.database.row_numbers import write_id
from manyhands.service.database.schema import BATCHES, HANDOVERS, TASKS
from manyhands.service.database.transactions import WriteTransaction

_OVER = (BatchPhase.ENDED.value, BatchPhase.CANCELLED.value)


async def set_batch_priority(change: WriteTransaction, id: str, priority: int, at: float) -> Mapping[str, int]:
    """Give a batch another priority. The change is added to the priority of each task, within the limits.

    Returns the priorities of those tasks that have not ended. Raises UnknownItem, and PhaseConflict for a batch that
    has ended.
    """
    batch, _ = await find_subject(change.connection, id)
    query = select(BATCHES.c.priority, BATCHES.c.phase).where(BATCHES.c.number == batch.number)
    before, phase = (await change.connection.execute(query)).one()
    if phase in _OVER:
        raise PhaseConflict(f"{id} has ended: its priority changes nothing")
    if before == priority:
        return {}
    own = TASKS.c.batch == batch.number
    # Tasks that have ended follow, too: a later retry has the priority of its task.
    await change.connection.execute(
        update(TASKS).where(own).values(priority=_limit(TASKS.c.priority + priority - before))
    )
    moved = update(BATCHES).where(BATCHES.c.number == batch.number)
    await change.connection.execute(moved.values(priority=priority, is_moved=True))
    data = {"priority": priority, "before": before}
    await change.append([ServiceEvent(id=0, at=at, kind=EventKind.BATCH_PRIORITY, batch=id, data=data)])
    return await _open_priorities(change.connection, own)


async def set_task_priority(change: WriteTransaction, id: str, priority: int, at: float) -> Mapping[str, int]:
    """Give a task another priority. Returns the task with it. Raises UnknownItem, and PhaseConflict if it has ended."""
    batch, number = await find_subject(change.connection, id)
    own = TASKS.c.number == number
    before, phase = (await change.connection.execute(select(TASKS.c.priority, TASKS.c.phase).where(own))).one()
    if phase == TaskPhase.ENDED.value:
        raise PhaseConflict(f"{id} has ended: its priority changes nothing")
    if before == priority:
        return {}
    await change.connection.execute(update(TASKS).where(own).values(priority=priority))
    await change.connection.execute(update(BATCHES).where(BATCHES.c.number == batch.number).values(is_moved=True))
    data = {"priority": priority, "before": before}
    owner = write_id("b", batch.number)
    await change.append([ServiceEvent(id=0, at=at, kind=EventKind.TASK_PRIORITY, batch=owner, task=id, data=data)])
    return {id: priority}


async def moved_priorities(connection: AsyncConnection) -> Mapping[str, int]:
    """Return the priorities of the open tasks that the fleet has, in batches whose priorities were changed."""
    query = (
        select(TASKS.c.id, TASKS.c.priority)
        .join(HANDOVERS, TASKS.c.handover == HANDOVERS.c.number)
        .join(BATCHES, TASKS.c.batch == BATCHES.c.number)
        .where(BATCHES.c.phase.not_in(_OVER), BATCHES.c.is_moved, HANDOVERS.c.state != NEW)
        .where(TASKS.c.phase != TaskPhase.ENDED.value)
    )
    return {row.id: row.priority for row in await connection.execute(query.order_by(TASKS.c.number))}


async def _open_priorities(connection: AsyncConnection, own: ColumnElement[bool]) -> Mapping[str, int]:
    query = select(TASKS.c.id, TASKS.c.priority).where(own, TASKS.c.phase != TaskPhase.ENDED.value)
    return {row.id: row.priority for row in await connection.execute(query.order_by(TASKS.c.number))}


def _limit(priority: ColumnElement[int]) -> ColumnElement[int]:
    return case(
        (priority > HIGHEST_PRIORITY, HIGHEST_PRIORITY), (priority < LOWEST_PRIORITY, LOWEST_PRIORITY), else_=priority
    )
