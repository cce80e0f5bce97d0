"""Define the tokens of a shell line."""

from __future__ import annotations

from dataclasses import dataclass


class ShellSyntaxError(ValueError):
    """Report a line that the shell refuses before it executes anything."""


@dataclass(frozen=True, slots=True)
class Text:
    """Hold characters that stand for themselves. Quoted ones are neither split nor matched with file names."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """Hold ``$name``, ``${name}`` or ``${name:-default}``. Digits and ``? $ # @ *`` are names, too."""

    name: str
    quoted: bool
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Substitution:
    """Hold ``$(source)``. It stands for the output of the script ``source``, without trailing newlines."""

    source: str
    quoted: bool


Part = Text | Variable | Substitution


@dataclass(frozen=True, slots=True)
class Word:
    """Hold adjacent parts. Every word has at least one; ``''`` is one empty quoted part."""

    parts: tuple[Part, ...]

    @property
    def plain(self) -> str | None:
        """Return the word's text; None if any part is quoted or expanded."""
        if all(isinstance(part, Text) and not part.quoted for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Text))
        return None


@dataclass(frozen=True, slots=True)
class Operator:
    """Hold an operator: one of ``; ;; & && || | ( )`` or a newline."""

    text: str


@dataclass(frozen=True, slots=True)
class Redirect:
    """Hold a redirection such as ``2> target``. The target is a file name; after ``>&`` and ``<&`` a descriptor."""

    fd: int
    operator: str
    target: Word


Token = Word | Operator | Redirect
