"""Due times of intervals and cron lines, also on the days when clocks are set forward or back."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.errors import BadInput
from manyhands.service.timetables import last_time, next_times, read_timetable

CHANGES = {
    "Berlin forward": ("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)),
    "Berlin back": ("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC)),
    "New York forward": ("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC)),
    "New York back": ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
    "Lord Howe back, by half an hour": ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC)),
    "Cairo forward, at midnight": ("Africa/Cairo", datetime(2026, 4, 23, 22, tzinfo=UTC)),
    "Cairo back, at midnight": ("Africa/Cairo", datetime(2026, 10, 29, 21, tzinfo=UTC)),
    "Apia forward, by a whole day": ("Pacific/Apia", datetime(2011, 12, 30, 10, tzinfo=UTC)),
}
"""Zones, and the moments when their clocks change."""
MINUTE = 60
HALF = 30 * 3600
"""How long before and after a change we look."""


@cache
def clock_times(change: str) -> list[tuple[int, datetime]]:
    """Return what the zone's clocks show at each minute around a change."""
    zone, at = CHANGES[change]
    around = range(int(at.timestamp()) - HALF, int(at.timestamp()) + HALF, MINUTE)
    return [(moment, datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=None)) for moment in around]


def expected(change: str, minutes: set[int], hours: set[int]) -> list[int]:
    """Return the due times around a change, found by looking at each minute."""
    shown = clock_times(change)
    if hours == set(range(24)):
        return [moment for moment, clock in shown if clock.minute in minutes]
    firsts: dict[datetime, int] = {}
    for moment, clock in shown:
        firsts.setdefault(clock, moment)
    due = {moment for clock, moment in firsts.items() if clock.minute in minutes and clock.hour in hours}
    for (_, before), (moment, after) in pairwise(shown):
        left_out = range(1, int((after - before).total_seconds()) // MINUTE)
        clocks = [before + timedelta(minutes=count) for count in left_out]
        if any(clock.minute in minutes and clock.hour in hours for clock in clocks):
            due.add(moment)
    return sorted(due)


def local(change: str, line: str, *, count: int = 4) -> list[str]:
    """Return the first due times on the day of a change, as the zone's clocks show them."""
    name, at = CHANGES[change]
    zone = ZoneInfo(name)
    start = at.astimezone(zone).replace(hour=0, minute=0)
    times = next_times(read_timetable(line, name, 0), start.timestamp() - 1, count)
    return [datetime.fromtimestamp(moment, zone).strftime("%d %H:%M%z") for moment in times]


def test_a_clock_time_that_is_left_out_is_due_when_clocks_are_set_forward() -> None:
    assert local("Berlin forward", "30 2 * * *", count=2) == ["29 03:00+0200", "30 02:30+0200"]
    assert local("New York forward", "30 2 * * *", count=2) == ["08 03:00-0400", "09 02:30-0400"]
    assert local("Berlin forward", "*/20 2,3 * * *") == [
        "29 03:00+0200",
        "29 03:20+0200",
        "29 03:40+0200",
        "30 02:00+0200",
    ]


def test_a_clock_time_that_comes_twice_is_due_once() -> None:
    assert local("Berlin back", "30 2 * * *", count=2) == ["25 02:30+0200", "26 02:30+0100"]
    assert local("New York back", "30 1 * * *", count=2) == ["01 01:30-0400", "02 01:30-0500"]


def test_a_line_for_every_hour_is_due_in_both_hours_of_the_same_clock_times() -> None:
    assert local("Berlin back", "0 * * * *", count=5) == [
        "25 00:00+0200",
        "25 01:00+0200",
        "25 02:00+0200",
        "25 02:00+0100",
        "25 03:00+0100",
    ]
    assert local("New York forward", "30 * * * *", count=3) == ["08 00:30-0500", "08 01:30-0500", "08 03:30-0400"]


@given(
    st.sampled_from(sorted(CHANGES)),
    st.sets(st.integers(0, 59), min_size=1, max_size=4),
    st.one_of(st.just(set(range(24))), st.sets(st.integers(0, 23), min_size=1, max_size=5), st.just({1, 2, 3})),
    st.integers(-HALF // 2, HALF // 2),
)
def test_due_times_are_those_found_minute_by_minute(change: str, minutes: set[int], hours: set[int], ago: int) -> None:
    """They also do not depend on the moment from which the next one is looked for."""
    zone, at = CHANGES[change]
    hour = "*" if len(hours) == 24 else ",".join(map(str, sorted(hours)))
    timetable = read_timetable(f"{','.join(map(str, sorted(minutes)))} {hour} * * *", zone, 0)
    start = at.timestamp() + ago
    due = expected(change, minutes, hours)
    for moment in due[bisect_right(due, start) :]:
        found = timetable.next_after(start)
        assert found == moment
        start = found


@given(st.integers(1, 10_000), st.floats(0, 2e9), st.floats(-1e6, 1e8))
def test_an_interval_is_counted_from_its_start(minutes: int, start: float, later: float) -> None:
    timetable = read_timetable(f"every {minutes}m", "UTC", start)
    due = timetable.next_after(start + later)
    assert due is not None
    assert due > start + later
    assert (due - int(start)) % (minutes * 60) == 0
    assert due - minutes * 60 <= max(start + later, int(start))


@given(
    st.sampled_from(["every 7m", "* * * * *", "30 2 * * *", "0 0 1 * *", "0 12 29 2 *", "15 * 25 10 *"]),
    st.floats(1.7e9, 1.9e9),
    st.floats(0, 4e7),
)
def test_the_last_time_is_followed_by_none_until_then(when: str, after: float, seconds: float) -> None:
    timetable = read_timetable(when, "Europe/Berlin", 0)
    last = last_time(timetable, after, after + seconds)
    following = timetable.next_after(after if last is None else last)
    assert last is None or after < last <= after + seconds
    assert following is None or following > after + seconds


def test_a_repeated_hour_at_midnight_is_not_passed_over() -> None:
    """The day that a line names ends twice; the next day that it names is a year later."""
    assert local("Cairo back, at midnight", "59 * 29 10 *", count=25)[-2:] == ["29 23:59+0300", "29 23:59+0200"]


@pytest.mark.parametrize(
    ("when", "zone", "says"),
    [
        ("0 25 * * *", "UTC", "bad hour"),
        ("0 0 31 2 *", "UTC", "bad day-of-month"),
        ("x * * * *", "UTC", "bad minute"),
        ("0 2 * * *", "Europe/Berlim", "did you mean 'Europe/Berlin'"),
        ("0 2 * * *", "../etc/passwd", "no time zone"),
        ("0 2 * * *", "", "no time zone"),
    ],
)
def test_wrong_lines_and_zones_are_refused_with_the_reason(when: str, zone: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_timetable(when, zone, 0)
