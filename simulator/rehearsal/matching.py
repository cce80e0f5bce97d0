"""Decide whether a text that was read is the intended text, with small misreadings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

LIKENESS = 0.82
"""Two texts with at least this share of equal characters count as one text that was misread."""
_SHORT = 3
_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1", "丨": "1", "“": '"', "”": '"', "’": "'", "‘": "'"})
_DIGITS = re.compile(r"\d")
_ORNAMENTS = "←→↑↓★☆|丨·•■□▪◀▶▲▼<>[]{}~^_=—–»«`'\" "
"""Characters that OCR reads for carets, arrows and stars beside a text."""


@lru_cache(maxsize=8192)
def normal(text: str) -> str:
    """Return a text without case, blanks, and differences between characters that OCR confuses."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join((folded.strip(_ORNAMENTS) or folded).split()).translate(_ALIKE)


@lru_cache(maxsize=16384)
def likeness(wanted: str, seen: str) -> float:
    """Return the similarity from 0 to 1. It is 1 if both texts are equal after :func:`normal`."""
    a, b = normal(wanted), normal(seen)
    if a == b:
        return 1.0
    if not a or not b or min(len(a), len(b)) / max(len(a), len(b)) < LIKENESS - 0.2:
        return 0.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= LIKENESS - 0.1 else 0.0


def is_same(wanted: str, seen: str) -> bool:
    """Return whether ``seen`` reads ``wanted``. Short texts and digits must be exact."""
    score = likeness(wanted, seen)
    if score == 1.0:
        return True
    return len(normal(wanted)) > _SHORT and score >= LIKENESS and _figures(wanted) == _figures(seen)


def _figures(text: str) -> list[str]:
    """Return the digits of a text, without the letters that ``normal`` turns into digits."""
    return _DIGITS.findall(unicodedata.normalize("NFKC", text))


def is_part(wanted: str, seen: str) -> bool:
    """Return whether ``wanted`` occurs in ``seen``."""
    a, b = normal(wanted), normal(seen)
    if a in b:
        return True
    if len(a) <= _SHORT or len(b) < len(a) * LIKENESS:
        return False
    block = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    start = max(0, block.b - block.a)
    return is_same(a, b[start : start + len(a)])


def coverage(text: str, lines: Iterable[str]) -> float:
    """Return the share of ``text``, from 0 to 1, that the lines contain, counted in pieces of four characters."""
    wanted, seen = normal(text), normal("".join(lines))
    if len(wanted) < 4:
        return float(bool(wanted) and wanted in seen)
    pieces = [wanted[start : start + 4] for start in range(len(wanted) - 3)]
    return sum(piece in seen for piece in pieces) / len(pieces)
