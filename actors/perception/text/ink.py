"""Find the ink of a line: its glyphs from the left, and the blanks between them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from manyhands.actors.frames import Rgb

INK_CONTRAST = 28
"""A column or row holds ink if its lightest and darkest pixels differ by more grey levels than this."""
RULE = 0.85
"""A row with at least this share of ink is part of an underline or a frame."""
LEAST_INK = 0.5
"""The least height of a text's ink, in line heights. A smaller height is found where letters hardly differ from the
ground."""
LEAST_BLANK = 0.2
"""The least width of a blank between two words, in heights of the ink. Smaller ones are between letters."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """Hold the columns of a line from ``left`` up to ``right`` that have ink, and the rows of that ink."""

    left: int
    right: int
    top: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Ink:
    """Hold the glyphs of a line from the left, in pixels of its picture. Letters that touch are one glyph."""

    height: int
    """The height of the line."""
    rows: int
    """The rows from the highest to the lowest ink."""
    glyphs: tuple[Glyph, ...]

    def blank(self, place: int) -> int:
        """Return the width of the blank after glyph ``place``."""
        return self.glyphs[place + 1].left - self.glyphs[place].right

    def blanks(self) -> list[int]:
        """Return the glyphs, by number, after which a blank is wide enough to be between words."""
        least = LEAST_BLANK * self.rows
        return [place for place in range(len(self.glyphs) - 1) if self.blank(place) >= least]


def ink_of(line: Rgb) -> Ink:
    """Find the ink of a line in its uint8 picture (height, width, 3)."""
    grey = cv2.cvtColor(line, cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
    marked = np.abs(grey - paper) > INK_CONTRAST
    rules = marked.mean(axis=1) >= RULE
    if rules.any() and not rules.all():
        grey[rules], marked[rules] = paper, False
    columns = grey.max(axis=0) - grey.min(axis=0) > INK_CONTRAST
    edges = np.flatnonzero(np.diff(np.concatenate(([0], columns.astype(np.int8), [0])))).reshape(-1, 2)
    rows = np.flatnonzero(marked.any(axis=1))
    glyphs = []
    for left, right in edges:
        inked = np.flatnonzero(marked[:, left:right].any(axis=1))
        top, bottom = (int(inked[0]), int(inked[-1]) + 1) if len(inked) else (0, len(grey))
        glyphs.append(Glyph(int(left), int(right), top, bottom))
    height = int(rows[-1] - rows[0] + 1) if len(rows) else len(grey)
    return Ink(len(grey), max(height, round(LEAST_INK * len(grey))), tuple(glyphs))
