"""Read the phone's SMS."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from manyhands.actors.phones.adb.state.answers import Ask
from manyhands.actors.phones.adb.state.contacts import find_contact, read_contacts
from manyhands.actors.phones.adb.state.content import ContentTable, read_rows

_TABLE = ContentTable("content://sms", ("date", "type", "read", "address", "body"))
_BOXES = {"1": "inbox", "2": "sent", "3": "draft", "4": "outbox", "5": "failed", "6": "outbox"}
"""The boxes, by Android's numbers; 6 is a message that waits to be sent. Android shows a shell only received and sent
messages. Some phones show a shell the other boxes too."""


async def read_sms(ask: Ask) -> list[dict[str, Any]]:
    """Return a list of messages in the order in which the phone stored them. Raises StateUnavailable, PhoneLost.

    Each has ``address``, ``contact`` (None if no contact has the address), ``body``, ``box``, ``read`` (a boolean) and
    ``at`` (ISO 8601 in UTC; None if the phone has no time).
    """
    rows = await read_rows(_TABLE, ask)
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
