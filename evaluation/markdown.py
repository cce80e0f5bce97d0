"""Pieces of Markdown pages: whatever a model, a phone or a run said is text in them, never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def escaped(text: str) -> str:
    """Return a text on one line, kept from being Markdown or HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield _row(columns)
    yield _row("---" for _ in columns)
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
