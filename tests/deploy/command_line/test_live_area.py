"""Lines at the bottom of a terminal are drawn in place, whatever happens around them."""

from __future__ import annotations

import sys
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.console import Console
from rich.text import Text

from manyhands.deploy.command_line.live_area import LiveArea
from tests.deploy.command_line.terminal_screen import TerminalScreen


class Terminal:
    """A console, the screen behind it, and an area that is open on it."""

    def __init__(self, width: int, height: int) -> None:
        self.written = StringIO()
        self.console = Console(
            file=self.written, force_terminal=True, width=width, height=height, color_system=None, highlight=False
        )
        self.screen = TerminalScreen(width, height)
        self.area = LiveArea(self.console)

    def resize(self, width: int, height: int) -> None:
        self.look()
        self.console.width, self.console.height = width, height
        self.screen.resize(width, height)

    def look(self) -> list[str]:
        """Return the rows of the screen after all that was written."""
        self.screen.feed(self.written.getvalue())
        self.written.seek(0)
        self.written.truncate()
        return self.screen.rows


def lines(*texts: str) -> list[Text]:
    return [Text(text) for text in texts]


def test_lines_are_drawn_in_place_and_vanish_at_the_end() -> None:
    terminal = Terminal(20, 6)
    terminal.console.print("before")
    with terminal.area as area:
        area.draw(lines("one", "two", "three"))
        assert terminal.look() == ["before", "one", "two", "three"]
        assert terminal.screen.cursor_is_hidden
        area.draw(lines("1", "2 and more", "3"))
        assert terminal.look() == ["before", "1", "2 and more", "3"]
        area.draw(lines("x"))
        assert terminal.look() == ["before", "x"]
        area.draw(lines("a", "b", "c", "d", "e"))
        assert terminal.look() == ["before", "a", "b", "c", "d", "e"]
    assert [row for row in terminal.look() if row] == ["before"]
    assert not terminal.screen.cursor_is_hidden


def test_a_picture_that_is_the_same_writes_nothing() -> None:
    terminal = Terminal(20, 6)
    with terminal.area as area:
        area.draw(lines("one"))
        terminal.look()
        area.draw(lines("one"))
        assert terminal.written.getvalue() == ""


def test_a_line_that_is_too_long_is_broken_by_the_terminal_and_not_cut() -> None:
    command = "manyhands control runs/20260102-101500_errands go"
    terminal = Terminal(20, 9)
    with terminal.area as area:
        for first in ("head", "head again"):
            area.draw(lines(first, command, "end"))
            assert terminal.look() == [first, command[:20], command[20:40], command[40:], "end"]
        area.draw(lines("head", "x" * 20, command, "end"))
        assert terminal.look() == ["head", "x" * 20, command[:20], command[20:40], command[40:], "end"]
        area.draw(lines("head", "x" * 40, command[:40]))
        assert terminal.look() == ["head", "x" * 20, "x" * 20, command[:20], command[20:40]]
        area.draw(lines("head", "x" * 40, command[:40]))
        area.draw(lines("end"))
        assert terminal.look() == ["end"]


@pytest.mark.parametrize("sizes", [[(10, 8), (30, 8)], [(7, 9), (40, 20), (20, 3)], [(3, 30), (20, 8)]])
def test_after_a_change_of_size_nothing_of_the_old_picture_is_left(sizes: list[tuple[int, int]]) -> None:
    terminal = Terminal(20, 8)
    terminal.console.print("before")
    with terminal.area as area:
        area.draw(lines("a" * 20, "b" * 14, "c" * 20))
        for number, (width, height) in enumerate(sizes):
            terminal.resize(width, height)
            area.draw(lines("d" * width, f"e{number}", "f" * width)[-height + 1 :])
            shown = terminal.look()
            assert not {"a", "b", "c"} & set("".join(shown).replace("before", ""))
            assert sum(f"e{number}" in row for row in shown) == 1
            assert sum(row.startswith("e") for row in shown) == 1


def test_what_others_print_stands_above(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(20, 8)
    terminal.written.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stderr", terminal.written)
    with terminal.area as area:
        area.draw(lines("one", "two"))
        sys.stderr.write("a warn")
        assert terminal.look() == ["one", "two"], "a line without an end waits"
        sys.stderr.write("ing\nanother\n")
        assert terminal.look() == ["a warning", "another", "one", "two"]
        area.draw(lines("one", "2"))
        assert terminal.look() == ["a warning", "another", "one", "2"]
        sys.stderr.write("the rest")
    assert [row for row in terminal.look() if row] == ["a warning", "another", "the rest"]
    assert sys.stderr is terminal.written


def test_wide_characters_and_marks_are_counted_as_the_terminal_does() -> None:
    terminal = Terminal(9, 8)
    with terminal.area as area:
        for end in ("x", "y"):
            area.draw(lines("把会议时间写进备忘录", "e\u0301e\u0301" * 5, end))
            assert terminal.look() == ["把会议时", "间写进备", "忘录", "e\u0301" * 9, "e\u0301", end]


def test_a_terminal_that_lacks_characters_gets_them_in_another_form() -> None:
    written = TextIOWrapper(BytesIO(), encoding="ascii")
    with LiveArea(Console(file=written, force_terminal=True, width=80, height=5, color_system=None)) as area:
        area.draw(lines("会"))
        written.seek(0)
        assert "\\u4f1a" in written.read()
