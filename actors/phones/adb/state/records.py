"""Read what the phone's content providers hold: contacts, SMS, the log of calls, and the events of calendars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from manyhands.actors.phones.adb.state.answers import Ask
from manyhands.actors.phones.adb.state.content import ContentTable, read_rows

_CONTACTS = ContentTable("content://com.android.contacts/data/phones", ("data1", "display_name"))
"""One row for each number of each contact; ``data1`` is the number as it was typed."""
_ENOUGH_DIGITS = 9
"""Two numbers count as the same if so many last digits are the same, as with and without the country code."""


async def read_contacts(ask: Ask) -> list[dict[str, str]]:
    """Return an entry with ``name`` and ``number`` for each number of each contact.

    Raises StateUnavailable, PhoneLost.
    """
    return [{"name": row["display_name"], "number": row["data1"]} for row in await read_rows(_CONTACTS, ask)]


def find_contact(number: str, contacts: Sequence[dict[str, str]]) -> str | None:
    """Return the name of the first contact with ``number``; None if no contact has it, or if ``number`` is
    no telephone number.
    """
    return next((contact["name"] for contact in contacts if is_same_number(contact["number"], number)), None)


def is_same_number(one: str, other: str) -> bool:
    """Return whether two texts are the same telephone number. Their forms may differ."""
    digits, others = _digits(one), _digits(other)
    if not digits or not others:
        return False
    enough = min(len(digits), len(others)) >= _ENOUGH_DIGITS
    return digits == others or (enough and digits[-_ENOUGH_DIGITS:] == others[-_ENOUGH_DIGITS:])


def _digits(number: str) -> str:
    """Return the digits of a number; an empty text if it holds letters."""
    if any(character.isalpha() for character in number):
        return ""
    return "".join(str(int(character)) for character in number if character.isdecimal())


_SMS = ContentTable("content://sms", ("date", "type", "read", "address", "body"))
_BOXES = {"1": "inbox", "2": "sent", "3": "draft", "4": "outbox", "5": "failed", "6": "outbox"}
"""The boxes, by Android's numbers; 6 is a message that waits to be sent. Android shows a shell only received and sent
messages. Some phones show a shell the other boxes too."""


async def read_sms(ask: Ask) -> list[dict[str, Any]]:
    """Return a list of messages in the order in which the phone stored them. Raises StateUnavailable, PhoneLost.

    Each has ``address``, ``contact`` (None if no contact has the address), ``body``, ``box``, ``read`` (a boolean) and
    ``at`` (ISO 8601 in UTC; None if the phone has no time).
    """
    rows = await read_rows(_SMS, ask)
    contacts = await read_contacts(ask) if rows else []
    return [
        {
            "address": row["address"],
            "contact": find_contact(row["address"], contacts),
            "body": row["body"],
            "box": _BOXES.get(row["type"], "other"),
            "read": row["read"] == "1",
            "at": _utc(row["date"]),
        }
        for row in rows
    ]


def _utc(milliseconds: str) -> str | None:
    """Return a time in ISO 8601 with seconds, such as 2026-11-26T15:00:00Z."""
    try:
        return f"{datetime.fromtimestamp(int(milliseconds) // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        return None


_CALLS = ContentTable("content://call_log/calls", ("type", "duration", "number"))
_KINDS = {
    "1": "incoming",
    "2": "outgoing",
    "3": "missed",
    "4": "voicemail",
    "5": "rejected",
    "6": "blocked",
    "7": "answered elsewhere",
}
"""The kinds of calls, by Android's numbers."""


async def read_calls(ask: Ask) -> list[dict[str, Any]]:
    """Return the calls, each with ``number``, ``contact`` (None if there is none), ``kind`` and ``seconds``.

    Raises StateUnavailable, PhoneLost.
    """
    rows = await read_rows(_CALLS, ask)
    contacts = await read_contacts(ask) if rows else []
    return [
        {
            "number": row["number"],
            "contact": find_contact(row["number"], contacts),
            "kind": _KINDS.get(row["type"], "other"),
            "seconds": int(row["duration"]) if row["duration"].isdecimal() else 0,
        }
        for row in rows
    ]


_EVENTS = ContentTable(
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
    rows = await read_rows(_EVENTS, ask)
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
    match = _DURATION.fullmatch(row["duration"])
    if match is None or not row["dtstart"].lstrip("-").isdecimal():
        return ""
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
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
