"""Describe the surroundings of a line's blanks in numbers.

From these numbers a network tells whether a blank separates labels or words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.text.ink import INK_CONTRAST, Glyph, Ink
from manyhands.protocol.screens.geometry import Box

Figures = NDArray[np.float32]
NEAR = 2.4
"""Within so many line heights, a row above or below a line may belong to the same paragraph, list or grid."""
FAR = 8.0
"""Within so many line heights, a row of several texts may show the columns of a grid.

Rows of icons have 4 to 6 between names.
"""
GRID = 3
"""The least number of lines in such a row."""
ALIKE = 1.5
"""The greatest ratio between the heights of two lines in such a row."""
SAME_ROW = 0.5
"""The middles of two lines in one row differ by at most so many line heights."""
EVEN = 0.4
"""The ends of aligned lines, one below the other, differ by at most so many line heights."""
MOST = 4.0
"""The greatest width of a blank, in heights of the ink. Greater widths count as this one."""


@dataclass(frozen=True, slots=True)
class Row:
    """Hold the ink of lines side by side, in columns of the page."""

    top: int
    bottom: int
    lines: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    """The right sides of the glyphs; ``left`` has their left sides. Both are in order from the left."""

    def is_open(self, x1: int, x2: int) -> bool | None:
        """Return whether half of the columns have no ink. Return None if the row does not extend over these columns."""
        middle = (x1 + x2) / 2
        if not len(self.left) or not self.left[0] < middle < self.right[-1]:
            return None
        inked = np.clip(np.minimum(self.right, x2) - np.maximum(self.left, x1), 0, None).sum()
        return bool(inked <= 0.5 * (x2 - x1))


class Surroundings:
    """Hold the lines of a page, to compare a line's blanks with the lines above, below and beside that line."""

    def __init__(self, rgb: Rgb, lines: Sequence[Box], inks: Sequence[Ink]) -> None:
        self._rgb = rgb
        self._boxes = lines
        self._inks = inks
        self._lines = np.array([(one.x1, one.y1, one.x2, one.y2) for one in lines], np.float32).reshape(-1, 4)
        self._rows = _rows_of(lines, inks)

    def ink(self, number: int) -> Ink:
        return self._inks[number]

    def figures(self, number: int) -> Figures:
        """Return the numbers that describe a line's blanks, shape (blanks, columns), in the order of ``Ink.blanks``."""
        line, ink = self._boxes[number], self._inks[number]
        places = ink.blanks()
        if not places:
            return np.zeros((0, COLUMNS), np.float32)
        near = self._near(number)
        near_rows = [row for row in self._rows if self._is_apart(row, line, SAME_ROW, NEAR)]
        grid = [row for row in self._rows if row.lines >= GRID and self._is_apart(row, line, NEAR, FAR)]
        page = _of_page(self._lines, near, number, self._rgb.shape[1], ink)
        looks = _looks(self._rgb[line.y1 : line.y2, line.x1 : line.x2], ink)
        widths = np.array([ink.blank(place) / ink.rows for place in places], np.float32)
        within = _within(ink)
        rows = []
        for at, place in enumerate(places):
            x1, x2 = line.x1 + ink.glyphs[place].right, line.x1 + ink.glyphs[place + 1].left
            rows.append(
                [
                    *_of_width(widths, at, within, ink),
                    *_of_glyphs(ink, place),
                    *_of_looks(looks, places, at, len(ink.glyphs)),
                    *_of_rows(near_rows, x1, x2),
                    *_of_rows(grid, x1, x2),
                    *page,
                ]
            )
        return np.array(rows, np.float32)

    def _near(self, number: int) -> list[int]:
        """Return the lines above and below that have about the same height and overlap the line's columns."""
        x1, y1, x2, y2 = self._lines[number]
        height, heights = y2 - y1, self._lines[:, 3] - self._lines[:, 1]
        apart = np.abs((self._lines[:, 1] + self._lines[:, 3]) / 2 - (y1 + y2) / 2)
        is_near = (apart > SAME_ROW * height) & (apart <= NEAR * height)
        is_near &= (heights < ALIKE * height) & (heights > height / ALIKE)
        is_near &= (self._lines[:, 0] < x2) & (self._lines[:, 2] > x1)
        return [int(place) for place in np.flatnonzero(is_near)]

    def _is_apart(self, row: Row, line: Box, least: float, most: float) -> bool:
        """Return whether a row of about the same height lies ``least`` to ``most`` line heights away from ``line``."""
        apart = abs(row.top + row.bottom - line.y1 - line.y2) / 2
        alike = 1 / ALIKE < (row.bottom - row.top) / line.height < ALIKE
        return alike and least * line.height < apart <= most * line.height


