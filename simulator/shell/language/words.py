"""What a shell line consists of, as the lexer finds it."""

from __future__ import annotations

from dataclasses import dataclass


class ShellSyntaxError(ValueError):
    """A line that a shell refuses before it executes anything."""


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves. Quoted ones are neither split nor matched with files."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``, ``${name}`` or ``${name:-default}``; ``? $ # @ *`` and digits are names too."""

    name: str
    quoted: bool
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(source)``: the output of a script, without trailing newlines."""

    source: str
    quoted: bool


Part = Text | Variable | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """Adjacent parts. A word with no parts does not exist; ``''`` is one empty quoted part."""

    parts: tuple[Part, ...]

    @property
    def plain(self) -> str | None:
        """Return the text, where nothing in the word is quoted or expanded."""
        if all(isinstance(part, Text) and not part.quoted for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Text))
        return None


@dataclass(frozen=True, slots=True)
class Operator:
    """``; & && || | ( )`` or a newline."""

    text: str


@dataclass(frozen=True, slots=True)
class Redirect:
    """``fd`` < > >> & target: the target is a file's name, or a descriptor after ``>&`` and ``<&``."""

    fd: int
    operator: str
    target: Word


Token = Word | Operator | Redirect
