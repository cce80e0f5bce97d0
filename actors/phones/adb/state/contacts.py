"""Read the phone's contacts, and find the contact of a number."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.phones.adb.state.answers import Ask
from manyhands.actors.phones.adb.state.content import ContentTable, read_rows

_TABLE = ContentTable("content://com.android.contacts/data/phones", ("data1", "display_name"))
"""One row for each number of each contact; ``data1`` is the number as it was typed."""
_ENOUGH_DIGITS = 9
"""Two numbers count as the same if so many last digits are the same, as with and without the country code."""


async def read_contacts(ask: Ask) -> list[dict[str, str]]:
    """Return an entry with ``name`` and ``number`` for each number of each contact.

    Raises StateUnavailable, PhoneLost.
    """
    return [{"name": row["display_name"], "number": row["data1"]} for row in await read_rows(_TABLE, ask)]


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
