"""Read the events of the phone's calendars."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from manyhands.actors.phones.adb.state.answers import Ask
from manyhands.actors.phones.adb.state.content import ContentTable, read_rows

_TABLE = ContentTable(
    "content://com.android.calendar/events",
    ("dtstart", "dtend", "duration", "allDay", "deleted", "eventTimezone", "title", "eventLocation", "description"),
)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")
"""The duration of an event that repeats, for which the phone stores no end: RFC 2445, and Android's ``P3600S``."""


async def read_calendar(ask: Ask) -> list[dict[str, Any]]:
    """Return the events, each with ``title``, ``location``, ``description``, ``begin`` and ``end``.

    Times are in ISO 8601 in the event's own zone. An event of whole days has dates; its end is the day after its last
    day, as the phone stores it. For an event that repeats, the times are those of the first occurrence. Raises
    StateUnavailable, PhoneLost.
    """
    rows = await read_rows(_TABLE, ask)
    return [
        {
            "title": row["title"],
            "location": row["eventLocation"],
            "description": row["description"],
            "begin": _moment(row["dtstart"], row),
            "end": _moment(row["dtend"] or _first_end(row), row),
        }
        for row in rows
        if row["deleted"] != "1"
    ]


def _first_end(row: dict[str, str]) -> str:
    """Return when the first occurrence of a repeating event ends, in milliseconds; "" if the phone does not say."""
    found = _DURATION.fullmatch(row["duration"])
    if found is None or not row["dtstart"].lstrip("-").isdecimal():
        return ""
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    lasts = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return str(int(row["dtstart"]) + round(lasts.total_seconds() * 1000))


def _moment(milliseconds: str, row: dict[str, str]) -> str | None:
    try:
        if row["allDay"] == "1":
            return datetime.fromtimestamp(int(milliseconds) // 1000, UTC).date().isoformat()
        return datetime.fromtimestamp(int(milliseconds) // 1000, _zone(row["eventTimezone"])).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _zone(name: str) -> tzinfo:
    """Return a time zone by its name; UTC for one that this machine does not know."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return UTC
