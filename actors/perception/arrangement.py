"""How texts and icons of one screen come together: which of two findings stays, and the order of reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from protocol.geometry import Box, Size
from protocol.screens import Element

SURE_LETTER = 0.8
SURE_CHARACTER = 0.98
"""Confidence from which a digit or one Latin letter of several in a row, or any other character, is taken for text."""


SHAPES = frozenset("OoQXx十口")
"""A ring, a lens, a cross, a plus and a square are read as these with any confidence."""
KEYS_IN_A_ROW = 5
"""Characters by themselves in one row that make it a row of keys, where a letter is what it says."""
TOP_BAR, BOTTOM_BAR = 0.03, 0.955
"""Of the height: where the system's own bars end and begin. Characters by themselves there are its symbols."""


def doubtful_glyphs(texts: Sequence[Element], size: Size) -> tuple[Element, ...]:
    """Characters by themselves that are more often icons: a lens read as Q, a chevron as >, a calendar as 田."""
    single = [text for text in texts if len(text.content) == 1]
    found: list[Element] = []
    for row in rows(single):
        keys = len(row) >= KEYS_IN_A_ROW
        found += [text for text in row if _is_doubtful(text, size, among_keys=keys)]
    return tuple(found)


def _is_doubtful(text: Element, size: Size, *, among_keys: bool) -> bool:
    if not text.content.isalnum():
        return True
    if not TOP_BAR * size.height <= text.centre[1] < BOTTOM_BAR * size.height:
        return True
    if text.content in SHAPES and not among_keys:
        return True
    sure = text.content.isdigit() or (text.content.isascii() and among_keys)
    return text.confidence < (SURE_LETTER if sure else SURE_CHARACTER)


def contains(box: Box, point: tuple[int, int]) -> bool:
    return box.x1 <= point[0] < box.x2 and box.y1 <= point[1] < box.y2


def overlap(one: Box, other: Box) -> int:
    """Common area in pixels."""
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    return max(width, 0) * max(height, 0)


def merge(texts: Sequence[Element], icons: Sequence[Element], size: Size) -> tuple[Element, ...]:
    """All elements in reading order; a doubtful glyph gives way to the icon that was found in its place."""
    doubtful = doubtful_glyphs(texts, size)
    kept = [text for text in texts if not (text in doubtful and any(contains(icon.box, text.centre) for icon in icons))]
    return tuple(reading_order([*kept, *icons]))


def rows(elements: Iterable[Element]) -> list[list[Element]]:
    """Elements by line, from the top, each line from the left.

    Two elements share a line if their centres differ in height by less than half of the lower one.
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
    lower = min(first.box.y2 - first.box.y1, element.box.y2 - element.box.y1)
    return abs(element.centre[1] - first.centre[1]) < max(lower, 1) / 2


def reading_order(elements: Iterable[Element]) -> list[Element]:
    return [element for line in rows(elements) for element in line]
