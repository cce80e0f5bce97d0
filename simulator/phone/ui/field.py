"""What a text field holds and where its caret stands; pages own fields, widgets draw them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Purpose = Literal["search", "go", "send", "next", "newline"]

LONGEST = 20_000


class Field:
    """A text that the user edits at its caret. ``purpose`` is what Enter does: all but newline call ``submit``.

    ``caret`` is a place between characters.
    """

    def __init__(
        self,
        text: str = "",
        purpose: Purpose = "search",
        submit: Callable[[str], None] | None = None,
    ) -> None:
        self.text, self.purpose = text[:LONGEST], purpose
        self.caret = len(self.text)
        self.starts: tuple[int, ...] = (0,)
        """Where the lines begin, as they were drawn last."""
        self._submit = submit

    @property
    def multiline(self) -> bool:
        """Enter breaks the line."""
        return self.purpose == "newline"

    @property
    def wraps(self) -> bool:
        """Long text is shown on several lines."""
        return self.purpose in ("newline", "send")

    # ------------------------------------------------------------------ text
    def set(self, text: str) -> None:
        """Hold another text, the caret at its end."""
        self.text = text[:LONGEST]
        self.caret = len(self.text)

    def insert(self, text: str) -> None:
        """Put text before the caret; a line break in a field of one line becomes a space, as on Android."""
        text = text if self.multiline else text.replace("\n", " ")
        self._replace(self.caret, self.caret, text[: LONGEST - len(self.text)])

    def erase(self) -> None:
        """Delete the character before the caret."""
        self._replace(max(0, self.caret - 1), self.caret, "")

    def erase_ahead(self) -> None:
        """Delete the character after the caret."""
        self._replace(self.caret, self.caret + 1, "")

    def enter(self) -> None:
        if self.multiline:
            self.insert("\n")
        elif self._submit:
            self._submit(self.text)

    def _replace(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self.caret = start + len(text)

    # ------------------------------------------------------------------ caret
    def move(self, by: int) -> None:
        """Move the caret by so many characters."""
        self.caret = min(max(0, self.caret + by), len(self.text))

    def move_in_line(self, *, to_end: bool) -> None:
        """Move the caret to the beginning or the end of its line, before what breaks it."""
        starts = (*self.starts, len(self.text) + 1)
        self.caret = starts[self.line + 1] - 1 if to_end else starts[self.line]

    @property
    def line(self) -> int:
        """Return the number of the line with the caret, among those that were drawn last."""
        return max(index for index, start in enumerate(self.starts) if start <= self.caret or index == 0)
