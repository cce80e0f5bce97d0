"""Splitting found lines into texts: neighbouring labels come out of a detector as one box.

Two things tell labels from words: a blank wider than the others of the line, and columns that other rows of the page
keep to. All lengths are relative to the height of the line.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from pydantic import Field

from manyhands.actors.frames import Rgb
from manyhands.protocol.base import Input
from manyhands.protocol.geometry import Box

INK_CONTRAST = 28
"""Grey levels between the lightest and darkest pixel of a column or row that holds ink."""
RULE = 0.85
"""Share of a row that is ink from which it is part of an underline or of a frame."""
LEAST_INK = 0.5
"""Height of a text's ink, in heights of its line, at least: less is seen where letters hardly stand out."""
NARROW = 0.3
"""Width of a glyph, in heights of the line, under which it may be a comma, a bracket or a letter as thin as l."""
BROAD = 0.75
"""Width of a glyph, in heights of the ink, from which it may be a Chinese character."""
LEAST_BLANK = 0.2
"""Width of a blank, in heights of the ink, that may stand between two words; smaller ones stand between letters."""
WORD_BLANK = (0.28, 0.6)
"""Widths, in heights of the ink, from and up to which a blank is one between words of its line."""
DOTS = 3
"""The dots of an ellipsis."""
DOT, DOT_OFF = 0.25, 0.08
"""Largest side of a dot, and how unlike the dots may be in place, in heights of the ink."""
SYMBOL_BEYOND = 0.08
"""Height of a symbol beyond a text, above and below, in heights of the ink."""
COLUMN_OFF = 0.2
"""Between the middle of a text and that of its column, in heights of the line, at most."""
LEAST_COLUMNS = 3
"""Labels of a row from which it counts as a row of columns."""
ROWS_NEAR = 8.0
"""Heights of the line up to which another row may show the columns; a grid of icons has 4 to 6 between labels."""
SAME_HEIGHT = 1.45
"""The higher line by the lower one, at most, in one grid: a label may have letters that hang below it, or none."""


