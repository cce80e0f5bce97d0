"""Whether a text that was read is the text that is meant, small misreadings allowed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

LIKENESS = 0.82
"""Share of equal characters from which two texts are the same text, misread."""
_SHORT = 3
_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1", "丨": "1", "“": '"', "”": '"', "’": "'", "‘": "'"})
_DIGITS = re.compile(r"\d")
_ORNAMENTS = "←→↑↓★☆|丨·•■□▪◀▶▲▼<>[]{}~^_=—–»«`'\" "
"""What OCR makes of carets, arrows and stars beside a text."""


@lru_cache(maxsize=8192)
def normal(text: str) -> str:
    """Without case, blanks, and the differences between characters that OCR takes for each other."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join((folded.strip(_ORNAMENTS) or folded).split()).translate(_ALIKE)


@lru_cache(maxsize=16384)
def likeness(wanted: str, seen: str) -> float:
    """From 0 to 1; 1 where both are the same but for what :func:`normal` takes away."""
    a, b = normal(wanted), normal(seen)
    if a == b:
        return 1.0
    if not a or not b or min(len(a), len(b)) / max(len(a), len(b)) < LIKENESS - 0.2:
        return 0.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= LIKENESS - 0.1 else 0.0


def is_same(wanted: str, seen: str) -> bool:
    """Return whether ``seen`` reads ``wanted``. Short texts and digits must be right."""
    score = likeness(wanted, seen)
    if score == 1.0:
        return True
    return len(normal(wanted)) > _SHORT and score >= LIKENESS and _figures(wanted) == _figures(seen)


def _figures(text: str) -> list[str]:
    """Return the digits of a text, and not the letters that ``normal`` makes digits of."""
    return _DIGITS.findall(unicodedata.normalize("NFKC", text))


def is_part(wanted: str, seen: str) -> bool:
    """Return whether ``wanted`` stands somewhere in ``seen``."""
    a, b = normal(wanted), normal(seen)
    if a in b:
        return True
    if len(a) <= _SHORT or len(b) < len(a) * LIKENESS:
        return False
    block = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    start = max(0, block.b - block.a)
    return is_same(a, b[start : start + len(a)])


def coverage(text: str, lines: Iterable[str]) -> float:
    """Return how much of ``text``, from 0 to 1, the lines hold, in pieces of four characters."""
    wanted, seen = normal(text), normal("".join(lines))
    if len(wanted) < 4:
        return float(bool(wanted) and wanted in seen)
    pieces = [wanted[start : start + 4] for start in range(len(wanted) - 3)]
    return sum(piece in seen for piece in pieces) / len(pieces)
