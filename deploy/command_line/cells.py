"""Fit foreign texts into the cells of a terminal: one line, without control characters, cut by display width.

A Chinese character takes two cells, a combining mark takes none.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rich.cells import cell_len, split_graphemes

from manyhands.protocol.utilities.terminal_text import show_controls

_LONGEST = 4000
"""More characters of a text are never looked at. So a huge text costs no time at each redraw."""
_MARKS = 8
"""The most characters that share a cell. More of them are combining marks that would cover other lines."""
_JOINERS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors."""
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Hold the characters that a picture draws with."""

    ellipsis: str = "\u2026"
    heavy: str = "\u2501"
    light: str = "\u2500"
    dot: str = "\u00b7"


UNICODE = Glyphs()
ASCII = Glyphs(ellipsis="..", heavy="=", light="-", dot="|")


def flatten(text: str) -> str:
    """Return a text as one line: whitespace becomes single spaces, and control characters become visible.

    Characters that only change how their neighbours look are left out, because terminals disagree on the width then.
    """
    line = show_controls(" ".join(text[:_LONGEST].split()))
    return line if line.isascii() else _JOINERS.sub("", "".join(filter(_has_form, line)))


def _has_form(char: str) -> bool:
    return unicodedata.category(char) != "Cf"


def cut(text: str, cells: int, glyphs: Glyphs = UNICODE) -> str:
    """Return a foreign text as one line of at most ``cells`` cells. What is cut off leaves an ellipsis."""
    line = flatten(text)
    if line.isascii():
        fits = len(line) <= cells and len(text) <= _LONGEST
        return line if fits else f"{line[: max(0, cells - len(glyphs.ellipsis))].rstrip()}{glyphs.ellipsis}"[:cells]
    spans, width = split_graphemes(line)
    whole = width <= cells and len(text) <= _LONGEST
    room = cells if whole else cells - len(glyphs.ellipsis)
    parts: list[str] = []
    for start, end, size in spans:
        room -= size
        if room < 0:
            break
        parts.append(line[start : min(end, start + _MARKS)])
    shortened = "".join(parts)
    return shortened if whole else f"{shortened.rstrip()}{glyphs.ellipsis}"[:cells]


def wrap(text: str, cells: int, most: int, glyphs: Glyphs = UNICODE) -> list[str]:
    """Return a foreign text as at most ``most`` lines, broken between words. The last line is cut."""
    lines: list[str] = []
    words = flatten(text).split(" ")
    while words and len(lines) < most - 1:
        count = 1
        while count < len(words) and cell_len(" ".join(words[: count + 1])) <= cells:
            count += 1
        line = " ".join(words[:count])
        if cell_len(line) > cells:  # a word that fits into no line
            break
        lines.append(cut(line, cells, glyphs))
        words = words[count:]
    return [*lines, cut(" ".join(words), cells, glyphs)] if words else lines


def pad(text: str, cells: int, to_right: bool = False) -> str:
    """Return a line that is padded to ``cells`` cells; ``to_right`` puts the text at the right end."""
    blank = " " * (cells - cell_len(text))
    return f"{blank}{text}" if to_right else f"{text}{blank}"


def count_rows(line: str, width: int) -> int:
    """Return how many rows of a terminal a line takes. The terminal breaks it at the last column."""
    rows, column = 1, 0
    spans, _ = split_graphemes(line)
    for _, _, size in spans:
        if column + size > width:
            rows, column = rows + 1, 0
        column += size
    return rows


def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Return a sorting key by which ``p9`` comes before ``p10``."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(text[:_LONGEST]))
