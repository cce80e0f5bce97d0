"""Make the ids and cursors that clients see of the numbers of rows, and read them.

A cursor names the last entry that a client has seen, so no entry moves while a list is read in parts.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Column
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.errors import BadCursor, UnknownItem
from manyhands.protocol.service.access import ListPage
from manyhands.service.database.schema import TableQuery, TableRow

T = TypeVar("T")
MOST_ENTRIES = 1000
"""The most entries of one part of a list."""
_CONTENT = re.compile(rb"after ([0-9]{1,18})")
_SHOWN = 120
"""The most characters of an id that a message repeats."""
_ID = re.compile(r"([a-z])([1-9][0-9]{0,17})")
_KINDS = {"b": "batch", "c": "session", "s": "schedule", "t": "token", "w": "webhook"}
"""What ids begin with, and the noun for messages."""


def write_id(letter: str, number: int) -> str:
    """Return the id of a row: ``b17``."""
    return f"{letter}{number}"


def read_id(letter: str, id: str) -> int:
    """Return the number of the row with an id. Raises UnknownItem."""
    match = _ID.fullmatch(id)
    if match is None or match[1] != letter:
        raise unknown_item(_KINDS[letter], id)
    return int(match[2])


def unknown_item(noun: str, id: str) -> UnknownItem:
    """Return the error for an id that names nothing."""
    excerpt = id if len(id) <= _SHOWN else f"{id[:_SHOWN]}..."
    return UnknownItem(f"{excerpt}: the service has no such {noun}")


def encode_cursor(number: int) -> str:
    """Return the cursor behind the entry with this number."""
    return base64.urlsafe_b64encode(b"after %d" % number).decode().rstrip("=")


def decode_cursor(cursor: str) -> int:
    """Return the number of the last entry that the client has seen. Raises BadCursor."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        match = _CONTENT.fullmatch(base64.b64decode(padded, altchars=b"-_", validate=True))
    except ValueError:
        match = None
    if match is None:
        raise BadCursor(
            "the cursor is none that this list gave: take 'next_cursor' of the part before, or leave it out"
        )
    return int(match[1])


async def read_page(
    connection: AsyncConnection,
    query: TableQuery,
    number: Column[int],
    cursor: str | None,
    limit: int,
    show: Callable[[TableRow], T],
    *,
    key: str = "number",
    newest_first: bool = False,
) -> ListPage[T]:
    """Return one part of the list that ``query`` selects.

    The list is ordered by ``number``, whose value each row has as ``key``. ``limit`` is brought between 1 and
    MOST_ENTRIES. Raises BadCursor.
    """
    most = max(1, min(limit, MOST_ENTRIES))
    if cursor is not None:
        last = decode_cursor(cursor)
        query = query.where(number < last if newest_first else number > last)
    query = query.order_by(number.desc() if newest_first else number).limit(most + 1)
    rows: Sequence[TableRow] = (await connection.execute(query)).all()
    page = rows[:most]
    more = encode_cursor(getattr(page[-1], key)) if len(rows) > most else None
    return ListPage(items=tuple(show(row) for row in page), next_cursor=more)
