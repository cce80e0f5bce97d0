"""Make texts for people: counted nouns, and foreign texts whose hidden characters are shown instead of obeyed.

Texts from adb, servers, phones and files, and also ids and goals, may hold escape sequences that clear the screen, set
the window's title, or type.
"""

from __future__ import annotations

import logging
import unicodedata
from functools import lru_cache

from manyhands.protocol.utilities.invisible_characters import replace_invisible

_PLAIN = frozenset("\n\t")
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, of halves of surrogate pairs, and of marks that begin a line."""


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def choose_verb(number: int, singular: str, plural: str) -> str:
    """Return the form of a verb that fits a number of things: ``differs`` for 1, ``differ`` for 2."""
    return singular if number == 1 else plural


def show_controls(text: str) -> str:
    r"""Return the text with hidden characters other than newlines and tabs in Python's notation: ``\x1b``.

    Hidden are control characters, and invisible ones that have no honest use where they stand.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(char) if _is_control(char) else char for char in replace_invisible(text, _escape))


class TerminalFormatter(logging.Formatter):
    """Format log lines for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with its control characters shown."""
        return show_controls(super().format(record))


@lru_cache(maxsize=4096)
def _is_control(char: str) -> bool:
    return char not in _PLAIN and unicodedata.category(char) in _CONTROLS


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