class SplitSettings(Input):
    """Set the widths of blanks, chosen by measurement (docs/perception.md)."""

    sure_gap: float = Field(default=0.95, gt=0)
    """A blank this wide, in heights of the line, always separates two texts."""
    likely_gap: float = Field(default=0.5, gt=0)
    """A blank this wide, in heights of the line, separates two texts where broad glyphs stand on both sides. Beside a
    narrow one it may be the blank half of a Chinese comma or bracket (0.5 to 0.7)."""
    sure_beside_characters: float = Field(default=0.9, gt=0)
    """The sure gap in heights of the ink beside a Chinese character: punctuation has 0.8 at most."""
    sure_beside_letters: float = Field(default=1.05, gt=0)
    """The sure gap beside other letters, whose ink may be lower."""
    likely_beside_letters: float = Field(default=0.65, gt=0)
    """As ``likely_gap``, in heights of the ink; a space between two words of low letters is 0.6."""
    odd_gap: float = Field(default=1.4, gt=1)
    """A blank this many times as wide as the widest between words of its line separates two texts,"""
    least_odd_gap: float = Field(default=0.56, gt=0)
    """if it is this wide, in heights of the ink. So does one between two Chinese characters; a space is 0.5."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """Hold columns of a line that hold ink, from ``left`` up to ``right``, and the rows of that ink."""

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
    """Hold the glyphs of a line from the left, in pixels of its picture; letters that touch are one glyph."""

    height: int
    """The height of the line."""
    rows: int
    """The rows from the highest to the lowest ink."""
    glyphs: tuple[Glyph, ...]

    def blank(self, place: int) -> int:
        """Return the width of the blank after glyph ``place``."""
        return self.glyphs[place + 1].left - self.glyphs[place].right

    def blanks(self) -> list[int]:
        """Return places after which there is a blank as wide as between words."""
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


def wide_blanks(ink: Ink, settings: SplitSettings) -> list[int]:
    """Return places of ``ink.glyphs`` after which another text begins, judged by the line alone."""
    return [place for place in ink.blanks() if _separates(ink, place, settings) or _ends_symbol(ink, place)]


def _separates(ink: Ink, place: int, settings: SplitSettings) -> bool:
    blank = ink.blank(place)
    sure = settings.sure_beside_characters if _may_be_east_asian(ink, place) else settings.sure_beside_letters
    if blank >= min(settings.sure_gap * ink.height, sure * ink.rows):
        return True
    left, right = ink.glyphs[place], ink.glyphs[place + 1]
    narrow = min(left.width, right.width) < NARROW * ink.height
    cut_short = ends_ellipsis(ink, place)
    others = [ink.blank(other) for other in ink.blanks() if other != place]
    least, most = WORD_BLANK
    words = [other for other in others if least * ink.rows <= other <= most * ink.rows]
    if words and (cut_short or not (narrow and _may_be_east_asian(ink, place))):
        return blank >= max(settings.odd_gap * max(words), settings.least_odd_gap * ink.rows)
    if min(left.width, right.width) >= BROAD * ink.rows:
        return blank >= settings.least_odd_gap * ink.rows
    likely = min(settings.likely_gap * ink.height, settings.likely_beside_letters * ink.rows)
    return blank >= likely and (cut_short or not narrow)


def ends_ellipsis(ink: Ink, place: int) -> bool:
    """Return whether the glyph at ``place`` is the last of three alike, even dots: a label that was cut short."""
    if place + 1 < DOTS:
        return False
    dots = ink.glyphs[place + 1 - DOTS : place + 1]
    largest = max(max(dot.width, dot.height) for dot in dots)
    apart = [following.left - dot.right for dot, following in itertools.pairwise(dots)]
    level = max(dot.bottom for dot in dots) - min(dot.bottom for dot in dots)
    return largest <= DOT * ink.rows and max(level, max(apart) - min(apart)) <= DOT_OFF * ink.rows


def _may_be_east_asian(ink: Ink, place: int) -> bool:
    """Return whether a glyph beside the blank is as large as a Chinese character, with a blank as punctuation has."""
    return any(min(glyph.width, glyph.height) >= BROAD * ink.rows for glyph in ink.glyphs[place : place + 2])


def _ends_symbol(ink: Ink, place: int) -> bool:
    """Return whether the blank stands between the line's text and a symbol before or after it, a lens or a star.

    Such a symbol reaches above and below all letters, which no letter does that is a word's blank away from them.
    """
    glyphs = ink.glyphs
    if ink.blank(place) < WORD_BLANK[0] * ink.rows:
        return False
    symbols, letters = (glyphs[:1], glyphs[1:]) if place == 0 else (glyphs[place + 1 :], glyphs[: place + 1])
    if len(symbols) != 1 or len(letters) < 2:
        return False
    beyond = SYMBOL_BEYOND * ink.rows
    above = min(letter.top for letter in letters) - symbols[0].top
    below = symbols[0].bottom - max(letter.bottom for letter in letters)
    return min(above, below) >= beyond


@dataclass(frozen=True, slots=True)
class Piece:
    """Hold a text of a line: glyphs ``first`` up to ``end``. A line without a blank is one piece of all columns."""

    line: Box
    ink: Ink
    first: int
    end: int

    @property
    def box(self) -> Box:
        """The box in the page's pixels, a tenth of the line's height wider at its sides; it may exceed the page."""
        glyphs, margin = self.ink.glyphs, self.ink.height // 10
        left = glyphs[self.first].left if self.first > 0 else 0
        right = glyphs[self.end - 1].right if self.end < len(glyphs) else self.line.width
        x1, x2 = self.line.x1 + left - margin, self.line.x1 + right + margin
        return Box(x1=max(x1, 0), y1=self.line.y1, x2=x2, y2=self.line.y2)

    @property
    def room(self) -> tuple[int, int | None]:
        """The page's columns between the ink of its neighbours on the line; None without one after it."""
        glyphs = self.ink.glyphs
        left = self.line.x1 + glyphs[self.first - 1].right if self.first > 0 else 0
        return left, self.line.x1 + glyphs[self.end].left if self.end < len(glyphs) else None

    @property
    def middle(self) -> float:
        """The column in the middle of the ink."""
        glyphs = self.ink.glyphs
        if not glyphs:
            return (self.line.x1 + self.line.x2) / 2
        return self.line.x1 + (glyphs[self.first].left + glyphs[self.end - 1].right) / 2

    def cut(self, places: Sequence[int]) -> list[Piece]:
        """Cut after each of these glyphs, which are in order."""
        ends = [*(place + 1 for place in places), self.end]
        return [replace(self, first=first, end=end) for first, end in zip([self.first, *ends], ends, strict=False)]


def pieces_of(rgb: Rgb, lines: Sequence[Box], settings: SplitSettings, known: Sequence[Box] = ()) -> list[Piece]:
    """Split the ``lines`` of a page into texts. ``known``: boxes of other texts, which may show columns."""
    found = []
    for line in lines:
        ink = ink_of(rgb[line.y1 : line.y2, line.x1 : line.x2])
        whole = Piece(line, ink, 0, len(ink.glyphs))
        found += whole.cut(wide_blanks(ink, settings)) if line.width >= 2 * ink.height else [whole]
    labels = [Label(piece.middle, piece.box) for piece in found] + [Label((box.x1 + box.x2) / 2, box) for box in known]
    return [part for piece in found for part in piece.cut(_columns(piece, labels))]


@dataclass(frozen=True, slots=True)
class Label:
    """Hold a text of the page that others may stand in one column with."""

    middle: float
    box: Box

    @property
    def level(self) -> float:
        """The row in the middle of the box."""
        return (self.box.y1 + self.box.y2) / 2


def _columns(piece: Piece, labels: Sequence[Label]) -> list[int]:
    """Return places where ``piece`` is cut so that its texts are centred in the columns of another row.

    App names under their icons are centred, and those of the next row are so in the same columns.
    """
    blanks = [place for place in piece.ink.blanks() if piece.first <= place < piece.end - 1]
    if not blanks:
        return []
    for row in _rows_near(piece, labels):
        places = _fit(piece, blanks, row, COLUMN_OFF * piece.ink.height)
        if places:
            return places
    return []


def _rows_near(piece: Piece, labels: Sequence[Label]) -> list[list[float]]:
    """Return middles of labels over the width of ``piece``, two or more, of rows about as high, nearest first."""
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


def _fit(piece: Piece, blanks: Sequence[int], columns: Sequence[float], off: float) -> list[int]:
    """Return one cut fewer than columns, each text within ``off`` of its column; none if that is impossible."""
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
