"""Android's content providers that a virtual phone has, and the rows that ``content query`` prints of them.

    content://sms, content://sms/inbox, content://sms/sent      the messages of the app Messages
    content://com.android.contacts/data/phones                  one row for each contact

``content query`` prints the columns of ``--projection``, or all, ordered by ``--sort COLUMN [ASC|DESC]``. The only
condition that a virtual phone knows is ``--where 'COLUMN>=NUMBER'``.
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
    """What Android prints as the stack trace of a provider: a Java exception's name and message."""


def _messages(phone: PhoneSystem, *boxes: int) -> list[Row]:
    """Return the newest first."""
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
}
"""The rows of each table, by authority and path."""
COLUMNS: Mapping[str, Sequence[str]] = {
    "sms": ("_id", "address", "date", "read", "type", "body"),
    "com.android.contacts": ("_id", "contact_id", "data1", "display_name"),
}
"""The columns of each authority."""


def query_rows(phone: PhoneSystem, authority: str, path: str, options: Mapping[str, str]) -> list[str]:
    """Return rows as ``content`` prints them behind their numbers. Raises ProviderError, NotSimulated."""
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
    """Return the rows of ``--where``, in the order of ``--sort``. Raises ProviderError, NotSimulated."""

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
