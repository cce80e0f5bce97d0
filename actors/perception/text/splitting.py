"""Split found lines into texts, because a detector returns neighbouring labels as one box.

A small network tells blanks between labels from blanks between words by their surroundings. Its weights lie beside this
module and are made by ``training/gaps``. The columns of other rows of the page show further cuts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.networks.onnx import open_network
from manyhands.actors.perception.text.gaps import COLUMNS, Surroundings
from manyhands.actors.perception.text.ink import Ink, ink_of
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box

WORD_BLANK = (0.28, 0.6)
"""The least and greatest width of a blank between the words of a line, in heights of the ink."""
DOTS = 3
"""The dots of an ellipsis."""
DOT, DOT_OFF = 0.25, 0.08
"""The greatest side of a dot, and how much the dots' places may differ, in heights of the ink."""
COLUMN_OFF = 0.2
"""The greatest distance between the middles of a text and of its column, in heights of the line."""
LEAST_COLUMNS = 3
"""A row with at least so many labels counts as a row of columns."""
ROWS_NEAR = 8.0
"""Another row may show the columns within so many line heights. A grid of icons has 4 to 6 between labels."""
SAME_HEIGHT = 1.45
"""The greatest ratio between line heights in one grid. A label may have letters that hang below the line, or none."""


WEIGHTS = Path(__file__).parent / "weights" / "gaps.onnx"
MADE_BY = "make train-gaps"


class SplitSettings(Input):
    weights: Path | None = None
    """An ONNX file made by ``training/gaps``. The default is the one that is shipped."""
    separates: float = Field(default=0.7, gt=0, lt=1)
    """A blank separates two texts from this probability on."""


class GapJudge:
    """Tell blanks between two texts from blanks within one. Synchronous; belongs to one thread at a time."""

    def __init__(self, settings: SplitSettings) -> None:
        """Open the weights. Raises PerceptionError without onnxruntime or a file, or for weights that are not ours."""
        weights = settings.weights or WEIGHTS
        self._separates = settings.separates
        self._network = open_network(weights, 1)
        shape = self._network.get_inputs()[0].shape
        if len(shape) != 2 or shape[1] != COLUMNS:
            raise PerceptionError(f"{weights} tells no blanks apart; use a file that `{MADE_BY}` made")

    def find_cuts(self, surroundings: Surroundings, count: int) -> list[list[int]]:
        """Return for each of the first ``count`` lines the glyphs after which another text begins."""
        figures = [surroundings.figures(number) for number in range(count)]
        rows = np.concatenate([np.empty((0, COLUMNS), np.float32), *figures])
        cuts = self._network.run(None, {"figures": rows})[0] >= self._separates if len(rows) else np.empty(0, bool)
        ends = np.cumsum([len(each) for each in figures])
        blanks = (surroundings.ink(number).blanks() for number in range(count))
        parts = np.split(cuts, ends[:-1]) if count else []
        return [
            [place for place, cut in zip(places, part, strict=True) if cut]
            for places, part in zip(blanks, parts, strict=True)
        ]


def ends_ellipsis(ink: Ink, place: int) -> bool:
    """Return whether the glyph at ``place`` is the last of three similar, even dots: the end of a shortened label."""
    if place + 1 < DOTS:
        return False
    dots = ink.glyphs[place + 1 - DOTS : place + 1]
    largest = max(max(dot.width, dot.height) for dot in dots)
    apart = [following.left - dot.right for dot, following in itertools.pairwise(dots)]
    level = max(dot.bottom for dot in dots) - min(dot.bottom for dot in dots)
    return largest <= DOT * ink.rows and max(level, max(apart) - min(apart)) <= DOT_OFF * ink.rows


