"""Read from the tree of views whether a text that was sent to ADBKeyboard has arrived in the focused field.

A broadcast ends with ``result=0`` whether somebody received it or not, so only the field can tell.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from manyhands.actors.phones.adb.commands import Commands
from manyhands.actors.phones.adb.shell import ShellResult, keyed_line
from manyhands.actors.phones.adb.state.views import VIEWS_LINE
from manyhands.actors.phones.adb.view_tree import BEGIN, LONGEST_TEXT, parse_views, walk
from manyhands.protocol.errors import StateUnavailable

Arrival = Literal["arrived", "lost", "unknown"]
"""``unknown``: no field with the focus can be read, or it holds a part of the text."""
_FIELDS = ("EditText", "AutoCompleteTextView")


def reading_line(key: str, commands: Commands, text: str) -> str:
    """Return the line that types a text and prints the views, before the Enter that may end the text."""
    enter = commands[-1:] if text.endswith("\n") else []
    return keyed_line(key, commands[: len(commands) - len(enter)], VIEWS_LINE, enter)


def read_arrival(result: ShellResult, text: str) -> tuple[ShellResult, Arrival]:
    """Return what the commands of ``reading_line`` have printed, without the views, and whether the text is there."""
    printed, begin, views = result.stdout.partition(BEGIN)
    return replace(result, stdout=printed), find_text(begin + views, text)


def find_text(dump: bytes, text: str) -> Arrival:
    """Return whether ``text`` is in the focused field of a dump. An app may format what is typed (phone numbers)."""
    try:
        fields = [view for view in walk(parse_views(dump)) if view.focused and view.kind.endswith(_FIELDS)]
    except StateUnavailable:
        return "unknown"
    if len(fields) != 1 or fields[0].password or len(fields[0].text) >= LONGEST_TEXT:
        return "unknown"
    typed, shown = _letters(text), _letters(fields[0].text)
    if typed in shown:
        return "arrived"
    common = SequenceMatcher(None, typed, shown, autojunk=False).find_longest_match().size
    return "unknown" if 2 * common >= len(typed) or (shown and typed.startswith(shown)) else "lost"


def _letters(text: str) -> str:
    """Return the letters and digits of a text that has some, else all that is no blank."""
    return "".join(filter(str.isalnum, text)) or "".join(text.split())
