"""Expand words: variables, command substitution, field splitting, file names, quote removal.

Source: POSIX.1-2017, Shell Command Language, 2.6 Word Expansions. Tildes and arithmetic are not supported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from manyhands.simulator.shell.command import MOST_TEXT, Environment, decode
from manyhands.simulator.shell.language.words import Part, Text, Variable, Word
from manyhands.simulator.shell.streams import TooMuch
from manyhands.simulator.system.files import PhoneFiles

GLOB_MARKS = "*?["
SHELL_PID = "4711"


@dataclass(slots=True)
class _Field:
    """Collect one argument: its text, and a pattern for file names, in which quoted glob characters are escaped."""

    text: str = ""
    pattern: str = ""
    started: bool = False
    globs: bool = False

    def add(self, text: str, *, quoted: bool) -> None:
        self.text += text
        self.started = True
        if quoted:
            self.pattern += "".join(f"[{c}]" if c in GLOB_MARKS else c for c in text)
        else:
            self.pattern += text
            self.globs = self.globs or any(mark in text for mark in GLOB_MARKS)


class Expander:
    """Expand the words of one command. ``status``: the value of ``$?``. ``substitute``: runs a ``$(...)``."""

    def __init__(
        self, environment: Environment, files: PhoneFiles, substitute: Callable[[str], Awaitable[bytes]]
    ) -> None:
        self.status = environment.status
        self._environment = environment
        self._files = files
        self._substitute = substitute
        self._length = 0

    async def text(self, word: Word) -> str:
        """Return the word as one text, without splitting it or matching file names. Raises TooMuch."""
        return "".join([await self._value(part) for part in word.parts])

    async def fields(self, word: Word) -> list[str]:
        """Return the word as zero or more arguments. Raises TooMuch."""
        fields = [_Field()]
        for part in word.parts:
            value = await self._value(part)
            if isinstance(part, Text) or part.quoted:
                fields[-1].add(value, quoted=part.quoted)
            else:
                self._split(value, fields)
        return [text for field in fields if field.started for text in await self._match(field)]

    @staticmethod
    def _split(value: str, fields: list[_Field]) -> None:
        """Add the value of an unquoted expansion. Its blanks separate fields."""
        pieces = value.split()
        if value[:1].isspace() and fields[-1].started:
            fields.append(_Field())
        for index, piece in enumerate(pieces):
            if index:
                fields.append(_Field())
            fields[-1].add(piece, quoted=False)
        if pieces and value[-1].isspace():
            fields.append(_Field())

    async def _match(self, field: _Field) -> list[str]:
        if not field.globs:
            return [field.text]
        await asyncio.sleep(0)  # each pattern is compared with every file, and a line may have many patterns
        found = self._files.glob(field.pattern, self._environment.directory)
        self._count(found)
        return found or [field.text]

    async def _value(self, part: Part) -> str:
        if isinstance(part, Text):
            return part.text
        if isinstance(part, Variable):
            value = self._variable(part)
        else:
            value = decode((await self._substitute(part.source)).rstrip(b"\n"))
        self._count([value])
        return value

    def _count(self, texts: Sequence[str]) -> None:
        self._length += sum(map(len, texts))
        if self._length > MOST_TEXT:
            raise TooMuch(f"on a virtual phone a command's words expand to at most {MOST_TEXT} characters")

    def _variable(self, variable: Variable) -> str:
        special = {"?": str(self.status), "$": SHELL_PID, "#": "0", "0": "/system/bin/sh"}
        value = special.get(variable.name) or self._environment.variables.get(variable.name, "")
        return value or variable.default or ""
