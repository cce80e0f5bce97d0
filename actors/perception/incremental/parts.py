"""The part of a picture that is left to read, where some is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.perception.arrangement import overlap
from manyhands.actors.perception.incremental.rows import Mask
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element

SAME_LINE = 0.3
"""Common area by the smaller box's, from which a line that was found is one that is known."""


@dataclass(frozen=True, slots=True)
class Part:
    """Hold the rows to be read, one truth value per row of the picture, and the texts on the other rows."""

    open_rows: Mask
    known: tuple[Element, ...]


def unread(lines: Sequence[Box], part: Part) -> list[Box]:
    """Return the lines that reach into open rows and are not known."""
    return [
        line
        for line in lines
        if part.open_rows[line.y1 : line.y2].any() and not any(_same(line, text.box) for text in part.known)
    ]


def _same(one: Box, other: Box) -> bool:
    return overlap(one, other) > SAME_LINE * max(min(one.area, other.area), 1)
