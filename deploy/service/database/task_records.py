"""Record what the fleet says of tasks: that an episode began, its steps, and the one result.

The journals of the run folder are the truth. What they say may be told several times, in parts, and late. It is
recorded once, and nothing changes a task that has its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.deploy.service.database.batch_counts import (
    close_if_over,
    count_cancelled,
    count_of,
    move_one,
)
from manyhands.deploy.service.database.row_numbers import write_id
from manyhands.deploy.service.database.schema import EPISODES, TASKS, TableRow, dump_json
from manyhands.deploy.service.database.transactions import WriteTransaction
from manyhands.protocol.base import Ending
from manyhands.protocol.progress import EpisodeProgress
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.service.batches import TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent

_STATE = (
    *(TASKS.c.number, TASKS.c.id, TASKS.c.batch, TASKS.c.phase),
    *(TASKS.c.phone, TASKS.c.episode, TASKS.c.step, TASKS.c.doing),
)
_PART = 400
"""How many tasks are looked up at once. Databases limit the parameters of a statement."""


async def store_began(change: WriteTransaction, task: str, episode: str, serial: str, at: float) -> bool:
    """Record that an episode of a task began. Return False if that is known, or if the task is unknown or has ended."""
    connection = change.connection
    row = await _find(connection, task)
    if row is None or row.phase == TaskPhase.ENDED.value:
        return False
    if (await connection.execute(select(EPISODES.c.number).where(EPISODES.c.id == episode))).first() is not None:
        return False
    values = {"id": episode, "task": row.number, "phone": serial, "began_at": at}
    await connection.execute(insert(EPISODES).values(values))
    began: dict[str, JsonValue] = {
        "phase": TaskPhase.RUNNING.value,
        "phone": serial,
        "episode": episode,
        "step": 0,
        "doing": None,
        "started_at": at,
    }
    await connection.execute(update(TASKS).where(TASKS.c.number == row.number).values(began))
    await move_one(connection, row.batch, count_of(TaskPhase(row.phase), None), count_of(TaskPhase.RUNNING, None))
    await change.append([_event(EventKind.TASK_BEGAN, row, serial, at, began)])
    return True


async def changed_steps(
    connection: AsyncConnection, progress: Sequence[EpisodeProgress]
) -> Sequence[tuple[TableRow, EpisodeProgress]]:
    """Return the reports that say something new about a task whose latest episode they are about."""
    by_task = {one.task: one for one in progress}
    ids = list(by_task)
    found = []
    for start in range(0, len(ids), _PART):
        query = select(*_STATE).where(TASKS.c.id.in_(ids[start : start + _PART]))
        for row in (await connection.execute(query)).all():
            one = by_task[row.id]
            is_current = row.phase == TaskPhase.RUNNING.value and row.episode == one.episode
            if is_current and (row.step, row.doing) != (one.step, one.doing):
                found.append((row, one))
    return found


async def store_steps(change: WriteTransaction, progress: Sequence[EpisodeProgress], at: float) -> None:
    """Record where running episodes are, and what they do."""
    changed = await changed_steps(change.connection, progress)
    if not changed:
        return
    statement = (
        update(TASKS)
        .where(TASKS.c.number == bindparam("task"))
        .values(step=bindparam("at_step"), doing=bindparam("does"))
    )
    rows = [{"task": row.number, "at_step": one.step, "does": one.doing} for row, one in changed]
    await change.connection.execute(statement, rows)
    events = [
        _event(EventKind.TASK_STEP, row, one.serial, at, {"step": one.step, "doing": one.doing})
        for row, one in changed
        if row.step != one.step
    ]
    await change.append(events)


async def store_result(change: WriteTransaction, result: EpisodeResult) -> bool:
    """Record the result of a task. Return False if the task is unknown, or has its result already."""
    connection = change.connection
    row = await _find(connection, result.task)
    if row is None or row.phase == TaskPhase.ENDED.value:
        return False
    unmet = [one.model_dump(mode="json") for one in result.unmet]
    told: dict[str, JsonValue] = {
        "phase": TaskPhase.ENDED.value,
        # A task that was given up while it waited has no phone: its last episode stays.
        "phone": result.serial or row.phone,
        "episode": result.episode if result.serial else row.episode,
        "step": None,
        "doing": None,
        "started_at": result.started_at,
        "ended_at": result.ended_at,
        "ending": result.ending.value,
        "reason": result.reason,
        "is_done": result.is_done,
        "verified": result.verified,
        "verified_by": result.verified_by,
        "answer": result.answer,
        "steps": result.steps,
        "attempts": result.attempt,
    }
    stored = {"unmet": dump_json(unmet), "answer_data": dump_json(result.answer_data)}
    await connection.execute(update(TASKS).where(TASKS.c.number == row.number).values({**told, **stored}))
    await move_one(
        connection, row.batch, count_of(TaskPhase(row.phase), None), count_of(TaskPhase.ENDED, result.is_done)
    )
    if not result.is_done and result.ending is Ending.CANCELLED:
        await count_cancelled(connection, row.batch)
    data = {**told, "unmet": unmet, "answer_data": result.answer_data}
    events = [_event(EventKind.TASK_ENDED, row, result.serial, result.ended_at, data)]
    if not result.is_done and result.ending is not Ending.CANCELLED:
        events.append(_event(EventKind.TASK_FAILED, row, result.serial, result.ended_at, data))
    await change.append(events)
    await close_if_over(change, row.batch, result.ended_at)
    return True


async def _find(connection: AsyncConnection, task: str) -> TableRow | None:
    row: TableRow | None = (await connection.execute(select(*_STATE).where(TASKS.c.id == task))).one_or_none()
    return row


def _event(kind: EventKind, row: TableRow, serial: str, at: float, data: dict[str, Any]) -> ServiceEvent:
    batch = write_id("b", row.batch)
    return ServiceEvent(id=0, at=at, kind=kind, batch=batch, task=row.id, phone=serial or None, data=data)
