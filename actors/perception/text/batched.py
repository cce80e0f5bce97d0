"""Share one recognition network between all readers of a service, in batches if that pays on this device."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.networks.batching import SIZES, Batcher, BatchSettings, measured_size
from manyhands.actors.perception.text.engines import RecognizedText, Recognizer

HEIGHT = 48
"""The height of a line that recognition networks of the PP-OCR family see, in pixels."""
NARROWEST = 32
GREY = 127
"""The grey of the padding with which those networks are trained. Normalised, it is zero."""
SAMPLE_WIDTH = 192
"""The width of the crops for measuring batch sizes: twelve letters or four Chinese characters."""


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
