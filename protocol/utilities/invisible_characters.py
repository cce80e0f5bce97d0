"""List the characters that nobody sees, and tell honest uses of them from others.

A text of a phone may hold orders in such characters, which a model reads and a person does not: whole sentences in
Unicode's tags, bytes in variation selectors, another order of words by marks of direction. The table is Unicode's
property ``Default_Ignorable_Code_Point`` (DerivedCoreProperties.txt, 16.0) and the marks of annotations.

Honest uses that stay change what a person sees: a joiner between two emoji or beside a virama (Devanagari, Bengali,
Sinhala), a non-joiner between two Arabic letters (Persian), a selector that makes a symbol an emoji. Each stays once,
where it belongs. All else goes, since the text reads the same without: marks of direction, because a text is kept in
the order of reading; soft hyphens; the tags of three flags (England, Scotland, Wales), which become a black flag.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_STYLES = frozenset("\ufe0e\ufe0f")
"""The selectors that draw a symbol as a text or as an emoji."""
_KEYCAP = "\u20e3"
_ARROWS = frozenset("↔↕")
"""Symbols of mathematics that stand in emoji of several parts (a head that shakes)."""
_VIRAMA = 9
"""Unicode's combining class of the mark that joins two letters."""


def drop_invisible(text: str) -> str:
    """Return ``text`` without invisible characters, but for those of honest use. Idempotent."""
    return replace_invisible(text, lambda _: "")


def replace_invisible(text: str, replacement: Callable[[str], str]) -> str:
    """Return ``text`` with a replacement of each invisible character that has no honest use where it stands."""
    if text.isascii() or INVISIBLE.search(text) is None:
        return text
    shown, before = [], ""
    for index, char in enumerate(text):
        if INVISIBLE.match(char) is None or _belongs(before, char, text[index + 1 : index + 2]):
            shown.append(char)
            before = char
        else:
            shown.append(replacement(char))
    return "".join(shown)


def _belongs(before: str, char: str, after: str) -> bool:
    """Return whether an invisible character changes what is seen. ``before``, ``after``: its neighbours, or empty."""
    if not before:
        return False
    if char in _STYLES:
        return before in _ARROWS or unicodedata.category(before) == "So" or after == _KEYCAP
    if char not in (_NON_JOINER, _JOINER) or not after:
        return False
    if _VIRAMA in (unicodedata.combining(before), unicodedata.combining(after)):
        return True
    if char == _JOINER:
        return _is_emoji(before) and (after in _ARROWS or unicodedata.category(after) == "So")
    is_arabic = unicodedata.bidirectional(before) in ("AL", "NSM") and unicodedata.bidirectional(after) == "AL"
    return is_arabic and INVISIBLE.match(before) is None


def _is_emoji(char: str) -> bool:
    """Return whether a character may end an emoji: a symbol, a colour of the skin, or the selector behind a symbol."""
    return char in _ARROWS or char in _STYLES or unicodedata.category(char) in ("So", "Sk")
