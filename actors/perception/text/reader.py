"""Texts of a screen from lines that an engine finds and recognises, the same whichever engine it is.

Finding and recognising are called apart, because a found line is cut at wide gaps in between: neighbouring labels (a
grid of app names) come out of a detector as one box.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
from pydantic import Field

from actors.frames import Rgb
from actors.perception.arrangement import reading_order
from actors.perception.incremental.parts import Part, unread
from actors.perception.text.engines import LineFinder, Recognizer
from protocol.base import Input
from protocol.geometry import Box
from protocol.screens import Element

INK_CONTRAST = 28
"""Grey levels between the lightest and darkest pixel of a column that holds ink."""
INK_MARGIN = 0.25
"""Paper around the ink of a text, in heights of the ink: as much as the detector leaves on average."""


class LineSettings(Input):
    """What becomes of found lines. Chosen by measurement, see docs/perception.md."""

    min_confidence: float = Field(default=0.5, ge=0, le=1)
    sure_gap: float = Field(default=0.95, gt=0)
    """A blank this wide, in heights of the line, always separates two texts."""
    likely_gap: float = Field(default=0.5, gt=0)
    """A blank this wide separates two texts where broad glyphs stand on both sides. Beside a narrow one it
    may be the blank half of a Chinese comma or bracket (0.5 to 0.7)."""


class LineReader:
    """Implements TextReader."""

    def __init__(self, finder: LineFinder, recognizer: Recognizer, settings: LineSettings) -> None:
        self._finder = finder
        self._recognizer = recognizer
        self._settings = settings

    def read(self, rgb: Rgb, part: Part | None = None) -> list[Element]:
        lines = self._finder.lines(rgb, None if part is None else part.open_rows)
        boxes = self._boxes(rgb, lines if part is None else unread(lines, part))
        if not boxes:
            return []
        read = self._recognizer.recognize([rgb[box.y1 : box.y2, box.x1 : box.x2] for box in boxes])
        texts = [
            Element(kind="text", box=box, content=reading.text.strip(), confidence=reading.confidence)
            for box, reading in zip(boxes, read, strict=True)
            if reading.text.strip() and reading.confidence >= self._settings.min_confidence
        ]
        return reading_order(texts)

    def _boxes(self, rgb: Rgb, lines: Sequence[Box]) -> list[Box]:
        """Of the texts in ``lines``."""
        boxes = []
        for line in lines:
            margin = (line.y2 - line.y1) // 10
            for left, right in self._parts(rgb[line.y1 : line.y2, line.x1 : line.x2]):
                x1, x2 = max(line.x1 + left - margin, 0), min(line.x1 + right + margin, rgb.shape[1])
                boxes.append(_snapped(rgb, Box(x1=x1, y1=line.y1, x2=x2, y2=line.y2)))
        return boxes

    def _parts(self, line: Rgb) -> list[tuple[int, int]]:
        """Columns (left, right) of the texts in a detected line; the whole line if it has no wide gap."""
        height, width = line.shape[:2]
        if width < 2 * height:
            return [(0, width)]
        grey = cv2.cvtColor(line, cv2.COLOR_RGB2GRAY)
        ink = grey.max(axis=0).astype(np.int16) - grey.min(axis=0) > INK_CONTRAST
        edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.astype(np.int8), [0]))))
        glyphs = [(int(left), int(right)) for left, right in edges.reshape(-1, 2)]
        if len(glyphs) < 2:
            return [(0, width)]
        parts, start = [], 0
        broad = 0.3 * height
        for (left, right), (following, end) in itertools.pairwise(glyphs):
            gap = following - right
            both_broad = right - left >= broad and end - following >= broad
            if gap >= self._settings.sure_gap * height or (gap >= self._settings.likely_gap * height and both_broad):
                parts.append((start, right))
                start = following
        return [*parts, (start, width)] if parts else [(0, width)]


def _snapped(rgb: Rgb, box: Box) -> Box:
    """``box`` with its sides at fixed distances from the ink in it; a side that cuts ink stays where it is.

    The detector's sides differ by a pixel or two with what else it sees; so that the same text is read alike
    wherever it stands, the recognition is not to see that.
    """
    height, width = rgb.shape[:2]
    grey = cv2.cvtColor(rgb[box.y1 : box.y2, box.x1 : box.x2], cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
    ink = np.abs(grey - paper) > INK_CONTRAST
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return box
    (top, bottom), (left, right) = (rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1)
    pad = max(2, round(INK_MARGIN * int(bottom - top)))
    return Box(
        x1=max(0, box.x1 + int(left) - pad) if left > 0 else box.x1,
        y1=max(0, box.y1 + int(top) - pad) if top > 0 else box.y1,
        x2=min(width, box.x1 + int(right) + pad) if right < grey.shape[1] else box.x2,
        y2=min(height, box.y1 + int(bottom) + pad) if bottom < grey.shape[0] else box.y2,
    )
