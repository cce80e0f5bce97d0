"""Read what the phone's content providers hold: contacts, SMS, the log of calls, and the events of calendars.

``content query`` quotes nothing: a row is ``Row: 0 _id=7, number=..., body=...``. A text in it may hold line breaks and
may look like further rows. So this module first queries the ids alone, which are numbers. The rows that it reads then
must have exactly these ids in this order. Otherwise it cannot tell rows from texts, and raises StateUnavailable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from manyhands.actors.phones.adb.shell import Ask, ShellResult, command_line, quote_answer
from manyhands.protocol.errors import StateUnavailable

MOST_ROWS = 5000
"""The most rows that are read. If a table has more, these are the newest."""
MOST_BYTES = 4 << 20
"""The longest answer that is read."""
_NULL = "NULL"
_EMPTY = "No result found."
_ID_ROW = re.compile(r"^Row: [0-9]+ _id=([0-9]+)$", re.MULTILINE)
_HEAD = re.compile(r"^Row: ([0-9]+) _id=([0-9]+), ", re.MULTILINE)
_EXCEPTION = re.compile(r"^\s*(?:[a-z]\w*\.)+([A-Z]\w*(?:Exception|Error))\b:?[ \t]*(.*)$", re.MULTILINE)
_LONGEST_REASON = 120
_ENOUGH_DIGITS = 9
"""Two numbers count as the same if so many last digits are the same, as with and without the country code."""


@dataclass(frozen=True, slots=True)
class ContentTable:
    """Name a table of a content provider, and the columns that are read beside ``_id``.

    The last column may hold any text. The others must not hold the name of the column after them.
    """

    uri: str
    columns: tuple[str, ...]


async def read_rows(table: ContentTable, ask: Ask) -> list[dict[str, str]]:
    """Return the rows of a table in the order of their ids, at most the ``MOST_ROWS`` newest. Nulls are empty texts.

    Raises StateUnavailable, PhoneLost.
    """
    ids = _ID_ROW.findall(await _query(table.uri, ("_id",), None, ask))
    if not ids:
        return []
    oldest = ids[-MOST_ROWS] if len(ids) > MOST_ROWS else None
    answer = await _query(table.uri, ("_id", *table.columns), oldest, ask)
    rows = parse_rows(answer, table.columns, ids[-MOST_ROWS:])
    if rows is None:
        raise StateUnavailable(f"the rows of {table.uri} cannot be told from the texts in them, or changed meanwhile")
    return rows


def parse_rows(text: str, columns: Sequence[str], ids: Sequence[str]) -> list[dict[str, str]] | None:
    """Return the rows by column; None unless ``text`` holds exactly the rows with these ids, in this order."""
    heads = list(_HEAD.finditer(text))
    if [(head[1], head[2]) for head in heads] != [(str(index), id_) for index, id_ in enumerate(ids)]:
        return None
    rows = []
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        row = _parse_row(text[head.end() : end].removesuffix("\n"), columns)
        if row is None:
            return None
        rows.append(row)
    return rows


def _parse_row(text: str, columns: Sequence[str]) -> dict[str, str] | None:
    first = f"{columns[0]}="
    if not text.startswith(first):
        return None
    row, rest = {}, text.removeprefix(first)
    for column, following in pairwise(columns):
        value, separator, rest = rest.partition(f", {following}=")
        if not separator:
            return None
        row[column] = value
    row[columns[-1]] = rest
    return {column: "" if value == _NULL else value for column, value in row.items()}


async def _query(uri: str, columns: Sequence[str], oldest: str | None, ask: Ask) -> str:
    """Return what ``content query`` prints for these columns, from the row with the id ``oldest`` on.

    Raises StateUnavailable, PhoneLost.
    """
    words = ["content", "query", "--uri", uri, "--projection", ":".join(columns), "--sort", "_id"]
    where = [] if oldest is None else ["--where", f"_id>={oldest}"]
    answer = await ask(f"{command_line([words + where])} | head -c {MOST_BYTES}")
    _refuse_failure(uri, answer)
    if len(answer.stdout) >= MOST_BYTES:
        raise StateUnavailable(f"{uri} answered more than {MOST_BYTES >> 20} MiB")
    if not answer.text.startswith("Row: ") and _EMPTY not in answer.text.splitlines():
        raise StateUnavailable(f"{uri} answered: {quote_answer(answer)}")
    return answer.text


def _refuse_failure(uri: str, answer: ShellResult) -> None:
    """Raise StateUnavailable if the command printed a Java exception. The message is one line."""
    failed = _EXCEPTION.search(answer.stderr.decode("utf-8", "replace"))
    if failed is None:
        return
    name, reason = failed[1], " ".join(failed[2].split())[:_LONGEST_REASON]
    if name == "SecurityException":
        raise StateUnavailable(f"the shell may not read {uri} ({name})")
    raise StateUnavailable(f"{uri} cannot be read ({name}: {reason})" if reason else f"{uri} cannot be read ({name})")


_CONTACTS = ContentTable("content://com.android.contacts/data/phones", ("data1", "display_name"))
"""One row for each number of each contact; ``data1`` is the number as it was typed."""


async def read_contacts(ask: Ask) -> list[dict[str, str]]:
    """Return an entry with ``name`` and ``number`` for each number of each contact.

    Raises StateUnavailable, PhoneLost.
    """
    return [{"name": row["display_name"], "number": row["data1"]} for row in await read_rows(_CONTACTS, ask)]


def _find_contact(number: str, contacts: Sequence[dict[str, str]]) -> str | None:
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
            "contact": _find_contact(row["address"], contacts),
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
            "contact": _find_contact(row["number"], contacts),
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