@dataclass(frozen=True, slots=True)
class TextSegment:
    """Hold a text of a line: glyphs ``first`` up to ``end``. A line without a blank is one segment."""

    line: Box
    ink: Ink
    first: int
    end: int

    @property
    def box(self) -> Box:
        """Return the box in the page's pixels, wider on both sides by a tenth of the line's height.

        The box may extend beyond the page.
        """
        glyphs, margin = self.ink.glyphs, self.ink.height // 10
        left = glyphs[self.first].left if self.first > 0 else 0
        right = glyphs[self.end - 1].right if self.end < len(glyphs) else self.line.width
        x1, x2 = self.line.x1 + left - margin, self.line.x1 + right + margin
        return Box(x1=max(x1, 0), y1=self.line.y1, x2=x2, y2=self.line.y2)

    @property
    def free_columns(self) -> tuple[int, int | None]:
        """Return the page's columns between the ink of both neighbours on the line.

        An end is None if no neighbour follows there.
        """
        glyphs = self.ink.glyphs
        left = self.line.x1 + glyphs[self.first - 1].right if self.first > 0 else 0
        return left, self.line.x1 + glyphs[self.end].left if self.end < len(glyphs) else None

    @property
    def middle(self) -> float:
        """Return the column in the middle of the ink."""
        glyphs = self.ink.glyphs
        if not glyphs:
            return (self.line.x1 + self.line.x2) / 2
        return self.line.x1 + (glyphs[self.first].left + glyphs[self.end - 1].right) / 2

    def cut(self, places: Sequence[int]) -> list[TextSegment]:
        """Cut after each of these glyphs, given in order."""
        ends = [*(place + 1 for place in places), self.end]
        return [replace(self, first=first, end=end) for first, end in zip([self.first, *ends], ends, strict=False)]


def pieces_of(rgb: Rgb, lines: Sequence[Box], judge: GapJudge, fixed: Sequence[Box] = ()) -> list[TextSegment]:
    """Split the ``lines`` of a page into texts.

    ``fixed``: boxes of the page's other texts, for comparison with the lines.
    """
    inks = [ink_of(rgb[box.y1 : box.y2, box.x1 : box.x2]) for box in (*lines, *fixed)]
    places = judge.find_cuts(Surroundings(rgb, (*lines, *fixed), inks), len(lines))
    pieces = []
    for line, ink, cuts in zip(lines, inks, places, strict=False):
        pieces += TextSegment(line, ink, 0, len(ink.glyphs)).cut(cuts)
    labels = [Label(piece.middle, piece.box) for piece in pieces] + [Label((box.x1 + box.x2) / 2, box) for box in fixed]
    return [part for piece in pieces for part in piece.cut(_columns(piece, labels))]


@dataclass(frozen=True, slots=True)
class Label:
    """Hold a text of the page that may share a column with others."""

    middle: float
    box: Box

    @property
    def level(self) -> float:
        """Return the row in the middle of the box."""
        return (self.box.y1 + self.box.y2) / 2


def _columns(piece: TextSegment, labels: Sequence[Label]) -> list[int]:
    """Return where to cut ``piece`` so that its texts are centred in the columns of another row.

    App names are centred under their icons, and the names of the next row are centred in the same columns.
    """
    blanks = [place for place in piece.ink.blanks() if piece.first <= place < piece.end - 1]
    if not blanks:
        return []
    for row in _rows_near(piece, labels):
        places = _fit(piece, blanks, row, COLUMN_OFF * piece.ink.height)
        if places:
            return places
    return []


def _rows_near(piece: TextSegment, labels: Sequence[Label]) -> list[list[float]]:
    """Return for each row of similar height, nearest first, the middles of its labels above or below ``piece``."""
    box = piece.box
    height, centre = box.height, (box.y1 + box.y2) / 2
    rows: list[list[Label]] = []
    for label in sorted(labels, key=lambda label: label.level):
        alike = 1 / SAME_HEIGHT <= label.box.height / height <= SAME_HEIGHT
        if not alike or not height < abs(label.level - centre) <= ROWS_NEAR * height:
            continue
        if rows and label.level - rows[-1][0].level < height / 2:
            rows[-1].append(label)
        else:
            rows.append([label])
    rows = [row for row in rows if len(row) >= LEAST_COLUMNS]
    rows.sort(key=lambda row: abs(row[0].level - centre))
    over = [sorted(label.middle for label in row if box.x1 <= label.middle < box.x2) for row in rows]
    return [row for row in over if len(row) > 1]


def _fit(piece: TextSegment, blanks: Sequence[int], columns: Sequence[float], off: float) -> list[int]:
    """Return one cut fewer than columns, with each text within ``off`` of its column.

    Return none if that is impossible.
    """
    if len(columns) == 1:
        return []
    for cut in blanks:
        first, *rest = piece.cut([cut])
        if abs(first.middle - columns[0]) <= off:
            further = [place for place in blanks if place > cut]
            places = _fit(rest[0], further, columns[1:], off)
            if len(places) == len(columns) - 2 and abs(rest[0].cut(places)[-1].middle - columns[-1]) <= off:
                return [cut, *places]
    return []
