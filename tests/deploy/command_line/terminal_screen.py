"""A small terminal: it obeys the codes that the live display writes, and tells what stands on its screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.cells import get_character_cell_size

_CODE = re.compile(r"\x1b\[(?P<private>\?)?(?P<number>\d*)[\d;]*(?P<letter>[A-Za-z])")


@dataclass
class _Row:
    cells: list[str] = field(default_factory=list)
    """A cell is a character with its combining marks. The second cell of a wide character is empty."""
    goes_on: bool = False
    """Whether the terminal itself broke the line at the end of this row."""


class TerminalScreen:
    """Hold the rows of a terminal of a given size. Any code that it does not know is an error.

    If its width changes, it breaks the lines anew, as most terminals do.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [_Row()]
        self._row, self._column = 0, 0
        self._top = 0
        """The first row that is seen. Those before it have left the screen, and nothing changes them."""
        self.cursor_is_hidden = False
        self._breaks = True
        """Whether a line that is too long goes on in the next row."""

    @property
    def rows(self) -> list[str]:
        """Return what stands on the rows of the screen, without blanks at their ends."""
        return ["".join(row.cells).rstrip() for row in self._rows[self._top :]]

    def resize(self, width: int, height: int) -> None:
        """Change the size. The cursor stays at its place in its line."""
        old, row, column = self._rows, self._row, self._column
        self.width, self.height = width, height
        self._rows, self._row, self._column, self._top = [_Row()], 0, 0, 0
        place = (0, 0)
        for index, each in enumerate(old):
            for number, cell in enumerate(each.cells):
                if (index, number) == (row, column):
                    place = (self._row, self._column)
                if cell:
                    self._put(cell[0])
                    self._rows[self._row].cells[-1 if each.cells[number + 1 : number + 2] != [""] else -2] = cell
            if index == row and column >= len(each.cells):
                place = (self._row, self._column)
            if not each.goes_on and index < len(old) - 1:
                self._newline()
                self._column = 0
        self._row, self._column = place

    def feed(self, text: str) -> None:
        """Obey what a program writes."""
        position = 0
        while position < len(text):
            char = text[position]
            if char == "\x1b":
                found = _CODE.match(text, position)
                assert found is not None, f"an unknown code: {text[position : position + 12]!r}"
                self._obey(found["letter"], found["number"], found["private"] is not None)
                position = found.end()
                continue
            if char == "\n":
                self._newline()
            elif char == "\r":
                self._column = 0
            else:
                assert char >= " ", f"a control character: {char!r}"
                self._put(char)
            position += 1

    def _obey(self, letter: str, number: str, private: bool) -> None:
        row = self._rows[self._row]
        if private:
            assert letter in "hl"
            assert number in ("7", "25")
            if number == "25":
                self.cursor_is_hidden = letter == "l"
            else:
                self._breaks = letter == "h"
        elif letter == "A":
            self._row = max(self._top, self._row - int(number or 1))
        elif letter in "KJ":
            assert not number
            # After the last column the cursor still stands on it, so that erasing takes that column, too.
            del row.cells[min(self._column, self.width - 1) :]
            row.goes_on = False
            if letter == "J":
                del self._rows[self._row + 1 :]
        else:
            assert letter == "m", f"an unknown code: {letter}"

    def _newline(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append(_Row())
        self._top = max(self._top, self._row - self.height + 1)

    def _put(self, char: str) -> None:
        size = get_character_cell_size(char)
        cells = self._rows[self._row].cells
        if size == 0:
            cells[self._column - 1] += char
            return
        if self._column + size > self.width:
            assert self._breaks, "a line that is meant to fit does not"
            self._rows[self._row].goes_on = True
            self._newline()
            self._column = 0
            cells = self._rows[self._row].cells
        cells[self._column : self._column + size] = [char, *[""] * (size - 1)]
        self._column += size
