"""Submit the batches of schedules when they are due, each once.

A due time is first put into the schedule's queue, in the database. Then its batch is submitted with a key that is made
of the schedule and the due time. Then it is taken out of the queue. A process that dies in between finds the due time
in the queue when it starts again, and the same key gives it the batch that it had submitted.
"""

from __future__ import annotations

import logging
from functools import lru_cache

from manyhands.actors.clock import Clock
from manyhands.protocol.errors import BadInput, CallError, KeyReused, ManyhandsError, StoreError, UnknownItem
from manyhands.protocol.service.batches import BatchPhase
from manyhands.protocol.service.schedules import (
    MissReason,
    OverlapRule,
    QueuedTime,
    ScheduleRequest,
    ScheduleStatus,
    ScheduleTimes,
    check_when,
)
from manyhands.service.recurring_work import RecurringWork
from manyhands.service.schedules.agenda import batch_of, deadline_of, key_of, missed_time, plan_agenda
from manyhands.service.schedules.interfaces import BatchSubmission, ScheduleStore, TaskCancellation
from manyhands.service.schedules.timetables import next_times, read_timetable

log = logging.getLogger(__name__)
_timetable = lru_cache(maxsize=1024)(read_timetable)
MOST_NEXT_TIMES = 5
"""How many next due times a schedule shows."""


class ScheduleRunner:
    """Run the schedules of a service."""

    def __init__(
        self,
        store: ScheduleStore,
        batches: BatchSubmission,
        fleet: TaskCancellation,
        clock: Clock,
        longest_wait_s: float = 30.0,
        poll_s: float = 5.0,
    ) -> None:
        """Look each ``poll_s`` whether the last batch has ended, while a due time waits for that."""
        self._store = store
        self._batches = batches
        self._fleet = fleet
        self._clock = clock
        self._poll_s = poll_s
        self._work = RecurringWork("schedules", self.submit_due, clock, longest_wait_s, poll_s)

    async def run(self) -> None:
        """Submit what is due, until cancelled."""
        await self._work.run()

    def wake(self) -> None:
        """Look at once: a schedule was made or changed, or a batch has ended."""
        self._work.wake()

    async def submit_due(self) -> float:
        """Submit the batches that are due now. Return when to look again, in Unix seconds."""
        looks = [await self._advance(schedule) for schedule in await self._store.active()]
        return min((at for at in looks if at is not None), default=float("inf"))

    async def _advance(self, schedule: ScheduleStatus) -> float | None:
        """Deal with one schedule. Return when to look at it again; None for no certain time.

        Its failure holds up no other.
        """
        now = self._clock.now()
        try:
            timetable = _timetable(schedule.when, schedule.zone, schedule.counted_from)
            due = timetable.next_after(schedule.settled_until)
            if due is not None and due <= now:
                updated = await self._take_up(schedule, now)
                if updated is None:
                    return now + self._poll_s
                schedule = updated
            is_waiting = bool(schedule.queued) and await self._submit_queue(schedule)
            due = timetable.next_after(schedule.settled_until)
        except UnknownItem:
            return None  # it was removed meanwhile
        except StoreError:
            raise  # no schedule gets on without the database
        except ManyhandsError as error:
            log.warning("schedule %s: %s", schedule.id, error)
            await self._store.note_problem(schedule.id, str(error))
            return None if isinstance(error, BadInput) else now + self._poll_s
        return now + self._poll_s if is_waiting else due

    async def _take_up(self, schedule: ScheduleStatus, now: float) -> ScheduleStatus | None:
        """Store what becomes of the due times that have come. Return None if the schedule was changed meanwhile."""
        timetable = _timetable(schedule.when, schedule.zone, schedule.counted_from)
        agenda = plan_agenda(schedule, timetable, now, await self._is_open(schedule.last_batch))
        if agenda is None:
            return schedule
        if not await self._store.take_up(schedule, agenda.settled_until, agenda.queued, agenda.missed, now):
            return None
        return schedule.model_copy(update={"settled_until": agenda.settled_until, "queued": agenda.queued})

    async def _submit_queue(self, schedule: ScheduleStatus) -> bool:
        """Submit the batches of the queue in turn. Return whether some wait for the last batch to end."""
        last = schedule.last_batch
        for entry in schedule.queued:
            now = self._clock.now()
            deadline = deadline_of(schedule, entry)
            if deadline is not None and deadline <= now:
                await self._drop(schedule, entry, MissReason.DEADLINE, None)
                continue
            if last is not None and await self._is_open(last):
                if schedule.overlap is not OverlapRule.CANCEL_OLD:
                    return True
                await self._cancel(last, schedule)
            last = await self._submit(schedule, entry) or last
        return False

    async def _submit(self, schedule: ScheduleStatus, entry: QueuedTime) -> str | None:
        """Submit the batch of one due time, or find that it was submitted. Return its id, if it is known."""
        now, key = self._clock.now(), key_of(schedule.id, entry.due)
        batch: str | None = None
        try:
            status, _ = await self._batches.accept(batch_of(schedule, entry), schedule.owner, key, now, schedule.id)
            batch = status.id
        except KeyReused:
            log.info("schedule %s: its batch of %.0f was submitted before it was changed", schedule.id, entry.due)
        except BadInput as error:
            await self._drop(schedule, entry, MissReason.REFUSED, f"the batch was refused: {error}")
            return None
        await self._store.note_submitted(schedule.id, entry, batch, now)
        return batch

    async def _drop(self, schedule: ScheduleStatus, entry: QueuedTime, reason: MissReason, problem: str | None) -> None:
        missed = missed_time(schedule.id, entry.due, reason)
        await self._store.note_dropped(entry, missed, problem, self._clock.now())

    async def _cancel(self, batch: str, schedule: ScheduleStatus) -> None:
        reason = f"schedule {schedule.id} submitted its next batch"
        tasks = await self._batches.cancel((batch,), self._clock.now(), reason)
        try:
            await self._fleet.cancel(tasks, reason)
        except CallError as error:
            # The database has the cancellation, and the fleet is told again of it when the service starts.
            log.warning("schedule %s: the fleet did not hear that %s is cancelled: %s", schedule.id, batch, error)

    async def _is_open(self, batch: str | None) -> bool:
        if batch is None:
            return False
        try:
            return (await self._batches.batch(batch)).phase in (BatchPhase.OPEN, BatchPhase.PAUSED)
        except UnknownItem:
            return False


def check_times(request: ScheduleRequest) -> None:
    """Raise BadInput if the cron line or the time zone of a request is wrong."""
    read_timetable(request.when, request.zone, 0.0)


def foresee_times(when: str, zone: str, now: float) -> ScheduleTimes:
    """Return the times of a schedule that would be made now, or why it has none."""
    try:
        return ScheduleTimes(next_times=next_times(read_timetable(check_when(when), zone, now), now, MOST_NEXT_TIMES))
    except (BadInput, ValueError) as error:
        return ScheduleTimes(problem=str(error))


def with_next_times(schedule: ScheduleStatus, now: float, most: int = MOST_NEXT_TIMES) -> ScheduleStatus:
    """Return a schedule with its next due times filled in. A paused one has none.

    If its times cannot be read any more, for example because a time zone was given up, its problem says so.
    """
    if schedule.paused:
        return schedule
    try:
        timetable = _timetable(schedule.when, schedule.zone, schedule.counted_from)
    except BadInput as error:
        return schedule.model_copy(update={"problem": str(error)})
    times = next_times(timetable, max(now, schedule.settled_until), most)
    return schedule.model_copy(update={"next_times": times})
