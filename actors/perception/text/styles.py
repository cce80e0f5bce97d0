"""Changes of style in a line: a price and the struck or paler one beside it are two texts, a space apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.text.splitting import WORD_BLANK, Glyph, Ink, Piece

OTHER_COLOUR = 48
"""Levels of a channel by which the inks of two words differ, at least."""
FULL = 0.6
"""Share of a word's strongest contrast from which a pixel has its ink's colour."""
OTHER_SIZE = 1.2
"""Height of the larger type by the smaller one's, at least."""
MARK = 0.3
"""Share of the ink's height from which a glyph is a letter and not a dot, dash or comma."""
STRUCK_WIDTH = 1.5
"""Width of a struck word, in heights of the ink, at least: its letters are one glyph."""
STRUCK_BAND = (0.3, 0.75)
"""Where the line through a struck word lies, as shares of the word's height."""


_NUMBER = re.compile(r"\d")
_TWO_NUMBERS = re.compile(r"\d.*\s.*\d")


def has_number(text: str) -> bool:
    return _NUMBER.search(text) is not None


def has_two_numbers(text: str) -> bool:
    """Return whether there are digits on both sides of a space."""
    return _TWO_NUMBERS.search(text) is not None


def style_changes(rgb: Rgb, piece: Piece) -> list[int]:
    """Return the place of ``piece`` after which its style changes, as a list of none or one; ``rgb`` is the page.

    Colour alone is no change, or links and names would be cut from their sentences: the size has to change with it, or
    one part is struck through.
    """
    ink = piece.ink
    blanks = [k for k in range(piece.first, piece.end - 1) if ink.blank(k) >= WORD_BLANK[0] * ink.rows]
    if not blanks:
        return []
    line = rgb[piece.line.y1 : piece.line.y2, piece.line.x1 : piece.line.x2].astype(np.int16)
    ends = [piece.first, *(place + 1 for place in blanks), piece.end]
    words = [ink.glyphs[first:end] for first, end in itertools.pairwise(ends)]
    struck = [_is_struck(line, ink, word) for word in words]
    for number, place in enumerate(blanks, start=1):
        before, after = words[:number], words[number:]
        if all(struck[:number]) != all(struck[number:]) and any(struck[:number]) != any(struck[number:]):
            return [place]
        if _sizes_differ(ink, before, after) and _colours_differ(line, before, after):
            return [place]
    return []


Word = Sequence[Glyph]


def _sizes_differ(ink: Ink, before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Return whether one part is of smaller type: its highest letters are lower, and it has letters of two heights.

    The second is needed because words like ``on`` are lower than others in any type.
    """
    heights = [
        [glyph.height for word in part for glyph in word if glyph.height >= MARK * ink.rows] for part in (before, after)
    ]
    if not all(heights):
        return False
    smaller, larger = sorted(heights, key=max)
    return max(larger) >= OTHER_SIZE * max(smaller) and max(smaller) >= OTHER_SIZE * min(smaller)


def _colours_differ(line: NDArray[np.int16], before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Return whether each part has one colour and the other another one."""
    paper = np.median(np.concatenate([line[0], line[-1]]), axis=0)
    one, other = ([_colour(line, paper, word) for word in part] for part in (before, after))
    apart = min(_apart(left, right) for left in one for right in other)
    within = max(_apart(part[0], colour) for part in (one, other) for colour in part)
    return apart >= OTHER_COLOUR > 2 * within


def _colour(line: NDArray[np.int16], paper: NDArray[np.float64], word: Word) -> NDArray[np.float64]:
    pixels = line[:, word[0].left : word[-1].right].reshape(-1, 3)
    contrast = np.abs(pixels - paper).max(axis=1)
    return np.asarray(np.median(pixels[contrast >= FULL * contrast.max()], axis=0))


def _apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).max())


def _is_struck(line: NDArray[np.int16], ink: Ink, word: Word) -> bool:
    """Return whether a line runs through all of ``word``, which makes one glyph of it."""
    glyph = max(word, key=lambda glyph: glyph.width)
    if glyph.width < STRUCK_WIDTH * ink.rows or glyph.width < 0.9 * (word[-1].right - word[0].left):
        return False
    paper = np.median(np.concatenate([line[0], line[-1]]), axis=0)
    least, most = (glyph.top + round(share * glyph.height) for share in STRUCK_BAND)
    band = np.abs(line[least:most, glyph.left : glyph.right] - paper).max(axis=2)
    return band.size > 0 and bool((band > FULL * band.max()).mean(axis=1).max() > 0.97)
