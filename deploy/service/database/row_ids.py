"""Make the ids that clients see of the numbers of rows, and read them."""

from __future__ import annotations

import re

from manyhands.protocol.errors import UnknownItem

_ID = re.compile(r"([a-z])([1-9][0-9]{0,17})")
_KINDS = {"b": "batch", "s": "schedule", "t": "token", "w": "webhook"}
"""What ids begin with, and the noun for messages."""


def write_id(letter: str, number: int) -> str:
    """Return the id of a row: ``b17``."""
    return f"{letter}{number}"


def read_id(letter: str, id: str) -> int:
    """Return the number of the row with an id. Raises UnknownItem."""
    found = _ID.fullmatch(id)
    if found is None or found[1] != letter:
        raise unknown_item(_KINDS[letter], id)
    return int(found[2])


def unknown_item(noun: str, id: str) -> UnknownItem:
    """Return the error for an id that names nothing."""
    return UnknownItem(f"{id}: the service has no such {noun}")
