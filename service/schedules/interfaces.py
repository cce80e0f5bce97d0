"""Declare what schedules need of the database. ``ScheduleRepository`` and ``BatchRepository`` provide it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import BatchRequest, BatchStatus
from manyhands.protocol.service.schedules import MissedTimes, QueuedTime, ScheduleRequest, ScheduleStatus


class ScheduleStore(Protocol):
    """Keep schedules. Each method is one transaction, with the events that it appends.

    A ScheduleStatus of the store has no ``next_times``, because the store knows no calendar. A removed schedule is
    unknown. Unknown ids raise the error that the database has for them.
    """

    async def make(self, request: ScheduleRequest, owner: str, at: float) -> ScheduleStatus:
        """Keep a new schedule. ``created_at``, ``counted_from`` and ``settled_until`` are ``at``."""
        ...

    async def change(self, schedule: str, request: ScheduleRequest, at: float) -> ScheduleStatus:
        """Replace what a schedule asks for.

        If ``when`` or ``zone`` change, ``counted_from`` and ``settled_until`` become ``at``. If a pause ends,
        ``settled_until`` becomes ``at``.
        """
        ...

    async def set_paused(self, schedule: str, paused: bool, at: float) -> ScheduleStatus:
        """Pause or resume a schedule. If a pause ends, ``settled_until`` becomes ``at``."""
        ...

    async def remove(self, schedule: str, at: float) -> None:
        """Remove a schedule. Its batches remain."""
        ...

    async def schedule(self, schedule: str) -> ScheduleStatus:
        """Return one schedule."""
        ...

    async def schedules(self, cursor: str | None, limit: int) -> ListPage[ScheduleStatus]:
        """Return a part of the list of schedules, oldest first."""
        ...

    async def active(self) -> Sequence[ScheduleStatus]:
        """Return all schedules that are not paused, oldest first."""
        ...

    async def take_up(
        self,
        expected: ScheduleStatus,
        settled_until: float,
        queued: Sequence[QueuedTime],
        missed: Sequence[MissedTimes],
        at: float,
    ) -> bool:
        """Store that the due times up to ``settled_until`` are queued or missed.

        Replaces the queue, adds the counts of ``missed`` to ``skipped``, and appends an event ``schedule.missed`` for
        each of them. Does nothing and returns False unless the schedule still has the ``when``, ``zone``, ``paused``
        and ``settled_until`` of ``seen``.
        """
        ...

    async def note_submitted(self, schedule: str, queued: QueuedTime, batch: str | None, at: float) -> None:
        """Store that the batch of a due time was submitted.

        Takes the due time out of the queue, sets ``last_due`` and ``last_batch`` (unless ``batch`` is None), adds 1 to
        ``submitted``, forgets the problem, and appends an event ``schedule.fired`` with the batch. Does nothing if the
        due time is not in the queue.
        """
        ...

    async def note_dropped(self, queued: QueuedTime, missed: MissedTimes, problem: str | None, at: float) -> None:
        """Take a due time out of the queue, and record it as missed. ``problem``: what the schedule shows then."""
        ...

    async def note_problem(self, schedule: str, problem: str | None) -> None:
        """Store why the batch that is due cannot be submitted now."""
        ...


class BatchSubmission(Protocol):
    """Submit batches, and tell how they are."""

    async def accept(
        self, request: BatchRequest, owner: str, key: str | None, at: float, schedule: str | None = None
    ) -> tuple[BatchStatus, bool]:
        """Store a batch, or return the one that was stored with the same key before."""
        ...

    async def batch(self, batch: str, /) -> BatchStatus:
        """Return one batch."""
        ...

    async def cancel(self, batches: Sequence[str], at: float, reason: str, /) -> Sequence[str]:
        """Cancel batches. Return the ids of the tasks that waited or ran."""
        ...


class TaskCancellation(Protocol):
    """Let the fleet end tasks. FleetControl provides it."""

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        """End these tasks. Raises CallError if the fleet does not answer."""
        ...
