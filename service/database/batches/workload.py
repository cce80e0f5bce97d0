"""Read how much work stands before a batch, and how long tasks take, to forecast when the batch ends."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.batches import TaskPhase
from manyhands.service.database.row_numbers import read_id
from manyhands.service.database.schema import TASKS

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
