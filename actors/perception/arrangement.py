"""Arrange the texts and icons of one screen: decide which of two findings stays, and the reading order."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from manyhands.actors.perception.text.normalization import east_asian
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element

SURE_LETTER = 0.8
SURE_CHARACTER = 0.98
"""From these confidences on, a digit or a Latin letter in a row of keys, and any other character, counts as text."""
SURE_LARGE = 0.95
"""A character that is larger than the other texts counts as text from this confidence on."""
LARGE = 1.5
"""A character counts as large from this multiple of the median text height on."""
SURE_FEW, SURE_CHARACTERS = 0.8, 0.5
"""Two or three characters count as text from this confidence on, without and with an East Asian one among them."""
SURE_SQUAT, SQUAT = 0.9, 0.5
"""The least confidence of characters that stand closer together than a font's letters, and the greatest width of each
as a share of its height."""
FEW = 3
"""The most characters of a reading that may be an icon."""
SHORT = 4
"""The most characters that a reader makes of an icon."""
COVERED = 0.8
"""A text may be a wrong reading of an icon only if it covers at least this share of the icon."""
CERTAIN = 0.995
"""From this confidence on, a text does not count as a wrong reading of an icon. Signs that are read with more
confidence are recognized by their looks."""
SHAPES = frozenset("OoQXx十口")
"""Readers confuse a ring, a lens, a cross, a plus and a square with these characters, with high confidence too."""
KEYS_IN_A_ROW = 5
"""So many single characters in one row are a row of keys, where a letter is a letter."""
TOP_BAR, BOTTOM_BAR = 0.03, 0.955
"""The ends of the system's bars, as shares of the height. Single characters in these bars are symbols."""


def doubtful_glyphs(texts: Sequence[Element], size: Size) -> tuple[Element, ...]:
    """Return short texts that are usually misread icons: a lens read as Q, a chevron as >, a router as CoD."""
    usual = statistics.median(text.box.height for text in texts) if texts else 0
    glyphs: list[Element] = []
    for row in rows(text for text in texts if len(text.content) == 1):
        keys = is_row_of_keys(row)
        glyphs += [text for text in row if _is_doubtful(text, size, usual, among_keys=keys)]
    several = (text for text in texts if 1 < len(text.content) <= FEW)
    return (*glyphs, *(text for text in several if _are_doubtful(text)))


def is_row_of_keys(row: Sequence[Element]) -> bool:
    """Return whether ``row``, texts of one character each, is a row of keys."""
    return len(row) >= KEYS_IN_A_ROW


def _is_doubtful(text: Element, size: Size, usual: float, *, among_keys: bool) -> bool:
    if not text.content.isalnum():
        return True
    if not TOP_BAR * size.height <= text.centre[1] < BOTTOM_BAR * size.height:
        return True
    if text.content in SHAPES and not among_keys:
        return True
    if text.confidence < SURE_LARGE and text.box.height > LARGE * usual:
        return True
    sure = text.content.isdigit() or (text.content.isascii() and among_keys)
    return text.confidence < (SURE_LETTER if sure else SURE_CHARACTER)


def _are_doubtful(text: Element) -> bool:
    if text.box.width < SQUAT * len(text.content) * text.box.height and text.confidence < SURE_SQUAT:
        return True
    return text.confidence < (SURE_CHARACTERS if east_asian(text.content) else SURE_FEW)


def contains(box: Box, point: tuple[int, int]) -> bool:
    return box.x1 <= point[0] < box.x2 and box.y1 <= point[1] < box.y2


def overlap(one: Box, other: Box) -> int:
    """Return the common area in pixels."""
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    return max(width, 0) * max(height, 0)


def is_reading_of(text: Element, icon: Element) -> bool:
    """Return whether ``text`` is a reader's mistake for ``icon``: a few letters that lie on the icon and cover it."""
    short = len(text.content.replace(" ", "")) <= SHORT and contains(icon.box, text.centre)
    return short and text.confidence < CERTAIN and overlap(text.box, icon.box) >= COVERED * icon.box.area


def merge(texts: Sequence[Element], icons: Sequence[Element], size: Size) -> tuple[Element, ...]:
    """Return all elements in reading order.

    If an icon is in the same place, drop doubtful texts and wrong readings of the icon.
    """
    doubtful = doubtful_glyphs(texts, size)

    def gives_way(text: Element) -> bool:
        if text in doubtful and any(contains(icon.box, text.centre) for icon in icons):
            return True
        return any(is_reading_of(text, icon) for icon in icons)

    return tuple(reading_order([*(text for text in texts if not gives_way(text)), *icons]))


def rows(elements: Iterable[Element]) -> list[list[Element]]:
    """Group elements into lines from the top, each line from the left.

    Two elements share a line if their centres differ in height by less than half the smaller height.
    """
    lines: list[list[Element]] = []
    for element in sorted(elements, key=lambda item: item.centre[1]):
        if lines and _same_line(lines[-1], element):
            lines[-1].append(element)
        else:
            lines.append([element])
    return [sorted(line, key=lambda item: item.box.x1) for line in lines]


def _same_line(line: list[Element], element: Element) -> bool:
    first = line[0]
    lower = min(first.box.height, element.box.height)
    return abs(element.centre[1] - first.centre[1]) < max(lower, 1) / 2


def reading_order(elements: Iterable[Element]) -> list[Element]:
    return [element for line in rows(elements) for element in line]
