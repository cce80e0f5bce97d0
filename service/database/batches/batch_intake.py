"""Store batches that are submitted, each once, and tasks that are asked for again."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import KeyReused, PhaseConflict
from manyhands.protocol.service.batches import BatchPhase, BatchRequest, BatchStatus, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.tasks.selectors import join_selectors
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.database.batches.batch_queries import MOST_TRIES, batch_status, task_status
from manyhands.service.database.engine import WriteTransaction
from manyhands.service.database.row_numbers import unknown_item, write_id
from manyhands.service.database.schema import (
    BATCH_TAGS,
    BATCHES,
    HANDOVERS,
    TASK_TAGS,
    TASKS,
    TableRow,
    dump_json,
    plain_text,
)

_PRIORITIES = (-100, 100)
NEW = "new"
"""The state of a group of tasks that nobody has offered to the fleet yet."""


def digest_request(request: BatchRequest) -> str:
    """Return a digest of the body of a request. Fields that later versions add do not change the digest."""
    content = request.model_dump(mode="json", exclude_unset=True)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


async def find_by_key(connection: AsyncConnection, owner: str, key: str, digest: str) -> BatchStatus | None:
    """Return the batch that an owner submitted with a key; None if there is none.

    Raises KeyReused if its body had another digest.
    """
    query = select(BATCHES).where(BATCHES.c.owner == owner, BATCHES.c.key == key)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    if row.digest != digest:
        raise KeyReused(
            f"the idempotency key {key!r} belongs to {write_id('b', row.number)}, submitted with another body:"
            " send the same body, or another key"
        )
    return batch_status(row)


async def store_batch(
    change: WriteTransaction,
    request: BatchRequest,
    owner: str,
    key: str | None,
    digest: str | None,
    at: float,
    schedule: str | None,
) -> BatchStatus:
    """Store a new batch with its tasks."""
    connection = change.connection
    values = {
        "name": request.name,
        "owner": owner,
        "priority": request.priority,
        "tags": dump_json(request.tags),
        "phase": BatchPhase.OPEN.value,
        "submitted_at": at,
        "deadline": request.deadline,
        "phones": request.phones,
        "schedule": schedule,
        "key": key,
        "digest": digest,
        "tasks": len(request.tasks),
        "waiting": len(request.tasks),
        "running": 0,
        "done": 0,
        "failed": 0,
        "cancelled": 0,
        "retried": 0,
    }
    number = (await connection.execute(insert(BATCHES).values(values).returning(BATCHES.c.number))).scalar_one()
    batch = write_id("b", number)
    if request.tags:
        rows = [{"tag": tag, "batch": number} for tag in _distinct(request.tags)]
        await connection.execute(insert(BATCH_TAGS), rows)
    handover = await _make_handover(connection, number)
    tasks = [_service_task(batch, request, task) for task in request.tasks]
    place = {"batch": number, "handover": handover, "owner": owner, "phase": TaskPhase.WAITING.value}
    await _store_tasks(connection, [_task_row(task) | place for task in tasks])
    data = {"name": request.name, "owner": owner, "tasks": len(tasks), "tags": list(request.tags)}
    await change.append([ServiceEvent(id=0, at=at, kind=EventKind.BATCH_ACCEPTED, batch=batch, data=data)])
    query = select(BATCHES).where(BATCHES.c.number == number)
    return batch_status((await connection.execute(query)).one())


async def store_retries(change: WriteTransaction, tasks: Sequence[str], at: float) -> Sequence[TaskStatus]:
    """Store another try of each of these ended tasks, in their batches.

    Raises UnknownItem, and PhaseConflict if one of them, or a later try of it, has not ended.
    """
    connection = change.connection
    ids: list[str] = []
    events: list[ServiceEvent] = []
    by_batch = defaultdict[int, list[TableRow]](list)
    for row in await _find_tasks(connection, tuple(dict.fromkeys(tasks))):
        by_batch[row.batch].append(row)
    for number, rows in by_batch.items():
        query = select(BATCHES.c.phase, BATCHES.c.deadline).where(BATCHES.c.number == number)
        phase, deadline = (await connection.execute(query)).one()
        is_paused = phase == BatchPhase.PAUSED.value
        task_phase = TaskPhase.PAUSED if is_paused else TaskPhase.WAITING
        last_tries = await _find_last_tries(connection, rows)
        retries = await _free_ids(connection, last_tries)
        place = {"batch": number, "handover": await _make_handover(connection, number), "phase": task_phase.value}
        new: list[dict[str, Any]] = []
        for row, (id, retry) in zip(rows, retries, strict=True):
            # One more episode of a group does not end when the others are enough.
            task = task_of(row).model_copy(update={"id": id, "group_enough": None})
            history = {"owner": row.owner, "origin": row.origin, "retry": retry, "retry_of": row.id}
            new.append(_task_row(task) | place | history)
            data = {"retry_of": row.id, "goal": row.goal, "phase": task_phase.value}
            batch = write_id("b", number)
            events.append(ServiceEvent(id=0, at=at, kind=EventKind.TASK_RETRIED, batch=batch, task=id, data=data))
            ids.append(id)
        await _store_tasks(connection, new)
        failed = [one for one in last_tries if one.is_done is False]
        values: dict[str, Any] = {
            "phase": (BatchPhase.PAUSED if is_paused else BatchPhase.OPEN).value,
            "ended_at": None,
            "tasks": BATCHES.c.tasks + len(rows),
            "waiting": BATCHES.c.waiting + len(rows),
            "retried": BATCHES.c.retried + len(failed),
            "cancelled": BATCHES.c.cancelled - sum(one.ending == Ending.CANCELLED.value for one in failed),
        }
        if deadline is not None and deadline <= at:  # it would cancel the tasks at once
            values |= {"deadline": None, "deadline_warning": None}
        await connection.execute(update(BATCHES).where(BATCHES.c.number == number).values(values))
    await change.append(events)
    return [task_status(row) for row in await _find_tasks(connection, ids)]


async def _find_tasks(connection: AsyncConnection, ids: Sequence[str]) -> Sequence[TableRow]:
    """Return the rows of tasks, in this order. Raises UnknownItem."""
    rows = {row.id: row for row in (await connection.execute(select(TASKS).where(TASKS.c.id.in_(ids)))).all()}
    for id in ids:
        if id not in rows:
            raise unknown_item("task", id)
    return [rows[id] for id in ids]


def _distinct(tags: Iterable[str]) -> Sequence[str]:
    """Return each tag once, as the database compares them."""
    return tuple(dict.fromkeys(plain_text(tag) for tag in tags))


def _service_task(batch: str, request: BatchRequest, task: TaskSpec) -> TaskSpec:
    """Return a task as the fleet gets it: with ids of the service, and with what the batch says for all its tasks."""
    lowest, highest = _PRIORITIES
    changes: dict[str, Any] = {
        "id": f"{batch}.{task.id}",
        "priority": max(lowest, min(highest, task.priority + request.priority)),
        "phones": join_selectors(request.phones, task.phones),
    }
    if task.repeat_of is not None:
        changes["repeat_of"] = f"{batch}.{task.repeat_of}"
    return task.model_copy(update=changes)


def task_of(row: TableRow) -> TaskSpec:
    """Return the task of a row, with the priority that it has now."""
    return TaskSpec.model_validate_json(row.spec).model_copy(update={"priority": row.priority})


def _task_row(task: TaskSpec) -> dict[str, Any]:
    return {
        "id": task.id,
        "goal": task.goal,
        "spec": task.model_dump_json(),
        "priority": task.priority,
        "tags": dump_json(task.tags),
        "origin": task.id,
        "retry": 1,
        "retry_of": None,
        "attempts": 0,
    }


async def _make_handover(connection: AsyncConnection, batch: int) -> int:
    """Make a group in which tasks of a batch are handed over: ``b17``, then ``b17+1`` for tasks asked for again."""
    query = select(func.count()).select_from(HANDOVERS).where(HANDOVERS.c.batch == batch)
    count = (await connection.execute(query)).scalar_one()
    first = write_id("b", batch)
    values = {"id": f"{first}+{count}" if count else first, "batch": batch, "state": NEW}
    inserted = await connection.execute(insert(HANDOVERS).values(values).returning(HANDOVERS.c.number))
    number: int = inserted.scalar_one()
    return number


async def _store_tasks(connection: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    await connection.execute(insert(TASKS), list(rows))
    tagged = {row["id"]: _distinct(json.loads(row["tags"])) for row in rows if row["tags"] != "[]"}
    if not tagged:
        return
    query = select(TASKS.c.number, TASKS.c.id).where(TASKS.c.handover == rows[0]["handover"])
    stored_rows = (await connection.execute(query)).all()
    tags = [{"tag": tag, "task": number} for number, id in stored_rows if id in tagged for tag in tagged[id]]
    await connection.execute(insert(TASK_TAGS), tags)


async def _find_last_tries(connection: AsyncConnection, rows: Sequence[TableRow]) -> Sequence[TableRow]:
    """Return the last try of each of these tasks. Raises PhaseConflict if one may not be tried again."""
    columns = (TASKS.c.id, TASKS.c.origin, TASKS.c.retry, TASKS.c.phase, TASKS.c.is_done, TASKS.c.ending)
    query = select(*columns).where(TASKS.c.origin.in_([row.origin for row in rows])).order_by(TASKS.c.retry)
    tries = defaultdict[str, list[TableRow]](list)
    for one in await connection.execute(query):
        tries[one.origin].append(one)
    last_tries: list[TableRow] = []
    for row in rows:
        for one in tries[row.origin]:
            if one.phase != TaskPhase.ENDED.value:
                raise PhaseConflict(
                    f"{one.id} has not ended (it is {one.phase}), so {row.id} is not tried again: wait, or cancel it"
                )
        last = tries[row.origin][-1]
        if last in last_tries:
            raise PhaseConflict(f"{row.id} and another try of {row.origin} are asked for at once: ask for one of them")
        if last.retry >= MOST_TRIES:
            raise PhaseConflict(f"{row.origin} was tried {last.retry} times, which is the limit: submit a new batch")
        last_tries.append(last)
    return last_tries


async def _free_ids(connection: AsyncConnection, last_tries: Sequence[TableRow]) -> Sequence[tuple[str, int]]:
    """Return the ids of further tries, ``b17.buy.r2``, with their numbers. Skip ids that clients gave tasks."""
    ids = [f"{last.origin}.r{last.retry + 1}" for last in last_tries]
    used = set((await connection.execute(select(TASKS.c.id).where(TASKS.c.id.in_(ids)))).scalars())
    retries: list[tuple[str, int]] = []
    for last, id in zip(last_tries, ids, strict=True):
        number = last.retry + 1
        while id in used:
            number += 1
            id = f"{last.origin}.r{number}"
            if (await connection.execute(select(TASKS.c.number).where(TASKS.c.id == id))).first() is not None:
                used.add(id)
        retries.append((id, last.retry + 1))
    return retries
