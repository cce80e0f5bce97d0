"""What a text field holds; pages own fields, widgets draw them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Purpose = Literal["search", "go", "send", "next", "newline"]

LONGEST = 20_000


class Field:
    """A text that the user edits at its end. ``purpose`` says what Enter does: all but newline call ``submit``."""

    def __init__(
        self,
        text: str = "",
        purpose: Purpose = "search",
        submit: Callable[[str], None] | None = None,
        changed: Callable[[str], None] | None = None,
    ) -> None:
        self.text, self.purpose = text, purpose
        self._submit, self._changed = submit, changed

    @property
    def multiline(self) -> bool:
        """Enter breaks the line."""
        return self.purpose == "newline"

    @property
    def wraps(self) -> bool:
        """Long text is shown on several lines."""
        return self.purpose in ("newline", "send")

    def set(self, text: str) -> None:
        self.text = text[:LONGEST]
        if self._changed:
            self._changed(self.text)

    def append(self, text: str) -> None:
        """Adds text at the caret; a line break in a field of one line becomes a space, as on Android."""
        self.set(self.text + (text if self.multiline else text.replace("\n", " ")))

    def erase(self) -> None:
        if self.text:
            self.set(self.text[:-1])

    def enter(self) -> None:
        if self.multiline:
            self.append("\n")
        elif self._submit:
            self._submit(self.text)
