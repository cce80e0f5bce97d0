"""Fit foreign texts into the cells of a terminal, and the columns of a table into its width.

A text becomes one line without control characters, cut by display width: a Chinese character takes two cells, a
combining mark takes none. Some columns are left out, others get the room that is left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, split_graphemes
from rich.text import Text

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


GAP = "  "
_LOOKED_AT = 500
"""No cell is looked at beyond so many cells."""


@dataclass(frozen=True, slots=True)
class Column:
    """Describe a column. Widths are in cells."""

    title: str
    least: int
    """With less room than this the column is left out."""
    most: int = _LOOKED_AT
    to_right: bool = False
    style: str = ""


# rich's Table makes all columns narrower, down to a cell or two that say nothing. Here a narrow terminal leaves columns
# out, and the most useful one gets the room (test_run_picture.py::test_a_narrow_terminal_leaves_columns_out).
@dataclass(frozen=True, slots=True)
class Layout:
    """Hold the columns of a table by their names, in the order in which they stand."""

    columns: Mapping[str, Column]
    dropped: Sequence[str]
    """The columns that a narrow terminal leaves out, in this order."""
    spare: Sequence[str]
    """The columns that get more room than their least, in this order."""

    def fit(self, rows: Iterable[Mapping[str, str]], width: int) -> dict[str, int]:
        """Return the columns that fit into ``width`` cells, each with its width. Columns without any text are left out.

        ``rows``: by the names of columns, the texts of their cells.
        """
        widest = dict.fromkeys(self.columns, 0)
        for row in rows:
            for name, column in self.columns.items():
                widest[name] = max(widest[name], cell_len(cut(row[name], column.most)))
        natural = {name: max(cells, len(self.columns[name].title)) for name, cells in widest.items() if cells}
        for name in ("", *self.dropped):
            natural.pop(name, None)
            widths = {name: min(cells, self.columns[name].least) for name, cells in natural.items()}
            spare = width - sum(widths.values()) - len(GAP) * (len(widths) - 1)
            if spare >= 0:
                break
        else:
            return dict.fromkeys(list(widths)[:1], width)
        for name in self.spare:
            if name in widths:
                more = min(spare, natural[name] - widths[name])
                widths[name] += more
                spare -= more
        return widths

    def header(self, widths: Mapping[str, int], glyphs: Glyphs) -> Text:
        """Return the titles of the columns."""
        titles = (self._cell(name, self.columns[name].title, width, glyphs) for name, width in widths.items())
        return Text(GAP.join(titles).rstrip(), style="dim")

    def row(
        self, widths: Mapping[str, int], row: Mapping[str, str], glyphs: Glyphs, styles: Mapping[str, str] | None = None
    ) -> Text:
        """Return a row. ``styles``: by the names of columns, the styles of cells that differ from their columns'."""
        line = Text()
        for name, width in widths.items():
            style = (styles or {}).get(name, self.columns[name].style)
            line.append(self._cell(name, row[name], width, glyphs), style).append(GAP)
        line.rstrip()
        return line

    def _cell(self, name: str, text: str, width: int, glyphs: Glyphs) -> str:
        return pad(cut(text, width, glyphs), width, self.columns[name].to_right)
