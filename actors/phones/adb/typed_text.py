"""Read from the tree of views whether a text that was sent to ADBKeyboard has arrived in the focused field.

A broadcast ends with ``result=0`` whether somebody received it or not, so only the field can tell. A text that counts
as lost is typed again. So it is lost only if every field is as it was before: a field may show capitals for small
letters, bullets, or one character of a code, and hand the focus to the next field.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from manyhands.actors.phones.adb.commands import Commands
from manyhands.actors.phones.adb.connection.shell import ShellResult, keyed_line
from manyhands.actors.phones.adb.screens.view_tree import BEGIN, LONGEST_TEXT, View, parse_views, walk
from manyhands.actors.phones.adb.state.views import VIEWS_LINE
from manyhands.protocol.errors import StateUnavailable

Arrival = Literal["arrived", "lost", "unknown"]
"""``unknown``: no field with the focus can be read, or it has changed and does not hold the text."""
_FIELDS = ("EditText", "AutoCompleteTextView")


def reading_line(key: str, commands: Commands, text: str) -> str:
    """Return the line that types a text and prints the views, before the Enter that may end the text."""
    enter = commands[-1:] if text.endswith("\n") else []
    return keyed_line(key, commands[: len(commands) - len(enter)], VIEWS_LINE, enter)


def read_arrival(before: bytes, result: ShellResult, text: str) -> tuple[ShellResult, Arrival]:
    """Return what the commands of ``reading_line`` have printed, without the views, and whether the text is there.

    ``before``: the dump of the views from before the text was sent.
    """
    printed, begin, views = result.stdout.partition(BEGIN)
    return replace(result, stdout=printed), find_text(before, begin + views, text)


def find_text(before: bytes, after: bytes, text: str) -> Arrival:
    """Return whether ``text`` is in the focused field of the dump ``after``, or its fields are those of ``before``.

    An app may format what is typed (phone numbers, capitals).
    """
    try:
        earlier, fields = _fields(before), _fields(after)
    except StateUnavailable:
        return "unknown"
    focused = [field for field in fields if field.focused]
    if len(focused) != 1 or focused[0].password or len(focused[0].text) >= LONGEST_TEXT:
        return "unknown"
    has_text, has_changed = _letters(text) in _letters(focused[0].text), fields != earlier
    if has_text == has_changed:
        return "arrived" if has_text else "lost"
    return "unknown"


def _fields(dump: bytes) -> list[View]:
    """Return the fields for text. Raises StateUnavailable."""
    return [view for view in walk(parse_views(dump)) if view.kind.endswith(_FIELDS)]


def _letters(text: str) -> str:
    """Return the letters and digits of a text that has some, else all that is no blank, all in lower case."""
    return ("".join(filter(str.isalnum, text)) or "".join(text.split())).casefold()
