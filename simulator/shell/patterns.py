"""Run a client's regular expressions so that no pattern can block the other phones of the process.

Python's own ``re`` can take exponential time (over 90 s for ``(a+)+$`` on forty letters), and nothing else in the
process runs meanwhile. So patterns run in RE2. The time of RE2 grows only with the length of the line, and with the
size of the program into which RE2 compiles a pattern. A long search runs in a thread, and RE2 lets other threads run
meanwhile. After each line and each match, the thread checks whether anybody still wants the result. The search of one
line may take at most MOST_WORK.

POSIX's syntax differs from RE2's in a few places; ``extended`` and ``basic`` translate it.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, TypeVar

import re2

Syntax = Literal["basic", "extended", "fixed"]
Whole = Literal["", "line", "word"]
T = TypeVar("T")

LONGEST_PATTERN = 1 << 14
PATTERN_MEMORY = 1 << 20
MOST_WORK = 400_000_000
"""The most work that a search of one line may take, in program steps times bytes. It takes about a second."""
LITTLE_WORK = 4_000_000
"""A search that takes at most this work runs at once, without a thread. It takes about 10 ms."""
LONGEST_S = 10.0
NO_WORD = "[^0-9A-Za-z_]"
"""A character that may stand beside a whole word. The C library of a phone takes only ASCII for letters."""
BETWEEN = 2
"""The group of a whole word's pattern that holds the word."""
_PIECE = re.compile(r"\[\^?\]?(?:\[([:=.]).*?\1\]|[^\]])*\]|\\.|.", re.DOTALL)
"""Matches a bracket expression, an escaped character or a character. A ``]`` that comes first in a bracket expression
does not close it."""


class BadPattern(ValueError):
    """Report a pattern that a virtual phone does not run, with the reason."""


class Pattern:
    """Search lines for one or more regular expressions. A line matches if one of them does."""

    def __init__(self, lines: Sequence[str], syntax: Syntax, *, ignore_case: bool = False, whole: Whole = "") -> None:
        """Compile ``lines``, one expression each. ``whole``: match only whole lines or words. Raises BadPattern."""
        self._program = _program(tuple(lines), syntax, ignore_case, whole)
        self._group = BETWEEN if whole == "word" else 0

    def work(self, length: int) -> int:
        """Return the most work that a search of ``length`` bytes takes, in program steps times bytes."""
        return int(self._program.programsize) * (length + 1)

    def holds(self, line: bytes) -> bool:
        """Return whether the line contains a match. Raises BadPattern for a line too long for this pattern."""
        return self._first(line, 0) is not None

    def matches(self, line: bytes) -> Iterator[bytes]:
        """Yield every match in a line that is not empty, each the longest at its place. Raises BadPattern."""
        at = 0
        while at <= len(line) and (span := self._first(line, at)) is not None:
            start, end = span
            if end > start:
                yield line[start:end]
            at = max(end, start + 1)

    def _first(self, line: bytes, at: int) -> tuple[int, int] | None:
        if self.work(len(line) - at) > MOST_WORK:
            raise BadPattern(f"a line of {len(line)} bytes is too long for it")
        found = self._program.search(line, at)
        return None if found is None else found.span(self._group)


@lru_cache(maxsize=64)  # clients grep for the same few patterns again and again
def _program(lines: tuple[str, ...], syntax: Syntax, ignore_case: bool, whole: Whole) -> re2._Regexp:
    if sum(len(line) + 1 for line in lines) > LONGEST_PATTERN:
        raise BadPattern(f"more than {LONGEST_PATTERN} characters")
    translate: dict[Syntax, Callable[[str], str]] = {"basic": basic, "extended": extended, "fixed": literal}
    parts = [translate[syntax](line) for line in lines]
    programs = [_compile(part, ignore_case) for part in parts]  # each alone: 'a)|(b' is wrong, but not in parentheses
    if len(parts) == 1 and not whole:
        return programs[0]
    joined = "|".join(f"({part})" for part in parts)
    around = {"": joined, "line": f"^({joined})$", "word": f"(^|{NO_WORD})({joined})({NO_WORD}|$)"}
    return _compile(around[whole], ignore_case, captures=whole == "word")


def _compile(pattern: str, ignore_case: bool, *, captures: bool = False) -> re2._Regexp:
    options = re2.Options()
    options.posix_syntax = options.longest_match = options.one_line = True
    options.never_capture = not captures
    options.perl_classes = options.word_boundary = True
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.max_mem = PATTERN_MEMORY
    try:
        return re2.compile(pattern.encode("utf-8", "surrogateescape"), options)
    except re2.error as error:
        said = error.args[0] if error.args else "not a regular expression"
        raise BadPattern(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)) from error


async def within_limits(work: int, search: Callable[[Callable[[], bool]], T]) -> T:
    """Run ``search(unwanted)``, in a thread if it is much ``work``, and return its result.

    ``search`` must end soon after ``unwanted()`` becomes true. Raises TimeoutError if it takes longer than LONGEST_S.
    """
    if work <= LITTLE_WORK:
        return search(lambda: False)
    unwanted = threading.Event()
    try:
        async with asyncio.timeout(LONGEST_S):
            return await asyncio.to_thread(search, unwanted.is_set)
    finally:
        unwanted.set()


# ---------------------------------------------------------------------------- POSIX's syntax in RE2's
def literal(text: str) -> str:
    """Return a pattern that matches only this text."""
    return str(re2.escape(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape"))


def extended(pattern: str) -> str:
    """Translate an extended expression. In brackets a backslash stands for itself; ``\\<`` and ``\\>`` bound words."""
    return "".join({r"\<": r"\b", r"\>": r"\b"}.get(piece, piece) for piece in _pieces(pattern))


def basic(pattern: str) -> str:
    """Translate a basic expression.

    ``+ ? { } ( ) |`` are operators only after a backslash. ``* ^ $`` are operators only where POSIX lets them be: ``*``
    not at the beginning, ``^`` only there, ``$`` only at the end.
    """
    pieces = list(_pieces(pattern))
    result: list[str] = []
    for index, piece in enumerate(pieces):
        opening = not result or pieces[index - 1] in (r"\(", r"\|")
        closing = index + 1 == len(pieces) or pieces[index + 1] in (r"\)", r"\|")
        anchored = pieces[index - 1] == "^" and (index == 1 or pieces[index - 2] in (r"\(", r"\|")) if index else False
        if piece in (r"\<", r"\>"):
            result.append(r"\b")
        elif len(piece) == 2 and piece[1] in "()|":
            result.append(piece[1])
        elif len(piece) == 2 and piece[1] in "+?{}":
            result.append(piece if opening or anchored else piece[1])
        elif (
            piece in tuple("+?{}()|")
            or (piece == "*" and (opening or anchored))
            or (piece == "^" and not opening)
            or (piece == "$" and not closing)
        ):
            result.append("\\" + piece)
        else:
            result.append(piece)
    return "".join(result)


def _pieces(pattern: str) -> Iterator[str]:
    """Split a pattern into characters, escaped characters and bracket expressions. Raises BadPattern."""
    for found in _PIECE.finditer(pattern):
        piece = found[0]
        if piece == "[":
            raise BadPattern("brackets ([ ]) not balanced")
        if piece == "\\":
            raise BadPattern("trailing backslash (\\)")
        yield piece.replace("\\", "\\\\") if piece[0] == "[" else piece
