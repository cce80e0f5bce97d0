"""Find an on-screen keyboard by pixels and texts, for phones that do not report it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import rows
from manyhands.actors.perception.state.keys import has_rows_of_keys
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

BANNER = "adbkeyboard"
LETTER_ROWS = (
    "qwertyuiop", "asdfghjkl", "zxcvbnm",
    "qwertzuiop", "yxcvbnm",
    "azertyuiop", "qsdfghjklm", "wxcvbn",
)  # fmt: skip
"""The rows of QWERTY, QWERTZ and AZERTY."""
RUN = 4
"""A line counts as a row of keys if at least so many neighbouring keys are read in order."""


PAD_ROWS = ("123", "456", "789")
PAD_WIDTH = 0.4
"""The least distance from a number pad's first key to its third, as a share of the screen's width. A calculator's keys
are closer."""
GROUPS = frozenset({"abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz"})
"""Keys with several letters. A dialler has such keys too, but its digits have the same size as the letters."""
GROUPS_SEEN = 5


def keyboard_shown(texts: Sequence[Element], size: Size, rgb: Rgb | None = None) -> bool:
    """Return whether a keyboard is shown, by its texts and, with ``rgb``, by rows of keys in any script.

    Texts show a keyboard by ADBKeyboard's line in the bottom tenth, two rows of letter keys, a number pad or a letter
    pad. ``rgb``: uint8 (height, width, 3). Mobile-Agent-v2 and Mobile-Agent-E look for "ADB Keyboard" below 0.9 of the
    height, because that keyboard shows nothing but this line. Other keyboards show their keys in the lower half.
    """
    low = [text for text in texts if text.centre[1] >= 0.9 * size.height]
    if any(BANNER in _plain(text.content) for text in low):
        return True
    lines = rows(text for text in texts if text.centre[1] >= size.height / 2)
    line_texts = ["".join(_plain(text.content) for text in line) for line in lines]
    if sum(map(_is_key_row, line_texts)) >= 2 or _is_number_pad(lines, size) or _is_letter_pad(lines):
        return True
    return rgb is not None and has_rows_of_keys(rgb)


def _plain(content: str) -> str:
    return "".join(content.split()).casefold()


def _is_key_row(line: str) -> bool:
    """Return whether a line is as short as a row of keys and contains a run of neighbouring keys.

    Long sentences have runs by chance.
    """
    if not RUN <= len(line) <= 14:
        return False
    return any(SequenceMatcher(None, line, row, autojunk=False).find_longest_match().size >= RUN for row in LETTER_ROWS)


def _is_number_pad(lines: Sequence[Sequence[Element]], size: Size) -> bool:
    """Return whether three rows of three digits begin at the left edge, with at most two other keys in each row."""
    pad_rows = []
    for line in lines:
        digits = [text for text in line if text.content in "123456789" and len(text.content) == 1]
        digits_text = "".join(text.content for text in digits)
        if digits_text in PAD_ROWS and len(line) <= 5 and line[0] in digits:
            pad_rows.append((digits_text, digits[2].centre[0] - digits[0].centre[0], digits[0]))
    if [digits_text for digits_text, _, _ in pad_rows] != list(PAD_ROWS):
        return False
    wide = all(width >= PAD_WIDTH * size.width for _, width, _ in pad_rows)
    return wide and not any(_plain(text.content) in GROUPS for line in lines for text in line)


def _is_letter_pad(lines: Sequence[Sequence[Element]]) -> bool:
    """Return whether there are keys with several letters each, without a dialler's digits beside them."""
    contents = [_plain(text.content) for line in lines for text in line]
    groups = GROUPS.intersection(contents)
    return len(groups) >= GROUPS_SEEN and not {"1", "5", "9"} & set(contents)
