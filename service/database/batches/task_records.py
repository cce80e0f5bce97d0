"""Record what the fleet says of tasks: that an episode began, its steps, and the one result.

The journals of the run folder are the truth. What they say may be told several times, in parts, and late. It is
recorded once, and nothing changes a task that has its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from sqlalchemy import BindParameter, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.batches import TaskPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_counts import (
    close_if_over,
    count_cancelled,
    count_of,
    move_tasks,
)
from manyhands.service.database.engine import WriteTransaction
from manyhands.service.database.row_numbers import write_id
from manyhands.service.database.schema import EPISODES, TASKS, TableRow, dump_json

_STATE = (
    *(TASKS.c.number, TASKS.c.id, TASKS.c.batch, TASKS.c.phase),
    *(TASKS.c.phone, TASKS.c.episode, TASKS.c.step, TASKS.c.doing),
)
_PART = 400
"""How many tasks are looked up at once. Databases limit the parameters of a statement."""
_Report = tuple[TableRow, EpisodeProgress]
"""What the fleet says of an episode, with the row of its task."""


async def store_progress(change: WriteTransaction, progress: Sequence[EpisodeProgress], at: float) -> Sequence[str]:
    """Record which episodes began, where the latest episode of each task is, and what it does.

    Return the ids of the episodes whose beginnings were not known. Reports about unknown and ended tasks count for
    nothing.
    """
    rows = await _find(change.connection, [one.task for one in progress])
    reports = [
        (rows[one.task], one) for one in progress if one.task in rows and rows[one.task].phase != TaskPhase.ENDED.value
    ]
    began = await _new_episodes(change.connection, reports)
    await _store_beginnings(change, began, at)
    waited = [row for row, one in reports if row.episode == one.episode and row.phase != TaskPhase.RUNNING.value]
    await _move(change.connection, waited, TaskPhase.RUNNING)
    latest = {row.id: (row.episode, row.step, row.doing) for row, _ in reports}
    latest |= {row.id: (one.episode, 0, None) for row, one in began}
    await _store_steps(change, reports, latest, at)
    return [one.episode for _, one in began]


async def _new_episodes(connection: AsyncConnection, reports: Sequence[_Report]) -> Sequence[_Report]:
    """Return the reports about episodes that the database does not know."""
    others = [one.episode for row, one in reports if row.episode != one.episode]
    known_ids = set()
    for start in range(0, len(others), _PART):
        query = select(EPISODES.c.id).where(EPISODES.c.id.in_(others[start : start + _PART]))
        known_ids |= set((await connection.execute(query)).scalars())
    return [(row, one) for row, one in reports if row.episode != one.episode and one.episode not in known_ids]


async def _store_beginnings(change: WriteTransaction, began: Sequence[_Report], at: float) -> None:
    if not began:
        return
    episodes = [{"id": one.episode, "task": row.number, "phone": one.serial, "began_at": at} for row, one in began]
    await change.connection.execute(insert(EPISODES), episodes)
    data: list[dict[str, JsonValue]] = [
        {
            "phase": TaskPhase.RUNNING.value,
            "phone": one.serial,
            "episode": one.episode,
            "step": 0,
            "doing": None,
            "started_at": at,
        }
        for _, one in began
    ]
    columns: dict[str, BindParameter[Any]] = {name: bindparam(f"new_{name}") for name in data[0]}
    statement = update(TASKS).where(TASKS.c.number == bindparam("task")).values(columns)
    rows = [
        {"task": row.number} | {f"new_{name}": value for name, value in values.items()}
        for (row, _), values in zip(began, data, strict=True)
    ]
    await change.connection.execute(statement, rows)
    moves = {row.id: (row.batch, TaskPhase(row.phase)) for row, _ in began}
    for (batch, phase), number in Counter(moves.values()).items():
        counts = count_of(phase, None), count_of(TaskPhase.RUNNING, None)
        await move_tasks(change.connection, batch, *counts, number)
    await change.append(
        [
            _event(EventKind.TASK_BEGAN, row, one.serial, at, values)
            for (row, one), values in zip(began, data, strict=True)
        ]
    )


async def _store_steps(
    change: WriteTransaction,
    reports: Sequence[_Report],
    latest: Mapping[str, tuple[str | None, int | None, str | None]],
    at: float,
) -> None:
    """Record the steps of the latest episodes. ``latest``: of each task the episode, its step and what it did."""
    changed = [
        (row, one)
        for row, one in reports
        if latest[row.id][0] == one.episode and latest[row.id][1:] != (one.step, one.doing)
    ]
    if not changed:
        return
    statement = (
        update(TASKS)
        .where(TASKS.c.number == bindparam("task"))
        .values(step=bindparam("at_step"), doing=bindparam("does"))
    )
    rows = [{"task": row.number, "at_step": one.step, "does": one.doing} for row, one in changed]
    await change.connection.execute(statement, rows)
    phase = TaskPhase.RUNNING.value
    events = [
        _event(EventKind.TASK_STEP, row, one.serial, at, {"phase": phase, "step": one.step, "doing": one.doing})
        for row, one in changed
        if latest[row.id][1] != one.step
    ]
    await change.append(events)


async def find_running(connection: AsyncConnection) -> Sequence[str]:
    """Return the ids of the tasks that were last seen running."""
    return (
        (await connection.execute(select(TASKS.c.id).where(TASKS.c.phase == TaskPhase.RUNNING.value))).scalars().all()
    )


async def store_interruptions(change: WriteTransaction, tasks: Collection[str], at: float) -> None:
    """Record that the episodes of these tasks do not run now: the tasks wait. What does not run already stays."""
    rows_by_id = await _find(change.connection, tasks)
    rows = [row for row in rows_by_id.values() if row.phase == TaskPhase.RUNNING.value]
    await _move(change.connection, rows, TaskPhase.WAITING)
    data: dict[str, JsonValue] = {"phase": TaskPhase.WAITING.value, "step": None, "doing": None}
    await change.append([_event(EventKind.TASK_STEP, row, row.phone or "", at, data) for row in rows])


async def _move(connection: AsyncConnection, rows: Sequence[TableRow], phase: TaskPhase) -> None:
    """Bring tasks that have not ended to another phase, and count them there. They are at no step yet."""
    numbers = [row.number for row in rows]
    for start in range(0, len(numbers), _PART):
        condition = TASKS.c.number.in_(numbers[start : start + _PART])
        await connection.execute(update(TASKS).where(condition).values(phase=phase.value, step=None, doing=None))
    for (batch, before), number in Counter((row.batch, TaskPhase(row.phase)) for row in rows).items():
        await move_tasks(connection, batch, count_of(before, None), count_of(phase, None), number)


async def store_results(change: WriteTransaction, results: Sequence[EpisodeResult]) -> Sequence[str]:
    """Record the results of tasks. Return the ids of the tasks that had none."""
    rows = await _find(change.connection, [result.task for result in results])
    # The first result of a task counts.
    newest = {result.task: result for result in reversed(results)}
    new = [
        (rows[task], newest[task])
        for task in dict.fromkeys(result.task for result in results)
        if task in rows and rows[task].phase != TaskPhase.ENDED.value
    ]
    if new:
        await _end_tasks(change, new)
    return [row.id for row, _ in new]


async def _end_tasks(change: WriteTransaction, ended: Sequence[tuple[TableRow, EpisodeResult]]) -> None:
    connection = change.connection
    rows: list[dict[str, Any]] = []
    events: list[ServiceEvent] = []
    moves = Counter[tuple[int, str, str]]()
    last = dict[int, float]()
    for row, result in ended:
        values = _result_values(row, result)
        unmet = [one.model_dump(mode="json") for one in result.unmet]
        stored = {**values, "unmet": dump_json(unmet), "answer_data": dump_json(result.answer_data)}
        rows.append({"task": row.number} | {f"new_{name}": value for name, value in stored.items()})
        data = {**values, "unmet": unmet, "answer_data": result.answer_data}
        events.append(_event(EventKind.TASK_ENDED, row, result.serial, result.ended_at, data))
        if not result.is_done and result.ending is not Ending.CANCELLED:
            events.append(_event(EventKind.TASK_FAILED, row, result.serial, result.ended_at, data))
        moves[row.batch, count_of(TaskPhase(row.phase), None), count_of(TaskPhase.ENDED, result.is_done)] += 1
        last[row.batch] = max(result.ended_at, last.get(row.batch, result.ended_at))
    columns: dict[str, BindParameter[Any]] = {name: bindparam(f"new_{name}") for name in stored}
    await connection.execute(update(TASKS).where(TASKS.c.number == bindparam("task")).values(columns), rows)
    for (batch, before, after), number in moves.items():
        await move_tasks(connection, batch, before, after, number)
    cancelled = Counter(row.batch for row, one in ended if not one.is_done and one.ending is Ending.CANCELLED)
    for batch, number in cancelled.items():
        await count_cancelled(connection, batch, number)
    await change.append(events)
    for batch, at in last.items():
        await close_if_over(change, batch, at)


def _result_values(row: TableRow, result: EpisodeResult) -> dict[str, JsonValue]:
    return {
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


async def _find(connection: AsyncConnection, tasks: Collection[str]) -> Mapping[str, TableRow]:
    """Return the rows of those tasks that exist, by their ids."""
    ids = tuple(dict.fromkeys(tasks))
    rows: dict[str, TableRow] = {}
    for start in range(0, len(ids), _PART):
        query = select(*_STATE).where(TASKS.c.id.in_(ids[start : start + _PART]))
        rows |= {row.id: row for row in (await connection.execute(query)).all()}
    return rows


def _event(kind: EventKind, row: TableRow, serial: str, at: float, data: dict[str, Any]) -> ServiceEvent:
    batch = write_id("b", row.batch)
    return ServiceEvent(id=0, at=at, kind=kind, batch=batch, task=row.id, phone=serial or None, data=data)
