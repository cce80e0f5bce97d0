"""Define what an OCR engine implements: find lines and recognise them. Define what engines share.

The steps from lines to texts are in ``text/reader.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.incremental.rows import Mask
from manyhands.actors.perception.text.normalization import east_asian
from manyhands.protocol.screens.geometry import Box


@dataclass(frozen=True, slots=True)
class RecognizedText:
    """Hold the text of one crop with a ``confidence`` from 0 to 1. The text is empty if nothing was recognised."""

    text: str
    confidence: float
    places: tuple[float, ...] = ()
    """The place of each character except blanks, from the crop's left side in crop widths. Empty if it is unknown."""


class LineFinder(Protocol):
    """Finds lines. Synchronous; one instance belongs to one thread at a time."""

    def lines(self, rgb: Rgb, open_rows: Mask | None = None) -> list[Box]:
        """Return upright boxes around the lines of a uint8 picture (height, width, 3), clipped to it, in no order.

        With ``open_rows``, the result must contain the lines on these rows. It may contain others.
        """


class Recognizer(Protocol):
    """Recognises lines. Synchronous; one instance belongs to one thread at a time."""

    def recognize(self, crops: Sequence[Rgb]) -> list[RecognizedText]:
        """Return a reading for each crop (uint8, RGB, any size), in order.

        A reading must not depend on the other crops.
        """


SMALLEST_LINE = 3
"""The least length of a line's sides, in pixels."""


def boxes_around(outlines: ArrayLike, width: int, height: int) -> list[Box]:
    """Return upright boxes around outlines (lines, 4, 2) of corners x, y, clipped to a picture, without tiny ones."""
    points: NDArray[np.float64] = np.asarray(outlines, float).reshape(-1, 4, 2)
    limits = (width, height)
    low = np.clip(np.floor(points.min(axis=1)), 0, limits).astype(int)
    high = np.clip(np.ceil(points.max(axis=1)), 0, limits).astype(int)
    large = (high - low).min(axis=1) >= SMALLEST_LINE
    corners = zip(low[large].tolist(), high[large].tolist(), strict=True)
    return [Box(x1=x1, y1=y1, x2=x2, y2=y2) for (x1, y1), (x2, y2) in corners]


def columns_of(reading: RecognizedText, content: str, crop: Box) -> tuple[int, ...]:
    """Return the pixel column of each character of ``content``.

    ``content`` was made from ``reading``, the reading of ``crop``. Return nothing for a single word or character, or if
    the engine does not tell where characters are. Characters that differ from the reading, and blanks, are placed
    evenly between their neighbours.
    """
    read = [character for character in reading.text if not character.isspace()]
    if len(read) != len(reading.places) or not read:
        return ()
    if len(content) < 2 or not (" " in content or east_asian(content)):
        return ()
    visible_places = [place for place, character in enumerate(content) if not character.isspace()]
    place_of: dict[int, float] = {}
    matcher = SequenceMatcher(None, read, [content[place] for place in visible_places], autojunk=False)
    for match in matcher.get_matching_blocks():
        for step in range(match.size):
            place_of[visible_places[match.b + step]] = reading.places[match.a + step]
    if not place_of:
        return ()
    places = np.interp(range(len(content)), sorted(place_of), [place_of[place] for place in sorted(place_of)])
    return tuple(int(crop.x1 + place * crop.width) for place in np.maximum.accumulate(places))
