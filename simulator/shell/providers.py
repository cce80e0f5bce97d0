"""Hold the Android content providers that a virtual phone has, and make the rows that ``content query`` prints.

    content://sms, content://sms/inbox, content://sms/sent      the messages of the app Messages
    content://com.android.contacts/data/phones                  one row for each contact
    content://call_log/calls, content://com.android.calendar/events    the rows that ``content insert`` has added

``content query`` prints the columns of ``--projection``, or all columns, ordered by ``--sort COLUMN [ASC|DESC]``. A
virtual phone knows only conditions of the form ``--where 'COLUMN>=NUMBER'``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from manyhands.simulator.phone.device import UserDevice
from manyhands.simulator.shell.command import NotSimulated
from manyhands.simulator.system.phone_system import PhoneSystem

Row = Mapping[str, str | int | None]
RECEIVED, SENT = 1, 2
"""Android's numbers for the boxes of messages."""
_ORDER = re.compile(r"\s*(\w+)(?:\s+(asc|desc))?\s*", re.IGNORECASE)
_WHERE = re.compile(r"\s*(\w+)\s*>=\s*(\d+)\s*")


class ProviderError(Exception):
    """Report an error of a provider. The message holds the Java exception's name and text, as Android prints them."""


def _messages(phone: PhoneSystem, *boxes: int) -> list[Row]:
    """Return the messages in these boxes (in both if none is given), the newest first."""
    device = phone.device
    rows: list[Row] = []
    for message in reversed(device.text_messages() if isinstance(device, UserDevice) else ()):
        box = SENT if message.sent else RECEIVED
        if box in (boxes or (RECEIVED, SENT)):
            rows.append(
                {
                    "_id": message.id,
                    "address": message.address,
                    "date": round(message.at * 1000),
                    "read": int(message.read),
                    "type": box,
                    "body": message.body,
                }
            )
    return rows


def _contacts(phone: PhoneSystem) -> list[Row]:
    device = phone.device
    contacts = device.contacts() if isinstance(device, UserDevice) else ()
    return [
        {"_id": index, "contact_id": index, "data1": number, "display_name": name}
        for index, (name, number) in enumerate(contacts, 1)
    ]


TABLES: Mapping[str, Callable[[PhoneSystem], list[Row]]] = {
    "sms": _messages,
    "sms/inbox": lambda phone: _messages(phone, RECEIVED),
    "sms/sent": lambda phone: _messages(phone, SENT),
    "com.android.contacts/data/phones": _contacts,
    "call_log/calls": lambda phone: [*reversed(phone.records.calls)],
    "com.android.calendar/events": lambda phone: [*phone.records.events],
}
"""The rows of each table, by authority and path."""
COLUMNS: Mapping[str, Sequence[str]] = {
    "sms": ("_id", "address", "date", "read", "type", "body"),
    "com.android.contacts": ("_id", "contact_id", "data1", "display_name"),
    "call_log": ("_id", "date", "duration", "number", "type"),
    "com.android.calendar": (
        *("_id", "allDay", "calendar_id", "deleted", "description", "dtend", "dtstart", "duration"),
        *("eventLocation", "eventTimezone", "rrule", "title"),
    ),
}
"""The columns of each authority."""


REQUIRED: Mapping[str, Sequence[str]] = {
    "call_log/calls": ("number",),
    "com.android.calendar/events": ("calendar_id", "dtstart", "eventTimezone"),
}
"""The tables into which rows can be inserted, and the columns that a row must have."""
_STARTING = {"allDay": 0, "deleted": 0}
_CASTS: Mapping[str, Callable[[str], str | int]] = {"s": str, "i": int, "l": int, "b": lambda text: int(text == "true")}


def insert_row(phone: PhoneSystem, authority: str, path: str, bindings: Sequence[str]) -> None:
    """Add a row to a table. ``bindings``: its values as ``COLUMN:TYPE:VALUE``. Raises ProviderError, NotSimulated."""
    name = f"{authority}/{path}" if path else authority
    if name not in REQUIRED:
        raise NotSimulated(f"content://{name} as a table to write; there are {', '.join(REQUIRED)}")
    row: dict[str, str | int | None] = {
        column: _STARTING.get(column) for column in COLUMNS[authority] if column != "_id"
    }
    for binding in bindings:
        column, kind, value = [*binding.split(":", 2), "", ""][:3]
        if column not in row:
            raise ProviderError(f"android.database.sqlite.SQLiteException: no such column: {column}")
        if kind not in _CASTS:
            raise NotSimulated(f"the type {kind!r} of a value; there are {', '.join(_CASTS)}")
        try:
            row[column] = _CASTS[kind](value)
        except ValueError as error:
            raise ProviderError(f'java.lang.NumberFormatException: For input string: "{value}"') from error
    for column in REQUIRED[name]:
        if row[column] is None:
            raise ProviderError(f"java.lang.IllegalArgumentException: {column} is missing")
    rows = phone.records.calls if authority == "call_log" else phone.records.events
    try:
        phone.records.add(rows, row)
    except ValueError as error:
        raise ProviderError(f"java.lang.IllegalStateException: {error}") from error


def query_rows(phone: PhoneSystem, authority: str, path: str, options: Mapping[str, str]) -> list[str]:
    """Return the rows as ``content`` prints them, without ``Row: NUMBER``. Raises ProviderError, NotSimulated."""
    table = TABLES.get(f"{authority}/{path}" if path else authority)
    if table is None:
        raise ProviderError(f"java.lang.IllegalArgumentException: Unknown URL content://{authority}/{path}")
    rows = _selected(table(phone), options, COLUMNS[authority])
    columns = options["--projection"].split(":") if "--projection" in options else COLUMNS[authority]
    for column in columns:
        if column not in COLUMNS[authority]:
            raise ProviderError(f"java.lang.IllegalArgumentException: Invalid column {column}")
    return [", ".join(f"{column}={_printed(row[column])}" for column in columns) for row in rows]


def _printed(value: str | int | None) -> str:
    return "NULL" if value is None else str(value)


def _selected(rows: list[Row], options: Mapping[str, str], columns: Sequence[str]) -> list[Row]:
    """Return the rows that ``--where`` selects, in the order of ``--sort``. Raises ProviderError, NotSimulated."""

    def known(column: str) -> str:
        if column not in columns:
            raise ProviderError(f"android.database.sqlite.SQLiteException: no such column: {column}")
        return column

    if "--where" in options:
        where = _WHERE.fullmatch(options["--where"])
        if where is None:
            raise NotSimulated(f"--where {options['--where']!r}: it knows COLUMN>=NUMBER alone")
        column = known(where[1])
        rows = [row for row in rows if int(row[column] or 0) >= int(where[2])]
    if "--sort" in options:
        order = _ORDER.fullmatch(options["--sort"])
        if order is None:
            raise NotSimulated(f"--sort {options['--sort']!r}: it knows COLUMN [ASC|DESC] alone")
        column = known(order[1])
        rows = sorted(rows, key=lambda row: row[column] or 0, reverse=(order[2] or "").lower() == "desc")
    return rows