def _rows_of(lines: Sequence[Box], inks: Sequence[Ink]) -> list[Row]:
    rows: list[list[int]] = []
    for number in sorted(range(len(lines)), key=lambda each: lines[each].y1 + lines[each].y2):
        line = lines[number]
        first = lines[rows[-1][0]] if rows else None
        apart = 0.0 if first is None else abs(first.y1 + first.y2 - line.y1 - line.y2) / 2
        if first is not None and apart < SAME_ROW * min(first.height, line.height):
            rows[-1].append(number)
        else:
            rows.append([number])
    text_rows = []
    for row in rows:
        sides = sorted(
            (lines[each].x1 + glyph.left, lines[each].x1 + glyph.right) for each in row for glyph in inks[each].glyphs
        )
        left, right = (np.array([side[end] for side in sides], np.int64) for end in (0, 1))
        text_rows.append(Row(lines[row[0]].y1, lines[row[0]].y2, len(row), left, right))
    return text_rows


def _of_width(widths: NDArray[np.float32], at: int, within: float, ink: Ink) -> list[float]:
    """Return how wide a blank is, by the line's height and by the line's other blanks."""
    width, others = float(widths[at]), np.sort(np.delete(widths, at))
    lower, higher = others[others <= width], others[others > width]
    below = float(lower[-1]) if len(lower) else within
    above = float(higher[0]) if len(higher) else MOST
    most, middle = (float(others[-1]), float(np.median(others))) if len(others) else (0.0, 0.0)
    jump = _jump(widths)
    return [
        min(width, MOST),
        min(width * ink.rows / ink.height, MOST),
        min(most, MOST),
        min(middle, MOST),
        min(width - middle, MOST),
        min(width / max(most, 0.05), MOST),
        min(width / max(below, 0.05), MOST),
        min(above, MOST),
        float(len(lower) / max(len(others), 1)),
        float((others >= 0.8 * width).sum() / max(len(others), 1)),
        min(len(widths), 12) / 12,
        within,
        float(width > jump[0]),
        min(jump[1], MOST),
    ]


def _jump(widths: NDArray[np.float32]) -> tuple[float, float]:
    """Return the width at the largest step between the sorted widths, and the ratio of the two widths at this step."""
    ordered = np.sort(widths)
    if len(ordered) < 2:
        return MOST, 1.0
    steps = ordered[1:] / np.maximum(ordered[:-1], 0.05)
    most = int(np.argmax(steps))
    return float(ordered[most] + ordered[most + 1]) / 2, float(steps[most])


def _within(ink: Ink) -> float:
    """Return the usual gap between the letters of a word, in heights of the ink."""
    blanks = set(ink.blanks())
    letters = [ink.blank(place) for place in range(len(ink.glyphs) - 1) if place not in blanks]
    return float(np.median(letters)) / ink.rows if letters else 0.0


def _of_glyphs(ink: Ink, place: int) -> list[float]:
    """Return the sizes and places of the glyphs beside a blank, and of the words they belong to."""
    glyphs, blanks = ink.glyphs, ink.blanks()
    left, right = glyphs[place], glyphs[place + 1]
    at = blanks.index(place)
    begin = blanks[at - 1] + 1 if at else 0
    end = blanks[at + 1] + 1 if at + 1 < len(blanks) else len(glyphs)
    before, after = glyphs[begin : place + 1], glyphs[place + 1 : end]
    tall = [float(np.median([glyph.height for glyph in side])) for side in (glyphs[: place + 1], glyphs[place + 1 :])]
    broad = [max(glyph.width for glyph in side) / ink.rows for side in (before, after)]
    return [
        *(min(glyph.width / ink.rows, 2.0) for glyph in (left, right)),
        *(glyph.height / ink.rows for glyph in (left, right)),
        *(glyph.top / ink.height for glyph in (left, right)),
        *(glyph.bottom / ink.height for glyph in (left, right)),
        (tall[0] - tall[1]) / ink.rows,
        *(min(side[-1].right - side[0].left, 8 * ink.rows) / (8 * ink.rows) for side in (before, after)),
        *(min(len(side), 10) / 10 for side in (before, after)),
        *(min(each, 2.0) for each in broad),
        float(_ends_in_dots(glyphs[: place + 1], ink.rows)),
    ]


