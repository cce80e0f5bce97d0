"""Keep batches and tasks: what clients ask for, what the fleet has, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.errors import PhaseConflict
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import BatchRequest, BatchStatus, TaskStatus
from manyhands.service.database.batches import (
    batch_counts,
    batch_intake,
    batch_queries,
    handovers,
    task_control,
    task_records,
)
from manyhands.service.database.batches.batch_counts import TaskTotals, Workload, read_workload
from manyhands.service.database.batches.batch_queries import ALL_BATCHES, ALL_TASKS, BatchFilter, TaskFilter
from manyhands.service.database.batches.handovers import HandoverBatch, StandingOrders
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, write_id
from manyhands.service.database.schema import BATCHES, TASKS

MOST_AT_ONCE = 500
"""The most ids in one statement; databases bound how many values a statement has."""


class TaskOrigin(NamedTuple):
    """Say what a task is to do, and where it comes from."""

    goal: str
    batch: str
    owner: str


async def find_origins(connection: AsyncConnection, tasks: Collection[str]) -> Mapping[str, TaskOrigin]:
    """Return the origins of those tasks that the service knows, by their ids."""
    ids, origins = sorted(tasks), dict[str, TaskOrigin]()
    for start in range(0, len(ids), MOST_AT_ONCE):
        query = select(TASKS.c.id, TASKS.c.goal, TASKS.c.batch, TASKS.c.owner)
        rows = await connection.execute(query.where(TASKS.c.id.in_(ids[start : start + MOST_AT_ONCE])))
        origins |= {row.id: TaskOrigin(row.goal, write_id("b", row.batch), row.owner) for row in rows}
    return origins


MOST_WRITTEN = 100
"""How many tasks one transaction retries or ends: it takes up to some milliseconds for each, and others wait."""


class BatchRepository:
    """Keep the batches and tasks of a service.

    When a method returns, its change is on disk, with the events that it appends. Retries, cancellations and results
    of many tasks are written in parts, each in a transaction of its own; the other methods are one transaction.
    Methods that take an id raise UnknownItem if there is nothing with that id. Every method may raise DatabaseAway.
    """

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database
        self._retrying = asyncio.Lock()

    # ------------------------------------------------------------------------ what clients ask for
    async def accept(
        self, request: BatchRequest, owner: str, key: str | None, at: float, schedule: str | None = None
    ) -> tuple[BatchStatus, bool]:
        """Store a batch. Return it, and whether it is new.

        If the owner submitted the same batch with the same ``key`` before, return that batch. Raises KeyReused if it
        was another batch. ``schedule``: the id of the schedule that submits it.
        """
        digest = None if key is None else batch_intake.digest_request(request)
        async with self._database.write() as change:
            if key is not None and digest is not None:
                earlier_batch = await batch_intake.find_by_key(change.connection, owner, key, digest)
                if earlier_batch is not None:
                    return earlier_batch, False
            return await batch_intake.store_batch(change, request, owner, key, digest, at, schedule), True

    async def retry(self, task_ids: Sequence[str], at: float) -> Sequence[TaskStatus]:
        """Store another try of each ended task: ``b17.buy.r2`` for ``b17.buy``. Their batches are open again.

        Many tasks are stored in parts, so that others write in between. Raises PhaseConflict if a task, or an earlier
        retry of it, has not ended, or was tried too often. Then that part and those after it are not stored; if others
        are, they are returned.
        """
        retries: list[TaskStatus] = []
        async with self._retrying:
            for start in range(0, len(task_ids), MOST_WRITTEN):
                try:
                    async with self._database.write() as change:
                        retries += await batch_intake.store_retries(change, task_ids[start : start + MOST_WRITTEN], at)
                except PhaseConflict:
                    if not retries:
                        raise
                    break
        return retries

    async def cancel(self, ids: Sequence[str], at: float, reason: str) -> Sequence[str]:
        """Cancel batches and tasks. Return the ids of the tasks that had not ended, which the fleet must end.

        Tasks that the fleet cannot have yet end at once: many of them in parts, so that others write in between.
        """
        async with self._database.write() as change:
            cancelled = await task_control.cancel_work(change, ids, at, reason)
        for start in range(0, len(cancelled), MOST_WRITTEN):
            async with self._database.write() as change:
                await task_control.end_new_tasks(change, cancelled[start : start + MOST_WRITTEN], at, reason)
        return cancelled

    async def pause(self, ids: Sequence[str], at: float) -> Sequence[str]:
        """Pause batches and tasks. Return the ids of the tasks that waited, which the fleet must hold."""
        async with self._database.write() as change:
            return await task_control.pause_work(change, ids, at)

    async def resume(self, ids: Sequence[str], at: float) -> Sequence[str]:
        """Withdraw pauses. Return the ids of the tasks that were paused, which the fleet must release."""
        async with self._database.write() as change:
            return await task_control.resume_work(change, ids, at)

    async def set_priority(self, id: str, priority: int, at: float) -> Mapping[str, int]:
        """Give a batch or a task another priority. Return the priorities of which the fleet must be told, by task.

        Raises PhaseConflict if it has ended.
        """
        store = task_control.set_task_priority if "." in id else task_control.set_batch_priority
        async with self._database.write() as change:
            return await store(change, id, priority, at)

    async def warn_of_deadline(self, batch: str, warning: str | None) -> None:
        """Store why a batch's deadline probably cannot be met; None if it can."""
        async with self._database.write() as change:
            statement = update(BATCHES).where(BATCHES.c.number == read_id("b", batch))
            await change.connection.execute(statement.values(deadline_warning=warning))

    # ------------------------------------------------------------------------ what clients look at
    async def batch(self, id: str) -> BatchStatus:
        """Return one batch."""
        async with self._database.read() as connection:
            return await batch_queries.find_batch(connection, id)

    async def failed_tasks(self, batch: str) -> Sequence[str]:
        """Return the ids of the tasks of a batch that have ended, are not done, and may be tried again now."""
        async with self._database.read() as connection:
            return await batch_queries.find_failed(connection, batch)

    async def batches(
        self, filters: BatchFilter = ALL_BATCHES, cursor: str | None = None, limit: int = 50
    ) -> ListPage[BatchStatus]:
        """Return a part of the list of batches, newest first. Raises BadCursor."""
        async with self._database.read() as connection:
            return await batch_queries.list_batches(connection, filters, cursor, limit)

    async def task(self, id: str) -> TaskStatus:
        """Return one task."""
        async with self._database.read() as connection:
            return await batch_queries.find_task(connection, id)

    async def tasks(
        self,
        filters: TaskFilter = ALL_TASKS,
        cursor: str | None = None,
        limit: int = 50,
        *,
        newest_first: bool = False,
    ) -> ListPage[TaskStatus]:
        """Return a part of the list of tasks, in the order of their submission or the opposite. Raises BadCursor."""
        async with self._database.read() as connection:
            return await batch_queries.list_tasks(connection, filters, cursor, limit, newest_first)

    async def task_origins(self, tasks: Collection[str]) -> Mapping[str, TaskOrigin]:
        """Return what some tasks are to do and whose they are, by their ids. Unknown tasks are left out."""
        async with self._database.read() as connection:
            return await find_origins(connection, tasks)

    async def totals(self) -> TaskTotals:
        """Return the counts over all batches."""
        async with self._database.read() as connection:
            return await batch_counts.read_totals(connection)

    async def workload_before(self, tasks: int, owner: str, priority: int) -> Workload:
        """Return how much work would stand before the end of a batch that is not stored."""
        async with self._database.read() as connection:
            return replace(await read_workload(connection, None, owner, priority), own=tasks)

    async def workload(self, batch: BatchStatus) -> Workload:
        """Return how much work stands before the end of a batch, and how long tasks take."""
        async with self._database.read() as connection:
            return await read_workload(connection, batch.id, batch.owner, batch.priority)

    # ------------------------------------------------------------------------ what the coordinator hands over
    async def not_handed_over(self, most: int, after: int = 0) -> Sequence[HandoverBatch]:
        """Return groups of tasks that the fleet does not have, oldest first, at most ``most``.

        ``after``: the number of the last group that the caller has tried already.
        Large groups are returned a few at a time. A group is returned again, with the same tasks, until
        ``mark_handed_over``.
        """
        async with self._database.read() as connection:
            if not await handovers.next_groups(connection, 1, after):
                return ()
        async with self._database.write() as change:
            groups = await handovers.next_groups(change.connection, most, after)
            return await handovers.offer_groups(change.connection, groups)

    async def mark_handed_over(self, group: str, run: str) -> None:
        """Note that the fleet has a group. ``group``: HandoverBatch.id; ``run``: the run folder that holds it."""
        async with self._database.write() as change:
            await handovers.mark_given(change.connection, group, run)

    async def standing_orders(self) -> StandingOrders:
        """Return which tasks of the fleet are paused or cancelled, so that a new fleet can be told again."""
        async with self._database.read() as connection:
            return await handovers.read_orders(connection)

    async def past_deadline(self, now: float) -> Sequence[str]:
        """Return the ids of batches that are past their deadlines and have not ended. The caller cancels them."""
        async with self._database.read() as connection:
            return await task_control.find_overdue(connection, now)

    # ------------------------------------------------------------------------ what the fleet says
    # A fleet may have tasks of others (``manyhands control add``). What it says of them counts for nothing.
    async def record_progress(self, progress: Sequence[EpisodeProgress], at: float) -> Sequence[str]:
        """Record which episodes began, and where the latest episode of each task is.

        Return the ids of the episodes whose beginnings were not known. Reports with nothing new, and those about
        unknown and ended tasks, count for nothing.
        """
        async with self._database.write() as change:
            return await task_records.store_progress(change, progress, at)

    async def running_tasks(self) -> frozenset[str]:
        """Return the ids of the tasks that were last seen running."""
        async with self._database.read() as connection:
            return frozenset(await task_records.find_running(connection))

    async def record_interruptions(self, tasks: Collection[str], at: float) -> None:
        """Record that the episodes of these tasks do not run now. The tasks wait until ``record_progress``."""
        if tasks:
            async with self._database.write() as change:
                await task_records.store_interruptions(change, tasks, at)

    async def record_results(self, results: Sequence[EpisodeResult]) -> Sequence[str]:
        """Record the one result of each task. Return the ids of the tasks that are known and had none.

        Many results are recorded in parts, so that others write in between.
        """
        ended: list[str] = []
        for start in range(0, len(results), MOST_WRITTEN):
            async with self._database.write() as change:
                ended += await task_records.store_results(change, results[start : start + MOST_WRITTEN])
        return ended
