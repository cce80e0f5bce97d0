"""Whether an on-screen keyboard is shown, from what was read, for phones that do not say."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from actors.perception.arrangement import rows
from protocol.geometry import Size
from protocol.screens import Element

BANNER = "adbkeyboard"
LETTER_ROWS = (
    "qwertyuiop", "asdfghjkl", "zxcvbnm",
    "qwertzuiop", "yxcvbnm",
    "azertyuiop", "qsdfghjklm", "wxcvbn",
)  # fmt: skip
"""Rows of QWERTY, QWERTZ and AZERTY."""
RUN = 4
"""Neighbouring keys that must be read in order for a line to count as a row of keys."""


def keyboard_shown(texts: Sequence[Element], size: Size) -> bool:
    """ADBKeyboard's line in the bottom tenth, as the papers look for it, or two rows of letter keys.

    Source: Mobile-Agent-v2 and Mobile-Agent-E look for "ADB Keyboard" below 0.9 of the height. A line of
    that IME is all it shows; other keyboards are known by their keys, in the lower half.
    """
    low = [text for text in texts if text.centre[1] >= 0.9 * size.height]
    if any(BANNER in _plain(text.content) for text in low):
        return True
    lower_half = [text for text in texts if text.centre[1] >= size.height / 2]
    return sum(_is_key_row("".join(_plain(text.content) for text in line)) for line in rows(lower_half)) >= 2


def _plain(content: str) -> str:
    return "".join(content.split()).casefold()


def _is_key_row(line: str) -> bool:
    """Short enough to be a row of keys and mostly one: a sentence may hold a run of neighbours by chance."""
    if not RUN <= len(line) <= 14:
        return False
    return any(SequenceMatcher(None, line, row, autojunk=False).find_longest_match().size >= RUN for row in LETTER_ROWS)
