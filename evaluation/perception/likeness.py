"""Decide when two strings say the same, whatever typography they use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SIMILAR = 0.9
"""The least edit similarity of a reading that counts as similar: one wrong character in ten."""

_LOOKS_LIKE = {
    "'": "’‘`´",
    '"': "“”″",
    "·": "･・•‧∙⋅",
    "-": "–—−",
    ",": "、",
    ".": "。",
    "[": "【「",
    "]": "】」",
    "": "›‹",
}
"""Signs and the look-alikes that they replace, after Unicode's NFKC. Chevrons of list rows are removed."""
_PLAIN = str.maketrans({look: plain for plain, looks in _LOOKS_LIKE.items() for look in looks})
_DOTS = re.compile(r"[.·]{2,}")
_UNSEEN = frozenset({"So", "Co", "Cn", "Cc", "Cf"})
"""Unicode categories that are removed: pictographs, unassigned, control and format characters."""


def plain(text: str) -> str:
    """Return a text in a form in which only real differences remain.

    It drops compatibility forms, case, white space, look-alikes, the length of ellipses, and pictographs.
    """
    folded = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    joined = _DOTS.sub("...", folded)
    return "".join(each for each in joined if not each.isspace() and unicodedata.category(each) not in _UNSEEN)


def similarity(one: str, other: str) -> float:
    """Return 1 - edits / longer length, for two plain strings. Edits are insertions, deletions and replacements."""
    if one == other:
        return 1.0
    return 1 - _edits(one, other) / max(len(one), len(other))


def best_similarity(readings: Iterable[str], text: str) -> float:
    """Return the similarity of ``found`` to the nearest of ``readings``. All must be plain."""
    return max(similarity(reading, text) for reading in readings)


def _edits(one: str, other: str) -> int:
    """Return the Levenshtein distance, computed a row at a time."""
    before = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
        before = row
    return before[-1]
