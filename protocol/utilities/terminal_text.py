"""Make texts for people: counted nouns, and foreign texts whose control characters are shown instead of obeyed.

Texts from adb, servers, phones and files, and also ids and goals, may hold escape sequences that clear the screen, set
the window's title, or type.
"""

from __future__ import annotations

import logging
import unicodedata
from functools import lru_cache

_PLAIN = frozenset("\n\t")
_REORDER = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2028\u2029\u2066\u2067\u2068\u2069")
"""Characters that reverse the direction of a text or begin a line."""
_HIDDEN = frozenset({"Cc", "Cs"})
"""Unicode's categories of control characters and of halves of surrogate pairs."""


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def choose_verb(number: int, singular: str, plural: str) -> str:
    """Return the form of a verb that fits a number of things: ``differs`` for 1, ``differ`` for 2."""
    return singular if number == 1 else plural


def show_controls(text: str) -> str:
    r"""Return the text with control characters other than newlines and tabs in Python's notation: ``\x1b``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_escape, text))


class TerminalFormatter(logging.Formatter):
    """Format log lines for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with its control characters shown."""
        return show_controls(super().format(record))


@lru_cache(maxsize=4096)
def _escape(char: str) -> str:
    if char in _PLAIN or not (unicodedata.category(char) in _HIDDEN or char in _REORDER):
        return char
    return char.encode("unicode_escape").decode("ascii")
