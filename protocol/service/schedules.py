"""Define schedules: batches that the service submits again and again, at an interval or at times of the calendar."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.instants import Instant

_INTERVAL = re.compile(r"^every\s+(?P<number>[1-9][0-9]{0,4})\s*(?P<unit>[mhd])$", re.IGNORECASE)
_UNITS = {"m": 60, "h": 3600, "d": 86400}
_LONGEST_S = 366 * 86400
HELP = "write 'every 15m' (m, h or d), or a cron line of five fields: minute hour day month weekday"


def parse_interval(when: str) -> int | None:
    """Return the seconds of ``every 15m``; None for any other text. Raises ValueError if the interval is too long."""
    match = _INTERVAL.match(when.strip())
    if match is None:
        return None
    seconds = int(match["number"]) * _UNITS[match["unit"].lower()]
    if seconds > _LONGEST_S:
        raise ValueError(f"{when!r} is longer than a year: write a cron line")
    return seconds


def check_when(when: str) -> str:
    """Check the form of ``when``. The service checks the fields of a cron line, because it has a library for them."""
    if parse_interval(when) is None and len(when.split()) != 5:
        raise ValueError(f"{when!r} names no times: {HELP}")
    return when.strip()


When = Annotated[str, Field(max_length=200), AfterValidator(check_when)]
"""When a schedule is due."""


class MissedRule(StrEnum):
    """List what can become of due times that the service takes up more than a minute late."""

    ONCE = "once"
    """Submit one batch for all due times that were missed in a row."""
    SKIP = "skip"
    """Submit no batch for them."""


class OverlapRule(StrEnum):
    """List what can become of a due time at which the schedule's last batch has not ended."""

    SKIP = "skip"
    """Submit no batch for it."""
    QUEUE = "queue"
    """Submit the batch as soon as the last one has ended."""
    CANCEL_OLD = "cancel_old"
    """Cancel the last batch, and submit the next at once."""


class ScheduleRequest(ServiceRequest):
    """Make a schedule, or replace what an existing one asks for."""

    name: str = Field(min_length=1, max_length=200)
    """A name for people."""
    when: When
    """When to submit: ``every 15m`` (or ``h``, ``d``), or a cron line such as ``0 2 * * MON-FRI``.

    The shortest interval is a minute. Intervals are counted from the schedule's creation, or from the last change of
    ``when`` or ``zone``.
    """
    zone: str = Field(default="UTC", min_length=1, max_length=64)
    """The time zone of the cron line, by its IANA name, for example ``Europe/Berlin``. Intervals need none."""
    batch: BatchRequest
    """What to submit. It has no deadline of its own; see ``deadline_s``."""
    deadline_s: float | None = Field(default=None, gt=0)
    """How many seconds after it is due each batch must have ended; None for no deadline.

    If the service takes up a due time late, the seconds count from the moment when it does so.
    """
    missed: MissedRule = MissedRule.ONCE
    """What becomes of due times that were missed."""
    overlap: OverlapRule = OverlapRule.SKIP
    """What becomes of a due time at which the last batch has not ended."""
    paused: bool = False
    """Whether the schedule submits nothing for now. Due times of a pause are neither submitted later nor missed."""

    @model_validator(mode="after")
    def _refuse_a_fixed_deadline(self) -> ScheduleRequest:
        if self.batch.deadline is not None:
            raise ValueError("batch.deadline is one moment, which later batches would miss: use deadline_s instead")
        return self


class ScheduleTimes(ServiceAnswer):
    """Tell when a schedule would submit, before it is made."""

    next_times: tuple[Instant, ...] = ()
    """Its next due times, in Unix seconds, earliest first."""
    problem: str | None = None
    """Why its interval, cron line or time zone names no times; None if it names some."""


class MissReason(StrEnum):
    """List why a due time passed without a batch."""

    OUTAGE = "outage"
    """The service was down, or too busy, for more than a minute."""
    OVERLAP = "overlap"
    """The last batch had not ended, and ``overlap`` is ``skip``."""
    QUEUE_FULL = "queue_full"
    """Too many due times waited for the last batch to end."""
    REPLACED = "replaced"
    """A later due time came before the batch was submitted, and ``overlap`` is ``cancel_old``."""
    DEADLINE = "deadline"
    """The deadline had passed before the batch could be submitted."""
    REFUSED = "refused"
    """The service does not accept the batch. ``problem`` of the schedule says why."""


class MissedTimes(ServiceAnswer):
    """Tell of due times that passed without a batch. It is the data of an event ``schedule.missed``."""

    schedule: str
    """The id of the schedule."""
    first: Instant
    """The first of these due times, in Unix seconds."""
    last: Instant
    """The last of them, in Unix seconds."""
    count: int
    """How many due times passed. Counting stops at 1,000."""
    reason: MissReason
    """Why they passed without a batch."""


class FiredTime(ServiceAnswer):
    """Tell of a due time whose batch was submitted. It is the data of an event ``schedule.fired``."""

    schedule: str
    """The id of the schedule."""
    due: Instant
    """The due time, in Unix seconds."""


class QueuedTime(ServiceAnswer):
    """Hold a due time whose batch is not submitted yet."""

    due: Instant
    """The due time, in Unix seconds."""
    taken_at: Instant
    """When the service took it up, in Unix seconds: at the due time, or later if the service was late."""


class ScheduleStatus(ServiceAnswer):
    """Show a schedule."""

    id: str
    """The id of the schedule, for example ``s3``."""
    owner: str
    """Who made it. Its batches belong to this owner."""
    name: str
    """Its name for people."""
    when: str
    """When it submits: an interval or a cron line."""
    zone: str
    """The time zone of its cron line."""
    batch: BatchRequest
    """What it submits."""
    deadline_s: float | None
    """How many seconds after it is due each batch must have ended; None for no deadline."""
    missed: MissedRule
    """What becomes of due times that were missed."""
    overlap: OverlapRule
    """What becomes of a due time at which the last batch has not ended."""
    paused: bool
    """Whether it submits nothing for now."""
    created_at: Instant
    """When it was made, in Unix seconds."""
    counted_from: Instant
    """The moment from which its interval is counted, in Unix seconds: its creation, or the last change of times."""
    next_times: tuple[Instant, ...] = ()
    """Its next due times, in Unix seconds, earliest first; empty while it is paused."""
    settled_until: Instant
    """Up to this moment, in Unix seconds, all due times are submitted, queued or missed."""
    queued: tuple[QueuedTime, ...] = ()
    """Due times whose batches are not submitted yet, most often because the last batch has not ended."""
    last_due: Instant | None = None
    """The due time of the last submitted batch, in Unix seconds; None before the first."""
    last_batch: str | None = None
    """The id of the last submitted batch; None before the first."""
    submitted: int = 0
    """How many batches it has submitted."""
    skipped: int = 0
    """How many due times passed without a batch: missed ones and overlaps. Up to 1,000 are counted for each outage."""
    problem: str | None = None
    """Why the service could not submit the batch that is due, in one sentence; None if all went well."""
