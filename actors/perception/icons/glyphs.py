"""Short readings that are icons by their shape: a router read as CoD, a share sign as 6."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from protocol.screens import Element

LONGEST = 3
"""Characters of a reading that may be an icon."""
SURE = 0.9
"""Confidence from which a reading of two or three characters is believed."""
SURE_LARGE = 0.95
"""Confidence from which a single character that is larger than the other texts is believed."""
SQUAT = 0.5
"""Width for each character by height: letters of a font stand wider in the box of their line."""
LARGE = 1.5
"""Height of a character by the median height of the screen's texts."""


def mistaken(texts: Sequence[Element]) -> list[Element]:
    """Those of ``texts`` that are more likely icons, beside what ``doubtful_glyphs`` says of single characters."""
    if not texts:
        return []
    usual = statistics.median(_height(text) for text in texts)
    return [text for text in texts if _is_mistaken(text, usual)]


def _is_mistaken(text: Element, usual: float) -> bool:
    count = len(text.content)
    if count == 1:
        return text.confidence < SURE_LARGE and _height(text) > LARGE * usual
    width = text.box.x2 - text.box.x1
    return count <= LONGEST and text.confidence < SURE and width < SQUAT * count * _height(text)


def _height(text: Element) -> int:
    return text.box.y2 - text.box.y1
