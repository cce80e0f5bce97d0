"""The small protocols behind which OCR engines, icon finders and namers stand, and what a worker holds of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import overlap
from manyhands.actors.perception.incremental.rows import Mask
from manyhands.actors.perception.networks.batching import Batcher
from manyhands.actors.perception.state.screen_state import ScreenState, read_state
from manyhands.protocol.geometry import Box
from manyhands.protocol.screens import Element

SAME_LINE = 0.3
"""Common area by the smaller box's, from which a line that was found is one that is known."""


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """Hold the rows to be read, one truth value per row of the picture, and the texts on the other rows."""

    open_rows: Mask
    known: tuple[Element, ...]

    def unread(self, lines: Sequence[Box]) -> list[Box]:
        """Return the lines that reach into open rows and are not known."""
        return [line for line in lines if self.open_rows[line.y1 : line.y2].any() and not self._is_known(line)]

    def _is_known(self, line: Box) -> bool:
        return any(overlap(line, text.box) > SAME_LINE * max(min(line.area, text.box.area), 1) for text in self.known)


class TextReader(Protocol):
    """Reads lines of text. Synchronous; one instance belongs to one thread at a time."""

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        """Read the texts of a uint8 picture (height, width, 3), with boxes in its pixels, in reading order.

        With ``part``, those that ``part.unread`` leaves, and no work on rows far from the open ones.
        Raises PerceptionError, or what its engine raises: the service makes that typed.
        """


class IconFinder(Protocol):
    """Finds icons. Synchronous; one instance belongs to one thread at a time."""

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``; their content is empty if the finder knows no names."""


class IconNamer(Protocol):
    """Names icons. Synchronous; one instance belongs to one thread at a time."""

    def name_icons(self, rgb: Rgb, icons: Sequence[Element]) -> list[Element]:
        """Return the same icons in the same order, with names for those without content where the namer is sure."""


class IconMatcher(Protocol):
    """Compares icons with a description by their pixels. Synchronous; may be called from several threads."""

    def likeness(self, rgb: Rgb, boxes: Sequence[Box], description: str) -> NDArray[np.float32]:
        """Return how like each box of the picture is to the description, in shares of 1. Raises PerceptionError."""


StateReader: TypeAlias = Callable[[Rgb, Sequence[Element], Sequence[Element]], ScreenState]
"""Determines the phone's state from a picture, its texts and its icons. A pure function."""


@dataclass(frozen=True, slots=True)
class Backends:
    """Holds one worker's reader, finder and namer; without a namer icons keep the finder's names.

    ``batcher``: the network that all workers share through batches. The service registers each worker that has a
    picture in hand with it, counts its batches, and closes it at its end.
    """

    text: TextReader
    icons: IconFinder
    names: IconNamer | None = None
    state: StateReader = read_state
    batcher: Batcher[Any, Any] | None = None
