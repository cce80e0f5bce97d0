"""Define how a part of the state is read through a phone's shell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from manyhands.actors.phones.adb.connection.shell import ShellResult
from manyhands.protocol.errors import StateUnavailable

Ask = Callable[[str], Awaitable[ShellResult]]
"""Runs a line in the phone's shell. Raises PhoneLost."""
ReadPart = Callable[[Ask], Awaitable[Any]]
"""Reads a part of the state and returns its value. Raises StateUnavailable, PhoneLost."""
_LONGEST_QUOTE = 200


def make_reader(line: str, read: Callable[[str], Any]) -> ReadPart:
    """Return a reader that runs one shell line and passes its output to ``read``.

    ``read`` returns the part's value, or None if the output does not hold it. Then the reader raises StateUnavailable.
    """

    async def read_part(ask: Ask) -> Any:
        answer = await ask(line)
        value = read(answer.text)
        if value is None:
            raise StateUnavailable(f"it answered: {quote_answer(answer)}")
        return value

    return read_part


def quote_answer(answer: ShellResult) -> str:
    """Return the beginning of what a phone printed, in one line, for a message."""
    return " ".join((answer.complaint or answer.text).split())[:_LONGEST_QUOTE] or "nothing"
