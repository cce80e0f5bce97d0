"""Hold a text field's text and caret. Pages own fields, widgets draw them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

Purpose = Literal["search", "go", "send", "next", "newline"]
Way = Literal["left", "right", "up", "down", "line start", "line end", "word left", "word right", "start", "end"]

LONGEST = 20_000
WORD = re.compile(r"\w+")


class Field:
    """Hold a text that the user edits at its caret.

    ``purpose`` says what Enter does: it breaks the line for ``newline`` and calls ``submit`` for all others. ``caret``
    and ``anchor`` are places between characters; the text between them is selected.
    """

    def __init__(
        self,
        text: str = "",
        purpose: Purpose = "search",
        submit: Callable[[str], None] | None = None,
    ) -> None:
        self.text, self.purpose = text[:LONGEST], purpose
        self.caret = self.anchor = len(self.text)
        self.starts: tuple[int, ...] = (0,)
        """Where each line begins in the last drawing."""
        self._submit = submit

    @property
    def multiline(self) -> bool:
        """Return whether Enter breaks the line."""
        return self.purpose == "newline"

    @property
    def wraps(self) -> bool:
        """Return whether long text is shown on several lines."""
        return self.purpose in ("newline", "send")

    @property
    def selection(self) -> tuple[int, int]:
        """Return where the selection begins and ends. Without a selection, both are the caret's place."""
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected(self) -> str:
        """Return the selected text."""
        start, end = self.selection
        return self.text[start:end]

    # ------------------------------------------------------------------ text
    def set(self, text: str) -> None:
        """Replace the text, and put the caret at its end."""
        self.text = text[:LONGEST]
        self.caret = self.anchor = len(self.text)

    def insert(self, text: str) -> None:
        """Replace the selection by a text. As on Android, a field of one line turns line breaks into spaces."""
        start, end = self.selection
        room = LONGEST - len(self.text) + end - start
        self._replace(start, end, (text if self.multiline else text.replace("\n", " "))[:room])

    def erase(self) -> None:
        """Delete the selection, or else the character before the caret."""
        start, end = self.selection
        self._replace(start if end > start else max(0, start - 1), end, "")

    def erase_ahead(self) -> None:
        """Delete the selection, or else the character after the caret."""
        start, end = self.selection
        self._replace(start, end if end > start else end + 1, "")

    def enter(self) -> None:
        if self.multiline:
            self.insert("\n")
        elif self._submit:
            self._submit(self.text)

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self.caret = self.anchor = start + len(text)

    # ------------------------------------------------------------------ caret
    def select_all(self) -> None:
        """Select the whole text, and put the caret at its end."""
        self.anchor, self.caret = 0, len(self.text)

    def move(self, way: Way, extend: bool = False) -> None:
        """Move the caret. ``extend`` selects what the caret passes; otherwise the selection ends."""
        start, end = self.selection
        if start < end and not extend and way in ("left", "right"):
            self.caret = start if way == "left" else end
        else:
            self.caret = self._place(way)
        if not extend:
            self.anchor = self.caret

    def _place(self, way: Way) -> int:
        """Return the caret's new place. Up and down follow the lines of the last drawing."""
        at, text = self.caret, self.text
        if way in ("start", "end"):
            return 0 if way == "start" else len(text)
        if way == "left":
            return max(0, at - 1)
        if way == "right":
            return min(len(text), at + 1)
        if way == "word left":
            return max((word.start() for word in WORD.finditer(text, 0, at)), default=0)
        if way == "word right":
            word = WORD.search(text, at)
            return word.end() if word else len(text)
        line = self.line
        first, last = self._line_at(line)
        if way in ("line start", "line end"):
            return first if way == "line start" else last
        beside = line + (1 if way == "down" else -1)
        if not 0 <= beside < len(self.starts):
            return 0 if beside < 0 else len(text)
        above, below = self._line_at(beside)
        return min(above + at - first, below)

    @property
    def line(self) -> int:
        """Return the number of the caret's line in the last drawing."""
        return max(index for index, start in enumerate(self.starts) if start <= self.caret or index == 0)

    def _line_at(self, line: int) -> tuple[int, int]:
        """Return where a line begins and ends, without its line break or the space at which it was broken."""
        first, following = (*self.starts, len(self.text) + 1)[line : line + 2]
        return first, max(first, following - 1)
