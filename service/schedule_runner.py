"""Submit the batches of schedules when they are due, each once, and decide what becomes of due times that have passed.

A due time is first put into the schedule's queue, in the database. Then its batch is submitted with a key that is made
of the schedule and the due time. Then it is taken out of the queue. A process that dies in between finds the due time
in the queue when it starts again, and the same key gives it the batch that it had submitted.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile

from manyhands.actors.clock import Clock
from manyhands.protocol.errors import BadInput, CallError, KeyReused, ManyhandsError, StoreError, UnknownItem
from manyhands.protocol.service.batches import BatchPhase, BatchRequest
from manyhands.protocol.service.schedules import (
    MissedRule,
    MissedTimes,
    MissReason,
    OverlapRule,
    QueuedTime,
    ScheduleRequest,
    ScheduleStatus,
    ScheduleTimes,
    check_when,
)
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.fleet_control import FleetControl
from manyhands.service.recurring_work import RecurringWork
from manyhands.service.timetables import Timetable, due_times, last_time, next_times, read_timetable

GRACE_S = 60.0
"""How late a due time may be taken up and still count as on time."""
MOST_COUNTED = 1000
"""Up to how many due times of one outage are counted."""
MOST_QUEUED = 100
"""How many due times of a schedule can wait for the last batch to end."""


@dataclass(frozen=True, slots=True)
class Agenda:
    """Hold what becomes of the due times up to a moment."""

    settled_until: float
    queued: tuple[QueuedTime, ...]
    """The new queue: due times whose batches are to be submitted, now or after the last batch."""
    missed: tuple[MissedTimes, ...]
    """Due times that pass without a batch."""


def plan_agenda(schedule: ScheduleStatus, timetable: Timetable, now: float, is_busy: bool) -> Agenda | None:
    """Return what becomes of the due times since the schedule was last looked at; None if there are none.

    At most one of them, the last, gets a batch. The others are missed: they came while nobody looked. ``is_busy`` says
    whether the last submitted batch has not ended.
    """
    last = last_time(timetable, schedule.settled_until, now)
    if last is None:
        return None
    is_on_time = last >= now - GRACE_S
    fires = is_on_time or schedule.missed is MissedRule.ONCE
    missed = _count_missed(schedule, timetable, last, is_last_missed=not fires)
    if not fires:
        return Agenda(last, schedule.queued, missed)
    entry = QueuedTime(due=last, taken_at=last if is_on_time else now)
    queued, overlapped = _join_queue(schedule, entry, is_busy)
    return Agenda(last, queued, missed + overlapped)


def batch_of(schedule: ScheduleStatus, entry: QueuedTime) -> BatchRequest:
    """Return what to submit for a due time. It is the same each time, so that it can be submitted once only."""
    return schedule.batch.model_copy(update={"deadline": deadline_of(schedule, entry)})


def deadline_of(schedule: ScheduleStatus, entry: QueuedTime) -> float | None:
    """Return when the batch of a due time must have ended; None if it has no deadline."""
    return None if schedule.deadline_s is None else entry.taken_at + schedule.deadline_s


def key_of(schedule: str, due: float) -> str:
    """Return the idempotency key of a due time. Under one key, at most one batch is stored."""
    return f"schedule {schedule} due {due:.0f}"


def missed_time(schedule: str, due: float, reason: MissReason) -> MissedTimes:
    """Return the record of one due time that passes without a batch."""
    return MissedTimes(schedule=schedule, first=due, last=due, count=1, reason=reason)


def _count_missed(
    schedule: ScheduleStatus, timetable: Timetable, last: float, is_last_missed: bool
) -> tuple[MissedTimes, ...]:
    """Return the record of the due times before ``last``, and of ``last`` too if it is missed."""
    times = due_times(timetable, schedule.settled_until)
    passed = takewhile(lambda at: at < last or (is_last_missed and at == last), times)
    counted = list(islice(passed, MOST_COUNTED))
    if not counted:
        return ()
    end = last if is_last_missed else counted[-1]
    return (
        MissedTimes(schedule=schedule.id, first=counted[0], last=end, count=len(counted), reason=MissReason.OUTAGE),
    )


def _join_queue(
    schedule: ScheduleStatus, entry: QueuedTime, is_busy: bool
) -> tuple[tuple[QueuedTime, ...], tuple[MissedTimes, ...]]:
    """Return the queue with a due time in it, and what is missed because of the rule for overlaps."""
    queue = schedule.queued
    match schedule.overlap:
        case OverlapRule.SKIP if is_busy or queue:
            return queue, (missed_time(schedule.id, entry.due, MissReason.OVERLAP),)
        case OverlapRule.QUEUE if len(queue) >= MOST_QUEUED:
            return queue, (missed_time(schedule.id, entry.due, MissReason.QUEUE_FULL),)
        case OverlapRule.CANCEL_OLD:
            return (entry,), tuple(missed_time(schedule.id, old.due, MissReason.REPLACED) for old in queue)
        case _:
            return (*queue, entry), ()


log = logging.getLogger(__name__)
_timetable = lru_cache(maxsize=1024)(read_timetable)
MOST_NEXT_TIMES = 5
"""How many next due times a schedule shows."""


class ScheduleRunner:
    """Run the schedules of a service."""

    def __init__(
        self,
        store: ScheduleRepository,
        batches: BatchRepository,
        fleet: FleetControl,
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
