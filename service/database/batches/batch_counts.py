"""Keep the counts of a batch equal to the phases of its tasks, and read how much work stands before a batch."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.batches import BatchPhase, TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.engine import WriteTransaction
from manyhands.service.database.row_numbers import read_id, write_id
from manyhands.service.database.schema import BATCHES, TASKS


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """Count the tasks of a service."""

    waiting: int
    """Paused ones included."""
    running: int
    ended: int


def count_of(phase: TaskPhase, is_done: bool | None) -> str:
    """Return the name of the column that counts a task. Of those in ``failed``, other columns count some again."""
    match phase:
        case TaskPhase.WAITING | TaskPhase.PAUSED:
            return "waiting"
        case TaskPhase.RUNNING:
            return "running"
    return "done" if is_done else "failed"


async def move_tasks(connection: AsyncConnection, batch: int, before: str, after: str, number: int = 1) -> None:
    """Count some tasks of a batch elsewhere."""
    if before != after:
        values = {before: BATCHES.c[before] - number, after: BATCHES.c[after] + number}
        await connection.execute(update(BATCHES).where(BATCHES.c.number == batch).values(values))


async def count_cancelled(connection: AsyncConnection, batch: int, number: int = 1) -> None:
    """Count some more of the failed tasks of a batch as cancelled."""
    values = {"cancelled": BATCHES.c.cancelled + number}
    await connection.execute(update(BATCHES).where(BATCHES.c.number == batch).values(values))


async def close_if_over(change: WriteTransaction, batch: int, at: float) -> None:
    """End a batch if none of its tasks waits or runs. A cancelled batch stays cancelled."""
    row = (await change.connection.execute(select(BATCHES).where(BATCHES.c.number == batch))).one()
    if row.waiting or row.running or row.ended_at is not None:
        return
    phase = BatchPhase.CANCELLED if row.phase == BatchPhase.CANCELLED.value else BatchPhase.ENDED
    values = {"phase": phase.value, "ended_at": at}
    await change.connection.execute(update(BATCHES).where(BATCHES.c.number == batch).values(values))
    counts = {name: getattr(row, name) for name in ("tasks", "done", "cancelled", "retried")}
    counts["failed"] = row.failed - row.cancelled - row.retried
    data = {**values, **counts, "name": row.name, "owner": row.owner}
    kind = EventKind.BATCH_ENDED
    await change.append([ServiceEvent(id=0, at=at, kind=kind, batch=write_id("b", batch), data=data)])


async def read_totals(connection: AsyncConnection) -> TaskTotals:
    """Return the counts over all batches."""
    query = select(*(func.coalesce(func.sum(BATCHES.c[count]), 0) for count in ("tasks", "waiting", "running")))
    tasks, waiting, running = map(int, (await connection.execute(query)).one())
    return TaskTotals(waiting, running, tasks - waiting - running)


LAST_TASKS = 100
"""How many of the tasks that ended last tell how long a task takes."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Hold what stands before the last task of a batch."""

    own: int
    """Waiting tasks of the batch."""
    running: int
    """Tasks that run, of all batches."""
    before: int
    """Waiting tasks of a higher priority."""
    beside: int
    """Waiting tasks of others with the same priority. Their owners take turns with the owner of the batch."""
    owners: int
    """How many other owners have such tasks."""
    task_s: float | None
    """How many seconds the last tasks took on average; None if none has ended."""


async def read_workload(connection: AsyncConnection, batch: str | None, owner: str, priority: int) -> Workload:
    """Return the workload before a batch; None for a batch that is not stored. ``priority``: that of its tasks."""
    number = 0 if batch is None else read_id("b", batch)
    waiting = TASKS.c.phase == TaskPhase.WAITING.value
    same = waiting & (TASKS.c.priority == priority) & (TASKS.c.owner != owner)
    counts = select(
        select(func.count()).where(waiting & (TASKS.c.batch == number)).scalar_subquery(),
        select(func.count()).where(TASKS.c.phase == TaskPhase.RUNNING.value).scalar_subquery(),
        select(func.count()).where(waiting & (TASKS.c.priority > priority)).scalar_subquery(),
        select(func.count()).where(same).scalar_subquery(),
        select(func.count(TASKS.c.owner.distinct())).where(same).scalar_subquery(),
    )
    own, running, before, beside, owners = (await connection.execute(counts)).one()
    ended = (
        select((TASKS.c.ended_at - TASKS.c.started_at).label("seconds"))
        .where(TASKS.c.phase == TaskPhase.ENDED.value, TASKS.c.started_at.is_not(None))
        .order_by(TASKS.c.number.desc())
        .limit(LAST_TASKS)
        .subquery()
    )
    task_s = (await connection.execute(select(func.avg(ended.c.seconds)))).scalar_one()
    return Workload(own, running, before, beside, owners, None if task_s is None else float(task_s))
