"""Fit the columns of a table into a terminal: some are left out, others get the room that is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from manyhands.deploy.command_line.cells import Glyphs, cut, pad

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
