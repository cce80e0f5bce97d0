"""Decide what becomes of the due times that have come: submitted, queued or missed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, takewhile

from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.schedules import (
    MissedRule,
    MissedTimes,
    MissReason,
    OverlapRule,
    QueuedTime,
    ScheduleStatus,
)
from manyhands.service.schedules.timetables import Timetable, due_times, last_time

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
