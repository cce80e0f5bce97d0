"""Give the coordinator the tasks that the fleet does not have yet, in groups that stay the same once offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.batches import TaskPhase
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.validation_words import describe_error
from manyhands.service.database.batches.batch_intake import NEW, task_of
from manyhands.service.database.batches.task_control import moved_priorities
from manyhands.service.database.row_numbers import unknown_item, write_id
from manyhands.service.database.schema import BATCHES, HANDOVERS, TASKS, TableRow

OFFERED = "offered"
GIVEN = "given"
MOST_OFFERED = 10_000
"""About how many tasks are offered at once. A group is never divided."""
_OPEN = (TaskPhase.WAITING.value, TaskPhase.PAUSED.value, TaskPhase.RUNNING.value)


@dataclass(frozen=True, slots=True)
class HandoverBatch:
    """Hold tasks that the fleet gets at once, in one ``Add``."""

    number: int
    """The place of the group among all."""
    id: str
    """The id of the group: that of the batch, or ``b17+1`` and so on for tasks that were asked for again.

    Under this id the group has the same tasks each time it is offered.
    """
    batch: str
    """The id of the batch."""
    owner: str
    tasks: Sequence[TaskSpec]
    """The tasks with their ids in the service. Priority and selector of the batch are part of them."""
    paused: Sequence[str]
    """The tasks among them that are paused: the fleet must hold them before it gets them."""
    cancelled: Mapping[str, str]
    """The tasks among them that were cancelled after the group was offered first, with the reasons."""
    unreadable: Mapping[str, str]
    """Further tasks of the group, which this version cannot read any more, with what is wrong."""


@dataclass(frozen=True, slots=True)
class StandingOrders:
    """Hold what the fleet must know of the tasks that it has and that have not ended."""

    paused: Sequence[str]
    """The tasks that are paused."""
    cancelled: Mapping[str, str]
    """The tasks that were cancelled, with the reasons."""
    priorities: Mapping[str, int]
    """The priorities of tasks, in batches whose priorities were changed."""


async def next_groups(connection: AsyncConnection, most: int, after: int) -> Sequence[int]:
    """Return the numbers above ``after`` of the groups that the fleet does not have, oldest first."""
    query = select(HANDOVERS.c.number).where(HANDOVERS.c.state.in_((NEW, OFFERED)), HANDOVERS.c.number > after)
    return (await connection.execute(query.order_by(HANDOVERS.c.number).limit(most))).scalars().all()


async def offer_groups(connection: AsyncConnection, groups: Sequence[int]) -> Sequence[HandoverBatch]:
    """Mark groups as offered, and return them. From now on their tasks end by the fleet's word alone.

    A group whose tasks all ended before is not returned: it counts as given. Groups beyond MOST_OFFERED tasks are left
    for later.
    """
    offered: list[HandoverBatch] = []
    for number in groups:
        if sum(len(group.tasks) for group in offered) >= MOST_OFFERED:
            break
        query = (
            select(HANDOVERS.c.id, BATCHES.c.number, BATCHES.c.owner)
            .join(BATCHES, BATCHES.c.number == HANDOVERS.c.batch)
            .where(HANDOVERS.c.number == number)
        )
        id, batch, owner = (await connection.execute(query)).one()
        marks = (TASKS.c.cancelled_at, TASKS.c.cancel_reason)
        open_tasks = select(TASKS.c.id, TASKS.c.spec, TASKS.c.priority, TASKS.c.phase, *marks).where(
            TASKS.c.handover == number, TASKS.c.phase != TaskPhase.ENDED.value
        )
        rows = (await connection.execute(open_tasks.order_by(TASKS.c.number))).all()
        state = OFFERED if rows else GIVEN
        await connection.execute(update(HANDOVERS).where(HANDOVERS.c.number == number).values(state=state))
        if rows:
            tasks, unreadable = _read_tasks(rows)
            offered.append(
                HandoverBatch(
                    number=number,
                    id=id,
                    batch=write_id("b", batch),
                    owner=owner,
                    tasks=tasks,
                    unreadable=unreadable,
                    paused=tuple(row.id for row in rows if row.phase == TaskPhase.PAUSED.value),
                    cancelled={row.id: row.cancel_reason or "" for row in rows if row.cancelled_at is not None},
                )
            )
    return offered


def _read_tasks(rows: Sequence[TableRow]) -> tuple[Sequence[TaskSpec], Mapping[str, str]]:
    """Return the tasks of rows, and what is wrong with those that cannot be read."""
    tasks: list[TaskSpec] = []
    unreadable: dict[str, str] = {}
    for row in rows:
        try:
            tasks.append(task_of(row))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            unreadable[row.id] = f"this version cannot read the task: {place}: {describe_error(first)}"
    return tasks, unreadable


async def mark_given(connection: AsyncConnection, group: str, run: str) -> None:
    """Note that a run has the tasks of a group. Raises UnknownItem."""
    query = select(HANDOVERS.c.number, HANDOVERS.c.batch).where(HANDOVERS.c.id == group)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise unknown_item("group of tasks", group)
    await connection.execute(update(HANDOVERS).where(HANDOVERS.c.number == row.number).values(state=GIVEN))
    await connection.execute(update(BATCHES).where(BATCHES.c.number == row.batch).values(run=run))


async def read_orders(connection: AsyncConnection) -> StandingOrders:
    """Return what the fleet must know of the tasks that it has."""
    offered = TASKS.c.handover == HANDOVERS.c.number
    query = select(TASKS.c.id, TASKS.c.cancel_reason).join(HANDOVERS, offered).where(HANDOVERS.c.state != NEW)
    paused = query.where(TASKS.c.phase == TaskPhase.PAUSED.value)
    cancelled = query.where(TASKS.c.phase.in_(_OPEN), TASKS.c.cancelled_at.is_not(None))
    return StandingOrders(
        priorities=await moved_priorities(connection),
        paused=tuple(row.id for row in (await connection.execute(paused.order_by(TASKS.c.number))).all()),
        cancelled={
            row.id: row.cancel_reason or "" for row in (await connection.execute(cancelled.order_by(TASKS.c.number)))
        },
    )
