"""The two small protocols behind which OCR engines and icon detectors stand, and what a worker holds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from actors.frames import Rgb
from actors.perception.incremental.parts import Part
from protocol.screens import Element


class TextReader(Protocol):
    """Reads lines of text. Synchronous; one instance belongs to one thread at a time."""

    def read(self, rgb: Rgb, part: Part | None = None) -> list[Element]:
        """Texts of a uint8 picture of shape (height, width, 3), boxes in its pixels, in reading order.

        With ``part``, those that ``parts.unread`` leaves, and no work on rows far from the open ones.
        Raises PerceptionError, or what its engine raises: the service makes that typed.
        """


class IconFinder(Protocol):
    """Finds icons. Synchronous; one instance belongs to one thread at a time."""

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Icons that are not among ``texts``, with an empty content where the finder has no names."""


@dataclass(frozen=True, slots=True)
class Backends:
    """One worker's reader and finder."""

    text: TextReader
    icons: IconFinder
