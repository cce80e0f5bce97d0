"""Define the protocols of OCR engines, icon finders and namers, and the backends of one worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.arrangement import overlap
from manyhands.actors.perception.batching import Batcher
from manyhands.actors.perception.rows import Mask
from manyhands.actors.perception.screen_state import ScreenState, read_state
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

SAME_LINE = 0.3
"""A detected line counts as a known line if their boxes share at least this part of the smaller box's area."""


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """Hold which rows are to be read, one truth value for each row of the picture, and the texts on the other rows."""

    open_rows: Mask
    known: tuple[Element, ...]

    def unread(self, lines: Sequence[Box]) -> list[Box]:
        """Return the lines that reach into open rows and are not among the known lines."""
        return [line for line in lines if self.open_rows[line.y1 : line.y2].any() and not self._is_known(line)]

    def _is_known(self, line: Box) -> bool:
        return any(overlap(line, text.box) > SAME_LINE * max(min(line.area, text.box.area), 1) for text in self.known)


class TextReader(Protocol):
    """Reads lines of text. Synchronous; one instance belongs to one thread at a time."""

    def read(self, rgb: Rgb, part: UnreadPart | None = None) -> list[Element]:
        """Read the texts of a uint8 picture (height, width, 3) in reading order, with boxes in its pixels.

        With ``part``, return only the texts that ``part.unread`` leaves, and do no work on rows far from the open ones.
        Raises PerceptionError, or an error of the engine, which the service converts.
        """


class IconFinder(Protocol):
    """Finds icons. Synchronous; one instance belongs to one thread at a time."""

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``. If the finder knows no names, their content is empty."""


class IconNamer(Protocol):
    """Names icons. Synchronous; one instance belongs to one thread at a time."""

    def name_icons(self, rgb: Rgb, icons: Sequence[Element]) -> list[Element]:
        """Return the same icons in the same order. Give names to icons without content if the namer is sure."""


class IconMatcher(Protocol):
    """Compares icons with a description by their pixels. Synchronous; may be called from several threads."""

    def likeness(self, rgb: Rgb, boxes: Sequence[Box], description: str) -> NDArray[np.float32]:
        """Return how similar each box of the picture is to the description, 0 to 1. Raises PerceptionError."""


StateReader: TypeAlias = Callable[[Rgb, Sequence[Element], Sequence[Element]], ScreenState]
"""Determine the phone's state from a picture, its texts and its icons. A pure function."""


@dataclass(frozen=True, slots=True)
class Backends:
    """Hold one worker's reader, finder and namer. Without a namer, icons keep the finder's names.

    ``batcher``: the network that all workers share through batches. The service tells it which workers have a picture,
    counts its batches, and closes it at the end.
    """

    text: TextReader
    icons: IconFinder
    names: IconNamer | None = None
    state: StateReader = read_state
    batcher: Batcher[Any, Any] | None = None
