"""Cancel, pause and resume batches and tasks, and change their priorities, at the request of clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.service.batches import HIGHEST_PRIORITY, LOWEST_PRIORITY, BatchPhase, TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_counts import close_if_over, count_cancelled, count_of, move_tasks
from manyhands.service.database.batches.batch_intake import NEW
from manyhands.service.database.engine import WriteTransaction
from manyhands.service.database.row_numbers import read_id, unknown_item, write_id
from manyhands.service.database.schema import BATCHES, HANDOVERS, TASKS, TableRow

_WAITING = (TaskPhase.WAITING.value, TaskPhase.PAUSED.value)


async def cancel_work(change: WriteTransaction, ids: Sequence[str], at: float, reason: str) -> Sequence[str]:
    """Mark batches and tasks as cancelled. What has ended stays as it is.

    Returns the tasks that had not ended. ``end_new_tasks`` ends those that the fleet cannot have; the fleet ends all
    others, also those that it is offered because the first did not happen. Raises UnknownItem.
    """
    affected = dict[str, None]()
    for id in dict.fromkeys(ids):
        batch, task = await find_subject(change.connection, id)
        if task is None and batch.phase in (BatchPhase.OPEN.value, BatchPhase.PAUSED.value):
            await _set_phase(change.connection, batch.number, BatchPhase.CANCELLED)
            data = {"phase": BatchPhase.CANCELLED.value, "reason": reason}
            await change.append([_event(EventKind.BATCH_CANCELLED, at, batch.number, None, data)])
        unfinished = (_tasks_of(batch, task), TASKS.c.phase != TaskPhase.ENDED.value)
        query = select(TASKS.c.id).where(*unfinished).order_by(TASKS.c.number)
        affected |= dict.fromkeys((await change.connection.execute(query)).scalars())
        marks = update(TASKS).where(*unfinished, TASKS.c.cancelled_at.is_(None))
        await change.connection.execute(marks.values(cancelled_at=at, cancel_reason=reason))
    return tuple(affected)


async def end_new_tasks(change: WriteTransaction, ids: Sequence[str], at: float, reason: str) -> None:
    """End those of some cancelled tasks that nobody has offered to the fleet."""
    new = select(HANDOVERS.c.number).where(HANDOVERS.c.state == NEW)
    condition = (TASKS.c.id.in_(ids), TASKS.c.phase.in_(_WAITING), TASKS.c.handover.in_(new))
    query = select(TASKS.c.id, TASKS.c.batch).where(*condition).order_by(TASKS.c.number)
    rows = (await change.connection.execute(query)).all()
    result = {
        "phase": TaskPhase.ENDED.value,
        "ended_at": at,
        "ending": Ending.CANCELLED.value,
        "reason": reason,
        "is_done": False,
        "steps": 0,
    }
    await change.connection.execute(update(TASKS).where(*condition).values(result | {"cancel_reason": reason}))
    await change.append([_event(EventKind.TASK_ENDED, at, row.batch, row.id, dict(result)) for row in rows])
    for batch, number in Counter(row.batch for row in rows).items():
        counts = count_of(TaskPhase.WAITING, None), count_of(TaskPhase.ENDED, False)
        await move_tasks(change.connection, batch, *counts, number)
        await count_cancelled(change.connection, batch, number)
        await close_if_over(change, batch, at)


async def pause_work(change: WriteTransaction, ids: Sequence[str], at: float) -> Sequence[str]:
    """Pause batches and tasks. Running tasks go on to their end.

    Returns the tasks that were waiting. Raises UnknownItem.
    """
    affected = dict[str, None]()
    for id in dict.fromkeys(ids):
        batch, task = await find_subject(change.connection, id)
        moved = await _move(change.connection, _tasks_of(batch, task), TaskPhase.WAITING, TaskPhase.PAUSED)
        affected |= dict.fromkeys(moved)
        if task is None and batch.phase == BatchPhase.OPEN.value:
            await _set_phase(change.connection, batch.number, BatchPhase.PAUSED)
            data = {"phase": BatchPhase.PAUSED.value}
            await change.append([_event(EventKind.BATCH_PAUSED, at, batch.number, None, data)])
        elif task is not None and moved:
            data = {"phase": TaskPhase.PAUSED.value}
            await change.append([_event(EventKind.TASK_PAUSED, at, batch.number, id, data)])
    return tuple(affected)


async def resume_work(change: WriteTransaction, ids: Sequence[str], at: float) -> Sequence[str]:
    """Withdraw pauses of batches and tasks.

    A batch's tasks are resumed even if they were paused one by one. Returns the tasks that were paused. Raises
    UnknownItem.
    """
    affected = dict[str, None]()
    for id in dict.fromkeys(ids):
        batch, task = await find_subject(change.connection, id)
        moved = await _move(change.connection, _tasks_of(batch, task), TaskPhase.PAUSED, TaskPhase.WAITING)
        affected |= dict.fromkeys(moved)
        if task is None and batch.phase == BatchPhase.PAUSED.value:
            await _set_phase(change.connection, batch.number, BatchPhase.OPEN)
            data = {"phase": BatchPhase.OPEN.value}
            await change.append([_event(EventKind.BATCH_RESUMED, at, batch.number, None, data)])
        elif moved:
            data = {"phase": TaskPhase.WAITING.value}
            events = [_event(EventKind.TASK_RESUMED, at, batch.number, one, data) for one in moved]
            await change.append(events)
    return tuple(affected)


async def find_overdue(connection: AsyncConnection, now: float) -> Sequence[str]:
    """Return the ids of the batches that are past their deadlines and have not ended, oldest first."""
    query = select(BATCHES.c.number).where(
        BATCHES.c.phase.in_((BatchPhase.OPEN.value, BatchPhase.PAUSED.value)), BATCHES.c.deadline <= now
    )
    numbers = (await connection.execute(query.order_by(BATCHES.c.number))).scalars()
    return tuple(write_id("b", number) for number in numbers)


def _event(kind: EventKind, at: float, batch: int, task: str | None, data: dict[str, Any]) -> ServiceEvent:
    return ServiceEvent(id=0, at=at, kind=kind, batch=write_id("b", batch), task=task, data=data)


async def find_subject(connection: AsyncConnection, id: str) -> tuple[TableRow, int | None]:
    """Return a batch by its id and None, or, for the id of a task, the task's batch and the task's number."""
    task = None
    if "." in id:
        query = select(TASKS.c.number, TASKS.c.batch).where(TASKS.c.id == id)
        row = (await connection.execute(query)).one_or_none()
        if row is None:
            raise unknown_item("task", id)
        task, batch = row.number, row.batch
    else:
        batch = read_id("b", id)
    query = select(BATCHES.c.number, BATCHES.c.phase).where(BATCHES.c.number == batch)
    item = (await connection.execute(query)).one_or_none()
    if item is None:
        raise unknown_item("batch", id)
    return item, task


def _tasks_of(batch: TableRow, task: int | None) -> ColumnElement[bool]:
    return TASKS.c.batch == batch.number if task is None else TASKS.c.number == task


async def _set_phase(connection: AsyncConnection, batch: int, phase: BatchPhase) -> None:
    await connection.execute(update(BATCHES).where(BATCHES.c.number == batch).values(phase=phase.value))


async def _move(
    connection: AsyncConnection, subject: ColumnElement[bool], before: TaskPhase, after: TaskPhase
) -> Sequence[str]:
    """Bring tasks from one phase to another, unless they are cancelled. Return their ids in the order of submission."""
    condition = (subject, TASKS.c.phase == before.value, TASKS.c.cancelled_at.is_(None))
    moved = (await connection.execute(select(TASKS.c.id).where(*condition).order_by(TASKS.c.number))).scalars().all()
    await connection.execute(update(TASKS).where(*condition).values(phase=after.value))
    return moved


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
