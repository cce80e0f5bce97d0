"""Write lines for the shell of a phone, read what they print, and name the errors of phones behind an adb server.

No other module quotes an argument or writes the key of an action.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.errors import BadInput, CaptureFailed, ManyhandsError, PhoneLost, StateUnavailable

KEY_VARIABLE = "MH_KEY"
_FAILURE = re.compile(r"^\s*(Error\b|Exception\b|java\.lang\.|Security exception)", re.MULTILINE)
_UNKNOWN = re.compile(r"^(Error: )?Unknown command: ", re.MULTILINE)
"""What Android's commands print for an unknown word, before they do anything."""
_DENIED = re.compile(r"\bSecurityException\b|^Security exception:", re.MULTILINE)
"""What Android prints when it does not permit a command. It asks for permission before it does anything."""
_NOT_FOUND = 127
_PLAIN = re.compile(r"[A-Za-z0-9_.:/@+-]+")
_LONGEST_QUOTE = 200


class NoPicture(CaptureFailed):
    """Report that ``screencap`` has answered in words, as it does while an app protects its window."""


class ActionRefused(ManyhandsError):
    """Report an action that this phone cannot carry out in its present state; nothing was sent.

    Callers outside this package get a Receipt with status ``refused`` instead of this error.
    """

    code = "refused"


class PhoneUnreached(PhoneLost):
    """Report that a phone did not answer, and that certainly nothing was sent to it."""


class ServerDown(PhoneUnreached):
    """Report that no adb server listens at its address."""


class AnswerLost(PhoneLost):
    """Report that a request was sent and its answer was lost or incomplete. The phone may have carried it out."""


def quote(argument: str) -> str:
    """Return ``argument`` as exactly one word of a POSIX shell.

    Raises BadInput for text with a NUL or a lone surrogate, which no argument can carry.
    """
    if _PLAIN.fullmatch(argument):
        return argument
    return _quoted(argument)


def command_line(commands: Sequence[Sequence[str]]) -> str:
    """Return a line that runs ``commands`` until one fails.

    The exit status of the line is that of the last command that ran.
    """
    return " && ".join(" ".join(quote(word) for word in command) for command in commands)


def keyed_line(
    key: str,
    commands: Sequence[Sequence[str]],
    question: str = "",
    then: Sequence[Sequence[str]] = (),
    guard: str = "",
) -> str:
    """Return the line of one atom. The line starts with an assignment of the key.

    ``question``: a line that changes nothing and runs after the commands; then the commands ``then`` follow.
    ``guard``: a line before the commands, which run only if it succeeds.

    A shell ignores it; the ledger of a virtual phone records it. All commands of an atom are one line, so that the
    ledger contains each key once.
    """
    parts = [guard, command_line(commands), f"({question}; true)" if question else "", command_line(then)]
    return f"{KEY_VARIABLE}={_quoted(key)} {' && '.join(filter(None, parts))}"


def _quoted(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{text[:40]!r} cannot be an argument: it holds a NUL or half a character")
    return "'" + text.replace("'", "'\\''") + "'"


@dataclass(frozen=True, slots=True)
class ShellResult:
    """Hold the complete output of a shell line, and its exit status."""

    stdout: bytes
    stderr: bytes
    status: int

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """Return the failure that the command printed, in one line of at most 300 characters."""
        printed = self.stderr.decode("utf-8", "replace").strip() or self.text.strip()
        return " ".join(printed.split())[:300]


def receipt_status(result: ShellResult, lone: str | None = None) -> tuple[str, str]:
    """Return a receipt's status and detail. Android's commands print some failures with exit status 0.

    If the phone printed a failure, the line was sent and may be partly done, so the status is ``unknown``. There are
    exceptions. If the phone does not know or does not permit ``lone``, the single command of an action, certainly
    nothing was done, and the status is ``refused``.
    """
    printed = result.text + "\n" + result.stderr.decode("utf-8", "replace")
    if lone is not None and (result.status == _NOT_FOUND or (result.status != 0 and _UNKNOWN.search(printed))):
        return "refused", f"this phone does not know {lone}: {result.complaint}"
    if lone is not None and _DENIED.search(printed):
        return "refused", f"this phone does not permit {lone}: {result.complaint}"
    if result.status == 0 and not _FAILURE.search(printed):
        return "done", ""
    return "unknown", f"the phone complained: {result.complaint or f'exit status {result.status}'}"


Ask = Callable[[str], Awaitable[ShellResult]]
"""Runs a line in the phone's shell. Raises PhoneLost."""
ReadPart = Callable[[Ask], Awaitable[Any]]
"""Reads a part of the state and returns its value. Raises StateUnavailable, PhoneLost."""


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
