"""Quote arguments for a phone's shell, and give input lines their key; nothing else does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.protocol.errors import BadInput

KEY_VARIABLE = "MH_KEY"
_PLAIN = re.compile(r"[A-Za-z0-9_.:/@+-]+")


def quote(argument: str) -> str:
    """Return ``argument`` as exactly one word of a POSIX shell.

    Raises BadInput for text with a NUL or a lone surrogate, which no argument can carry.
    """
    if _PLAIN.fullmatch(argument):
        return argument
    return _quoted(argument)


def command_line(commands: Sequence[Sequence[str]]) -> str:
    """Return a line that runs ``commands`` until one fails; its status is that of the last one run."""
    return " && ".join(" ".join(quote(word) for word in command) for command in commands)


def keyed_line(key: str, commands: Sequence[Sequence[str]]) -> str:
    """Return the line of one atom. It starts with an assignment that a shell ignores and a ledger keeps.

    However many commands an atom takes, it is one line, so that a key stands in the ledger once.
    """
    return f"{KEY_VARIABLE}={_quoted(key)} {command_line(commands)}"


def _quoted(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{text[:40]!r} cannot be an argument: it holds a NUL or half a character")
    return "'" + text.replace("'", "'\\''") + "'"
