"""Calculate the due times of an interval or a cron line in a time zone. Nothing here waits or asks for the time.

Cron lines mean clock times of a zone. Where clocks are set forward or back:

- a line that names hours (``30 2 * * *``) is due once for each clock time that it names: at the first of two moments
  with the same clock time, and for clock times that are left out, once at the moment when clocks are set forward;
- a line for every hour (``*/15 * * * *``) is due in each hour that passes, so also in both hours that show the same
  clock times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from math import floor
from typing import Protocol
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.schedules import parse_interval
from manyhands.protocol.utilities.validation_words import suggest

_EPOCH = datetime(1970, 1, 1)
DAY_S = 86400


class ZoneTimes:
    """Convert between moments (Unix seconds) and what the clocks of one zone show (datetimes without a zone)."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone

    def offset_s(self, at: float) -> float:
        """Return by how many seconds the zone's clocks are ahead of UTC at a moment."""
        offset = datetime.fromtimestamp(at, UTC).astimezone(self._zone).utcoffset()
        return 0.0 if offset is None else offset.total_seconds()

    def shown_at(self, at: float) -> datetime:
        """Return what the clocks show at a moment."""
        return _EPOCH + timedelta(seconds=at + self.offset_s(at))

    def first_moment(self, local_time: datetime) -> float:
        """Return the first moment at which the clocks show a time.

        If they never show it, because they were set forward over it, return the moment when they were set forward.
        """
        late, early = (self._moment(local_time, fold) for fold in (0, 1))
        if self.shown_at(late) == local_time:
            return late  # with fold 0 it is the first of two
        # In a gap, the offset of before gives a moment after the change, and that of afterwards a moment before it.
        return self._first_with_other_offset(early, late)

    def change_within(self, after: float, seconds: float) -> float | None:
        """Return the moment, at most ``seconds`` after ``after``, when the offset changed; None if it did not.

        Two changes that undo each other within this time are not seen.
        """
        if self.offset_s(after) == self.offset_s(after + seconds):
            return None
        return self._first_with_other_offset(after, after + seconds)

    def _moment(self, local_time: datetime, fold: int) -> float:
        return local_time.replace(tzinfo=self._zone, fold=fold).timestamp()

    def _first_with_other_offset(self, before: float, after: float) -> float:
        """Search between two moments with different offsets. Changes happen at whole seconds."""
        offset = self.offset_s(before)
        return _first_integer(lambda at: self.offset_s(at) != offset, int(before), int(after) + 1)


@lru_cache(maxsize=256)
def load_zone(name: str) -> ZoneTimes:
    """Return the time zone of an IANA name. Raises BadInput for an unknown name, with the nearest known one."""
    if name not in available_timezones():
        hint = suggest(name, available_timezones()) or "; write an IANA name such as Europe/Berlin"
        raise BadInput(f"zone: there is no time zone {name!r}{hint}")
    return ZoneTimes(ZoneInfo(name))


def _first_integer(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first integer after ``low`` for which ``holds`` is true, by bisection. It is true for ``high``."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


_WINDOWS_S = (3600, DAY_S, 8 * DAY_S, 32 * DAY_S, 367 * DAY_S, 8 * 366 * DAY_S)
"""How far back the last due time is looked for, in turn: lines that are often due have one in the first window."""


class Timetable(Protocol):
    """Tell when a schedule is due, in Unix seconds."""

    def next_after(self, at: float) -> float | None:
        """Return the first due time after a moment; None if there is none in the next decades."""
        ...


class IntervalTimetable:
    """Tell the due times of an interval, counted from a moment."""

    def __init__(self, seconds: int, counted_from: float) -> None:
        self._seconds = seconds
        self._start = floor(counted_from)

    def next_after(self, at: float) -> float:
        """Return the first due time after a moment. The start itself is no due time."""
        return self._start + (max(0, floor((at - self._start) / self._seconds)) + 1) * self._seconds


class CronTimetable:
    """Tell the due times of a cron line, in a time zone."""

    def __init__(self, line: str, zone: ZoneTimes) -> None:
        """Raise BadInput if a field of the line is wrong, or if no day fits the line."""
        self._line = line
        self._zone = zone
        try:
            first = CronSim(line, datetime(2000, 1, 1))
        except CronSimError as error:
            raise BadInput(f"when: {line!r} is no cron line: {str(error).lower()}") from error
        self._every_hour = first.hours == set(range(24))
        if next(first, None) is None:
            raise BadInput(f"when: {line!r} fits no day of the calendar")

    def next_after(self, at: float) -> float | None:
        """Return the first due time after a moment; None if there is none in the next 50 years."""
        return self._next_hourly(at) if self._every_hour else self._next_of_named_hours(at)

    def _next_of_named_hours(self, at: float) -> float | None:
        for local_time in CronSim(self._line, self._zone.shown_at(at)):
            moment = self._zone.first_moment(local_time)
            if moment > at:
                return moment
        return None

    def _next_hourly(self, at: float) -> float | None:
        """Go forward between changes of the offset: there, clocks and moments advance alike."""
        start, is_itself_due = at, False
        while True:
            clock = self._zone.shown_at(start)
            local_time = next(CronSim(self._line, clock - timedelta(seconds=is_itself_due)), None)
            if local_time is None:
                return None
            change = self._zone.change_within(start, DAY_S)
            moment = start + (local_time - clock).total_seconds()
            if change is not None and moment >= change:
                start, is_itself_due = change, True
            elif moment - start > DAY_S:
                start, is_itself_due = self._zone.first_moment(local_time) - DAY_S / 2, False
            else:
                return float(round(moment))


def read_timetable(when: str, zone: str, counted_from: float) -> Timetable:
    """Return the timetable of a schedule. Raises BadInput if the cron line or the zone is wrong."""
    seconds = parse_interval(when)
    return IntervalTimetable(seconds, counted_from) if seconds else CronTimetable(when, load_zone(zone))


def due_times(timetable: Timetable, after: float) -> Iterator[float]:
    """Give the due times after a moment, earliest first, without end for most timetables."""
    at = timetable.next_after(after)
    while at is not None:
        yield at
        at = timetable.next_after(at)


def next_times(timetable: Timetable, after: float, most: int) -> tuple[float, ...]:
    """Return the next due times after a moment, earliest first."""
    return tuple(islice(due_times(timetable, after), most))


def last_time(timetable: Timetable, after: float, until: float) -> float | None:
    """Return the last due time after ``after`` that is not later than ``until``; None if there is none."""
    for window in (*_WINDOWS_S, until - after):
        last = None
        for at in due_times(timetable, max(after, until - window)):
            if at > until:
                break
            last = at
        if last is not None or until - window <= after:
            return last
    return None
