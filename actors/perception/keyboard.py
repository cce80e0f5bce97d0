"""Find an on-screen keyboard by pixels and texts, for phones that do not report it.

Its keys are rows of many glyphs of one size at equal distances, in any script.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from difflib import SequenceMatcher

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import rows
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

KEYS = 8
"""A row of keys has at least so many glyphs. A week has seven days, and a launcher at most six icons in a row."""
ROWS = 2
SMALL_WIDTH = 360
"""The approximate width to which pictures are reduced. The glyph of a key is then 8 to 20 pixels wide."""
CONTRAST = 40
PITCH = (0.06, 0.125)
"""The least and greatest distance from key to key, as shares of the screen's width: 16 and 8 keys in a row."""
GLYPH = 0.68
"""A key's glyph fills at most this share of the distance. Chinese characters in a headline fill more."""
TOLERANCE = 0.25
APART = (1.0, 2.6)
"""The least and greatest distance from row to row, in distances from key to key."""
LINE = 10
"""The middles of one row's glyphs differ by at most so many pixels of the small picture: j hangs lower than s."""
UPPER_SHARE = 0.5
"""Keyboards lie below this share of the height."""

_Glyph = tuple[float, float]
"""The centre of a possible key's glyph, in pixels of the small picture."""


def has_rows_of_keys(rgb: Rgb) -> bool:
    """Return whether the lower half of a picture, uint8 (height, width, 3), shows two adjacent rows of keys."""
    height, width = rgb.shape[:2]
    if width < KEYS * 8 or height < width:
        return False
    scale = min(1.0, SMALL_WIDTH / width)
    lower = rgb[round(height * UPPER_SHARE) :]
    small = cv2.resize(lower, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    pitches = (_pitch_of(line, grey.shape[1]) for line in _lines(_glyphs(grey)))
    rows = sorted(row for row in pitches if row is not None)
    close = 1
    for (y, pitch), (below, other) in itertools.pairwise(rows):
        same = abs(pitch - other) <= TOLERANCE * pitch
        if same and APART[0] <= (below - y) / pitch <= APART[1]:
            close += 1
    return close >= ROWS


def _glyphs(grey: cv2.typing.MatLike) -> list[_Glyph]:
    """Return the centres of connected parts no larger than a key's glyph. Dots and accents count with their letter."""
    width = grey.shape[1]
    edges = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    mask = (edges > CONTRAST).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((round(0.018 * width) | 1, 3), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    largest = GLYPH * PITCH[1] * width
    fits = (stats[1:, 2] <= largest) & (stats[1:, 3] <= 1.5 * largest) & (stats[1:, 2:4].max(axis=1) >= 0.015 * width)
    middles = stats[1:, :2] + stats[1:, 2:4] / 2
    return [(float(x), float(y)) for x, y in middles[fits]]


def _lines(glyphs: Sequence[_Glyph]) -> list[list[_Glyph]]:
    """Group glyphs into lines by height, each line from the left."""
    lines: list[list[_Glyph]] = []
    for glyph in sorted(glyphs, key=lambda one: one[1]):
        if lines and glyph[1] - lines[-1][0][1] <= LINE:
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    return [sorted(line) for line in lines]


def _pitch_of(line: Sequence[_Glyph], width: int) -> tuple[float, float] | None:
    """Return the height at which a row of keys lies, and its distance from key to key.

    Return None for any other line.
    """
    if len(line) < KEYS:
        return None
    steps = np.diff([x for x, _ in line])
    pitch = float(np.median(steps))
    if not PITCH[0] * width <= pitch <= PITCH[1] * width:
        return None
    even = np.abs(steps - pitch) <= TOLERANCE * pitch
    runs = [sum(1 for _ in same) + 1 for value, same in itertools.groupby(even.tolist()) if value]
    if max(runs, default=0) < KEYS:
        return None
    return float(np.median([y for _, y in line])), pitch


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
