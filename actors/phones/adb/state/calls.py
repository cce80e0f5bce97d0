"""Read the phone's log of calls."""

from __future__ import annotations

from typing import Any

from manyhands.actors.phones.adb.state.answers import Ask
from manyhands.actors.phones.adb.state.contacts import find_contact, read_contacts
from manyhands.actors.phones.adb.state.content import ContentTable, read_rows

_TABLE = ContentTable("content://call_log/calls", ("type", "duration", "number"))
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
    rows = await read_rows(_TABLE, ask)
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
