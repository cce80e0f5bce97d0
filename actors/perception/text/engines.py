"""Define what an OCR engine implements, and share one recognition network between all readers of a service.

An engine finds lines and recognises them. The network runs in batches if that pays on this device. The steps from lines
to texts are in ``text/reader.py``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.batching import SIZES, Batcher, BatchSettings, measured_size
from manyhands.actors.perception.rows import Mask
from manyhands.actors.perception.text.normalization import east_asian
from manyhands.protocol.screens.geometry import Box

HEIGHT = 48
"""The height of a line that recognition networks of the PP-OCR family see, in pixels."""
NARROWEST = 32
GREY = 127
"""The grey of the padding with which those networks are trained. Normalised, it is zero."""
SAMPLE_WIDTH = 192
"""The width of the crops for measuring batch sizes: twelve letters or four Chinese characters."""
SMALLEST_LINE = 3
"""The least length of a line's sides, in pixels."""


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


def width_class(width: int) -> int:
    """Return the width to which a line of ``width`` pixels (at HEIGHT) is padded: The padding is less than
    a third of the width, or less than 32 pixels.
    """
    step = max(NARROWEST, 1 << max(0, width.bit_length() - 3))
    return max(1, math.ceil(width / step)) * step


def scaled_width(crop: Rgb) -> int:
    """Return the width of ``crop`` at HEIGHT."""
    height, width = int(crop.shape[0]), int(crop.shape[1])
    return max(1, math.ceil(width * HEIGHT / height))


def fit_crop(crop: Rgb) -> Rgb:
    """Scale ``crop`` to HEIGHT and pad it with grey on the right to its width class."""
    wide = scaled_width(crop)
    fitted = np.full((HEIGHT, width_class(wide), 3), GREY, np.uint8)
    fitted[:, :wide] = cv2.resize(np.ascontiguousarray(crop), (wide, HEIGHT))
    return fitted


class BatchedRecognizer:
    """Implements Recognizer with a network that several readers share.

    Each crop is padded to its width class, alone or in a batch. So a crop is read in the same way in every batch, apart
    from rounding in the network's sums.
    """

    def __init__(self, batcher: Batcher[Rgb, RecognizedText]) -> None:
        """``batcher`` predicts crops of one shape."""
        self._batcher = batcher

    def recognize(self, crops: Sequence[Rgb]) -> list[RecognizedText]:
        """Recognise crops; blocks until the batches are done. Raises PerceptionError."""
        fitted = [fit_crop(crop) for crop in crops]
        read = self._batcher.ask([(crop.shape[1], crop) for crop in fitted])
        padded = (wide.shape[1] / scaled_width(crop) for crop, wide in zip(crops, fitted, strict=True))
        return [
            replace(reading, places=tuple(min(place * by, 1.0) for place in reading.places))
            for reading, by in zip(read, padded, strict=True)
        ]


def recognition_batcher(
    make: Callable[[int], Recognizer], settings: BatchSettings, clock: Callable[[], float] = time.perf_counter
) -> Batcher[Rgb, RecognizedText] | None:
    """Make a network that answers in batches. Return None if single crops are as fast as batches.

    ``make`` makes a recognizer whose network runs up to the given number of crops of one shape at once. ``clock``
    measures the sizes. For a network on the CPU, pass a clock of the process's CPU time: the load of other processes
    does not change it. Raises the errors of ``make``.
    """
    if settings.size == 1:
        return None
    size = settings.size
    recognizer = make(size or SIZES[-1])
    if size is None:
        sample = np.full((HEIGHT, SAMPLE_WIDTH, 3), 255, np.uint8)
        size = measured_size(recognizer.recognize, sample, clock=clock)
    return None if size == 1 else Batcher("recognition", recognizer.recognize, size, settings)
