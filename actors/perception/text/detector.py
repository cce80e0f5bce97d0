"""Find lines of text on a picture, or on some of its rows, by the PP-OCR detection network.

The network is used without RapidOCR's pipeline, which would turn and copy every line and accepts whole pictures only.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidocr.ch_ppocr_det.utils import DBPostProcess

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.onnx import open_network
from manyhands.actors.perception.rows import STRIP, Mask, zones
from manyhands.actors.perception.text.engines import boxes_around
from manyhands.protocol.screens.geometry import Box

CONTEXT_STRIPS = 0.5
"""How many strips beyond the open rows are included, so that no line's edge lies at a strip's edge."""
LEAST_STRIPS = 8
"""The least strips of a zone. Smaller zones are read worse (docs/perception.md)."""


class LineDetector:
    """Find lines. Synchronous; belongs to one thread at a time. Making one takes 0.2 s."""

    def __init__(self, model: Path, threads: int, side: int) -> None:
        """``side``: the longer side of the picture that the network sees, in pixels."""
        # The network's memory of 80 MB is kept between pictures, which saves a fifth of the CPU time.
        self._network = open_network(model, threads, keep_memory=True)
        self._input = self._network.get_inputs()[0].name
        self._side = side
        # The thresholds of RapidOCR's configuration for these models.
        self._boxes = DBPostProcess(thresh=0.3, box_thresh=0.5, unclip_ratio=1.6, score_mode="fast")

    def lines(self, rgb: Rgb, open_rows: Mask | None = None) -> list[Box]:
        """Return upright boxes around lines, clipped to the picture, in no order.

        With ``open_rows``, find only lines near these rows.
        """
        height, width = rgb.shape[:2]
        reduced = self._reduced(rgb)
        strips = reduced.shape[0] // STRIP
        ranges = [(0, strips)] if open_rows is None else zones(open_rows, strips, CONTEXT_STRIPS, LEAST_STRIPS)
        likely = np.zeros((1, 1, *reduced.shape[:2]), np.float32)
        for first, end in ranges:
            rows = slice(first * STRIP, end * STRIP)
            likely[:, :, rows] = self._network.run(None, {self._input: _normal(reduced[rows])})[0]
        corners, _ = self._boxes(likely, (height, width))
        return boxes_around(corners, width, height)

    def _reduced(self, rgb: Rgb) -> Rgb:
        """Return the picture as the network expects it: BGR, with sides that are multiples of a strip."""
        height, width = rgb.shape[:2]
        ratio = min(1.0, self._side / max(height, width))
        sides = [max(STRIP, round(int(side * ratio) / STRIP) * STRIP) for side in (width, height)]
        return np.asarray(cv2.resize(np.ascontiguousarray(rgb[:, :, ::-1]), sides), dtype=np.uint8)


def _normal(bgr: Rgb) -> NDArray[np.float32]:
    """Return the input, shape (1, 3, height, width), from -1 to 1."""
    scaled = bgr.astype(np.float32)
    scaled *= 1 / 127.5
    scaled -= 1.0
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None])
