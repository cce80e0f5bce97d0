"""Split lines into texts, and normalize recognised texts: one form of each character, and no symbols at the ends.

A detector returns neighbouring labels as one box. A small network tells blanks between labels from blanks between words
by their surroundings. Its weights lie beside this module and are made by ``training/gaps``. The columns of other rows
of the page show further cuts.

Texts are compared and typed in one form, whichever form an engine gave. Letters, digits and spaces are always
half-width. Punctuation is half-width in texts without a Chinese, Japanese or Korean character. In other texts it stays
as it was read, because both widths are in use. Dots at the end of a shortened text become three.

Symbols at the ends of a text (the lens of a search field, the arrow of a menu, a caret) are read as letters. Such a
symbol is too close to the text to be recognized by the blank alone. So it is recognized by the characters that it is
read as, provided that there is a blank.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.onnx import open_network
from manyhands.actors.perception.text.gaps import COLUMNS, Surroundings
from manyhands.actors.perception.text.ink import Glyph, Ink, ink_of
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Box

_OFFSET = 0xFEE0
"""The difference between a full-width form and its half-width one."""
_WIDE = {code: code - _OFFSET for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_LETTERS = {wide: plain for wide, plain in _WIDE.items() if plain == 0x20 or chr(plain).isalnum()}
_ALL = _WIDE | {ord("。"): ".", ord("、"): ","}
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_DOTS = re.compile(r"(\.{2,}|…+)")

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
BAR = 0.15
"""The greatest width of a caret, in heights of the ink."""
CARET_ABOVE = 0.05
"""How far a caret reaches above all letters, at least, in heights of the ink.

Its lower end is at least as low as theirs.
"""
LEAST_BLANK = 0.15
"""The least blank between the symbol and the text, in heights of the ink."""


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


def east_asian(text: str) -> bool:
    """Return whether ``text`` has a Chinese character, a kana or a hangul syllable."""
    return _EAST_ASIAN.search(text) is not None


def plain_forms(text: str) -> str:
    """Return ``text`` in the forms above, without white space at its ends. Idempotent."""
    return _DOTS.sub("...", text.translate(_LETTERS if east_asian(text) else _ALL)).strip()


LENSES = ("Q、", "Q,", "Q", "O、", "○", "◯", "□", "≡", "☰")
"""Readings of a lens or a menu before a text, with the comma as which a lens's handle may be read."""
SQUARES = ("口", "日", "目", "田", "回")
"""Readings of a square symbol before Latin letters."""
ARROWS = (">", "›", "〉", "》", "→", "√", "∨", "∇", "▽", "▼", "⌄", " v")
"""Readings of an arrow after a text."""
CARETS = ("|", "丨")
"""Readings of the caret after a typed text. It follows the last letter directly, so no blank is required.

Texts that end in an upright bar are rarer.
"""


def without_symbols(piece: TextSegment, content: str) -> tuple[TextSegment, str]:
    """Return a text, read as ``content``, without symbols at its ends. A text without symbols is returned unchanged."""
    if piece.end - piece.first < 2:
        return piece, content
    lens = next((read for read in (*LENSES, *SQUARES) if content.startswith(read)), "")
    rest = content[len(lens) :]
    if lens and rest.strip() and not _is_letter_of(rest, lens) and _blank(piece, piece.first):
        return without_symbols(piece.cut([piece.first])[1], rest.strip())
    arrow = next((read for read in ARROWS if content.endswith(read)), "")
    rest = content[: len(content) - len(arrow)]
    if arrow and rest.strip() and _blank(piece, piece.end - 2):
        return piece.cut([piece.end - 2])[0], rest.strip()
    caret = next((read for read in CARETS if content.endswith(read)), "")
    rest = content[: len(content) - len(caret)].strip()
    if caret and rest:
        return (piece.cut([piece.end - 2])[0] if _ends_in_bar(piece) else piece), rest
    return piece, content


def without_carets(piece: TextSegment) -> TextSegment:
    """Return ``piece`` without a caret at one of its ends: a bar that reaches above and below all letters.

    A caret before a text stands in an empty field, and the text is the field's hint.
    """
    glyphs = piece.ink.glyphs[piece.first : piece.end]
    if len(glyphs) < 2:
        return piece
    if _is_caret(glyphs[-1], glyphs[:-1], piece.ink):
        return replace(piece, end=piece.end - 1)
    if _is_caret(glyphs[0], glyphs[1:], piece.ink):
        return replace(piece, first=piece.first + 1)
    return piece


def _is_caret(bar: Glyph, letters: Sequence[Glyph], ink: Ink) -> bool:
    above = min(letter.top for letter in letters) - bar.top
    below = bar.bottom - max(letter.bottom for letter in letters)
    return bar.width <= BAR * ink.rows and above >= CARET_ABOVE * ink.rows and below >= 1


def _is_letter_of(rest: str, lens: str) -> bool:
    """Return whether a possible symbol is the first letter of a word."""
    if lens in SQUARES:
        return not (rest.strip()[0].isascii() and rest.strip()[0].isalpha())
    return lens.isalpha() and rest[0].isascii() and not rest[0].isspace()


def _ends_in_bar(piece: TextSegment) -> bool:
    last = piece.ink.glyphs[piece.end - 1]
    return last.right - last.left <= BAR * piece.ink.rows


def _blank(piece: TextSegment, place: int) -> bool:
    return piece.ink.blank(place) >= LEAST_BLANK * piece.ink.rows
