"""The protocols of an OCR engine: find lines, and recognise them. The rest is in ``text/reader.py``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.incremental.rows import Mask
from manyhands.protocol.geometry import Box


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold the text of one crop, with a ``confidence`` from 0 to 1; empty if nothing was recognised."""

    text: str
    confidence: float
    places: tuple[float, ...] = ()
    """Where each character stands that is no blank, in widths of the crop from its left; empty if nobody knows."""


class LineFinder(Protocol):
    """Finds lines. Synchronous; one instance belongs to one thread at a time."""

    def lines(self, rgb: Rgb, open_rows: Mask | None = None) -> list[Box]:
        """Return upright boxes around the lines of a uint8 picture (height, width, 3), clipped to it, in no order.

        With ``open_rows``, those on these rows, and others only as it happens.
        """


class Recognizer(Protocol):
    """Recognises lines. Synchronous; one instance belongs to one thread at a time."""

    def recognize(self, crops: Sequence[Rgb]) -> list[Reading]:
        """Return a reading for each crop (uint8, RGB, any size), in order, whatever crops are beside it."""
