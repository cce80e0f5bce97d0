"""Build the on-screen keyboards: a QWERTY keyboard whose keys work, and the single line of ADB Keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Node, Panel, Row, Text

Mode = Literal["letters", "capitals", "symbols"]
Press = Callable[[str], None]

LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SYMBOLS = ("1234567890", "@#$%&-+()", "*\"':;!?")
ENTER_GLYPHS = {"search": "search", "go": "chevron", "send": "send", "next": "chevron", "newline": "enter"}

# Names of keys that are no characters. ``press`` gets these names.
SHIFT, ERASE, MODE, ENTER = "<shift>", "<erase>", "<mode>", "<enter>"


def _key(label: Node, name: str, press: Press, fill: str = "key", width: float | None = None) -> Panel:
    return Panel(Center(label), fill=fill, radius=7, size=(width, 46), tap=lambda: press(name))


def _letter(character: str, press: Press) -> Node:
    return Grow(_key(Text(character, 21, lines=1), character, press))


def qwerty(mode: Mode, purpose: str, press: Press) -> Node:
    """Return four rows of keys. ``press`` gets a character or the name of a key."""
    rows = SYMBOLS if mode == "symbols" else LETTERS
    first, second, third = (
        [_letter(character, press) for character in (row.upper() if mode == "capitals" else row)] for row in rows
    )
    shift = _key(Icon("shift", 22, "accent" if mode == "capitals" else "ink"), SHIFT, press, "sunken", 52)
    erase = _key(Icon("erase", 22), ERASE, press, "sunken", 52)
    enter = _key(Icon(ENTER_GLYPHS[purpose], 22, "on_accent"), ENTER, press, "accent", 60)
    switch = _key(Text("ABC" if mode == "symbols" else "?123", 16, lines=1), MODE, press, "sunken", 60)
    comma, dot = (_key(Text(mark, 20, lines=1), mark, press, width=36) for mark in ",.")
    space = Grow(_key(Text("English", 14, colour="muted", lines=1), " ", press))
    board = Column(
        [
            Row(first, gap=5),
            Row([Gap(14), *second, Gap(14)], gap=5),
            Row([shift, *third, erase], gap=5),
            Row([switch, comma, space, dot, enter], gap=5),
        ],
        gap=9,
    )
    return Panel(board, pad=(5, 10, 5, 10), fill="keys")


def adb_line() -> Node:
    """Return the line that ADB Keyboard shows instead of keys."""
    return Panel(Text("ADB Keyboard {ON}", 16, align="center", lines=1), pad=(12, 12, 12, 12), fill="keys")


def next_mode(mode: Mode, name: str) -> Mode:
    """Return the keyboard's mode after a key. Shift applies to one letter."""
    if name == MODE:
        return "letters" if mode == "symbols" else "symbols"
    if name == SHIFT and mode != "symbols":
        return "letters" if mode == "capitals" else "capitals"
    return "letters" if mode == "capitals" else mode