def _ends_in_dots(glyphs: Sequence[Glyph], rows: int) -> bool:
    dots = glyphs[-3:]
    return len(dots) == 3 and all(max(dot.width, dot.height) <= 0.25 * rows for dot in dots)


def _looks(picture: Rgb, ink: Ink) -> NDArray[np.float32]:
    """Return for each glyph the colour of its ink and of the paper around it, and the share of ink, shape (n, 7)."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
    away = np.abs(grey - paper)
    weight = np.where(away > INK_CONTRAST, away, 0).astype(np.float32)
    colours = _summed((picture.astype(np.float32) * weight[..., None]).sum(axis=0))
    weights, inked = _summed(weight.sum(axis=0)[:, None]), _summed((weight > 0).sum(axis=0)[:, None])
    edge = _summed((picture[0].astype(np.float32) + picture[-1]) / 2)
    figures = []
    for glyph in ink.glyphs:
        a, b = glyph.left, glyph.right
        colour = (colours[b] - colours[a]) / max(float((weights[b] - weights[a])[0]), 1e-6)
        share = float((inked[b] - inked[a])[0]) / (glyph.width * max(glyph.height, 1))
        figures.append([*(colour / 255), *((edge[b] - edge[a]) / glyph.width / 255), share])
    return np.array(figures, np.float32)


def _summed(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    zero = np.zeros((1, columns.shape[1]), np.float32)
    return np.concatenate([zero, np.cumsum(columns, axis=0, dtype=np.float64)]).astype(np.float32)


def _of_looks(looks: NDArray[np.float32], places: Sequence[int], at: int, glyphs: int) -> list[float]:
    """Return how ink, paper and weight differ between the words beside a blank, and between all before and after it."""
    begin = places[at - 1] + 1 if at else 0
    end = places[at + 1] + 1 if at + 1 < len(places) else glyphs
    cut = places[at] + 1
    words = np.abs(looks[begin:cut].mean(axis=0) - looks[cut:end].mean(axis=0))
    sides = np.abs(looks[:cut].mean(axis=0) - looks[cut:].mean(axis=0))
    return [
        *(float(each) for each in (words[:3].max(), words[3:6].max(), words[6])),
        *(float(each) for each in (sides[:3].max(), sides[3:6].max(), sides[6])),
    ]


def _of_rows(rows: Sequence[Row], x1: int, x2: int) -> list[float]:
    """Return the share of rows that have no ink in a blank's columns, and how many rows there are."""
    over = [state for state in (row.is_open(x1, x2) for row in rows) if state is not None]
    return [sum(over) / len(over) if over else 0.5, float(bool(over)), min(len(over), 4) / 4]


def _of_page(lines: Figures, near: Sequence[int], number: int, width: int, ink: Ink) -> list[float]:
    """Return how a line is aligned with those near it, how long it is, and what is beside it."""
    x1, y1, x2, y2 = lines[number]
    height = y2 - y1
    aligned = [
        float((np.abs(lines[list(near), side] - lines[number, side]) <= EVEN * height).mean()) if near else 0.0
        for side in (0, 2)
    ]
    middles = (lines[:, 1] + lines[:, 3]) / 2
    row = np.flatnonzero(np.abs(middles - (y1 + y2) / 2) < SAME_ROW * height)
    beside = [other for other in row if other != number]
    gaps = [max(lines[other, 0] - x2, x1 - lines[other, 2], 0) for other in beside]
    return [
        *aligned,
        min(len(near), 4) / 4,
        float(x2 - x1) / width,
        float(x1) / width,
        min(float(x2 - x1) / ink.height, 40) / 40,
        min(len(beside), 4) / 4,
        min(float(min(gaps, default=40 * height)) / height, 10.0) / 10,
    ]


COLUMNS = 14 + 16 + 6 + 3 + 3 + 8
"""How many numbers describe a blank."""
