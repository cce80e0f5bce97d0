"""Draw lines at the bottom of a terminal again and again, in place. What others print scrolls by above them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any, Self, TextIO

from rich.console import Console
from rich.text import Text

from manyhands.deploy.command_line.cells import count_rows

_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_KEEP_IN_ROW, _BREAK_ROWS = "\x1b[?7l", "\x1b[?7h"
_ERASE_REST_OF_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"


# rich's Live was tried and fails the tests of test_live_area.py: after the terminal got narrower it leaves rows of the
# picture before (test_after_a_change_of_size_...), it tears commands that people copy (test_a_line_that_is_too_...),
# and a terminal that lacks a character ends the run (test_a_terminal_that_lacks_characters_...).
class LiveArea:
    """Hold the lines at the bottom of a terminal. Each draw is one write, so nothing flickers.

    A line may be longer than the terminal is wide: then the terminal itself breaks it, and a copy of it has no break.
    After a change of the terminal's size the area is drawn anew. While the area is open, what other code prints to the
    same terminal by ``sys.stdout`` or ``sys.stderr`` appears above it.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stream: IO[str] = console.file
        """The stream that this draws to. While the area is open, ``sys.stdout`` is another one."""
        self._lock = threading.RLock()
        self._lines: list[tuple[str, str]] = []
        """The lines on the screen: as plain text, and with the codes of their styles."""
        self._width = 0
        """The width of the terminal when they were drawn."""
        self._replaced: dict[str, TextIO] = {}

    def __enter__(self) -> Self:
        """Hide the cursor, and take over the streams that go to the terminal."""
        self._write(_HIDE_CURSOR)
        for name in ("stdout", "stderr"):
            stream: TextIO = getattr(sys, name)
            if stream.isatty():
                self._replaced[name] = stream
                setattr(sys, name, _StreamAbove(self, stream))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Erase the lines, show the cursor, and give the streams back."""
        with self._lock:
            for name, stream in self._replaced.items():
                above = getattr(sys, name)
                setattr(sys, name, stream)
                if isinstance(above, _StreamAbove):
                    above.end_line()
            self._write(f"{self._to_top(self._console.width)}{_ERASE_BELOW}{_SHOW_CURSOR}")
            self._lines = []

    def draw(self, lines: Sequence[Text]) -> None:
        """Draw these lines in the place of those before."""
        coded_lines = [(line.plain, self._coded(line)) for line in lines]
        with self._lock:
            width = self._console.width
            if coded_lines == self._lines and width == self._width:
                return
            before, top, resized = self._rows(width), self._to_top(width), width != self._width
            self._lines, self._width = coded_lines, width
            # After another width the terminal may have broken the lines anew.
            erase = _ERASE_BELOW if resized or self._rows(width) < before else ""
            self._write(f"{top}{erase}{self._body()}")

    def print_above(self, text: str, stream: TextIO) -> None:
        """Write whole lines to a stream of the same terminal, above the area."""
        with self._lock:
            self._width = self._console.width
            self._write(f"{self._to_top(self._width)}{_ERASE_BELOW}")
            stream.write(text)
            stream.flush()
            self._write(self._body())

    def _rows(self, width: int) -> int:
        """Return how many rows the lines take in a terminal of this width."""
        return sum(count_rows(plain, width) for plain, _ in self._lines)

    def _to_top(self, width: int) -> str:
        """Return the codes that move the cursor from the end of the area to its first column."""
        if not self._lines:
            return ""
        rows = self._rows(width)
        return "\r" if rows == 1 else f"\r\x1b[{rows - 1}A"

    def _body(self) -> str:
        return "\r\n".join(self._row_codes(plain, coded) for plain, coded in self._lines)

    def _row_codes(self, plain: str, coded: str) -> str:
        """Return what draws a line."""
        # A full row ends with the cursor on its last column, where erasing the rest would erase that column.
        end = "" if _fills(plain, self._width) else _ERASE_REST_OF_LINE
        if plain.isascii() or count_rows(plain, self._width) > 1:
            return f"{coded}{end}"
        # The terminal may know other widths of characters. It must not break a line that is meant to fit.
        return f"{_ERASE_REST_OF_LINE}{_KEEP_IN_ROW}{coded}{_BREAK_ROWS}"

    def _coded(self, line: Text) -> str:
        with self._console.capture() as captured:
            self._console.print(line, end="", soft_wrap=True)
        return captured.get()

    def _write(self, text: str) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._stream.flush()


def _fills(line: str, width: int) -> bool:
    """Return whether a line ends in the last column of a terminal."""
    return bool(line) and count_rows(f"{line}.", width) > count_rows(line, width)


class _StreamAbove:
    """Stand for a stream of the terminal while an area is open. Print whole lines above the area."""

    def __init__(self, area: LiveArea, stream: TextIO) -> None:
        self._area = area
        self._stream = stream
        self._begun = ""
        """What was written of a line that has no end yet."""

    def __getattr__(self, name: str) -> Any:
        """Return all else of the stream itself."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Print the lines that are complete. Keep the rest."""
        whole, newline, self._begun = (self._begun + text).rpartition("\n")
        if newline:
            self._area.print_above(whole + newline, self._stream)
        return len(text)

    def writelines(self, lines: Sequence[str]) -> None:
        """Print lines."""
        self.write("".join(lines))

    def flush(self) -> None:
        """Do nothing: what is complete has been printed."""

    def end_line(self) -> None:
        """Print what has no end yet."""
        if self._begun:
            self.write("\n")
