"""Find texts that are to be redacted in other texts, in whatever form they stand there, and strike them."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

STRUCK = "███"
"""What stands in the place of a struck text. It has no letters, so it holds no text."""
SHORT = 4
"""Texts of fewer characters are struck only where they stand as words of their own; longer ones within words, too."""
_SURROGATES = r"\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}"
_UNIT = re.compile(
    rf"([!-$&-\[\]-~]+)|{_SURROGATES}|\\+(?:u[0-9a-fA-F]{{4}}|x[0-9a-fA-F]{{2}}|U000[0-9a-fA-F]{{5}}|[nrtbf])"
    r"|\\+|(?:%[0-9a-fA-F]{2})+|.",
    re.DOTALL,
)
"""A run of plain characters (the group), an escape of JSON, Python or addresses, or any other character."""
_RAW_UNIT = re.compile(r"([!-\[\]-~]+)|\\+|.", re.DOTALL)
"""The same in a text without escapes. ``\\new`` may be a line break and ``ew``, or a backslash and ``new``."""
_HEX = re.compile(r"[uxU]([0-9a-fA-F]{2,8})")
_PLACE = re.compile(
    r"[(\[]\s*\d+(?:\s*[,;]\s*\d+)+\s*[)\]]|\"(?:[xy]\d?|number)\"\s*:\s*\d+|^\d+ \(\d+,\d+", re.MULTILINE
)
"""A point, a box or the number of an element in a prompt or a reply. A number of ``_MOST_DIGITS`` in it is no text."""
_MOST_DIGITS = 4
"""No screen has a place with more."""
_START_SIZES = (16, 8, 4, 2, 1)
"""By so many of their first characters texts are looked up, as many as they have."""

Span = tuple[int, int]


@lru_cache(maxsize=4096)
def _fold_unit(unit: str) -> str:
    """Return what of a unit is compared: no case, no accents, no white space, no escapes."""
    if unit[0] == "\\":
        codes = "".join(chr(min(int(code, 16), sys.maxunicode)) for code in _HEX.findall(unit))
        unit = codes.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    elif unit[0] == "%" and len(unit) > 1:
        unit = unquote(unit, errors="replace")
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", unit).casefold())
    return "".join(
        one for one in plain if one != "\\" and not one.isspace() and unicodedata.category(one)[0] not in "MC"
    )


class FoldedText:
    """Hold a text in the form in which texts are compared, and where its characters come from."""

    def __init__(self, text: str, *, has_escapes: bool = True) -> None:
        """``has_escapes``: read what looks like an escape of JSON or of addresses as one."""
        folded: list[str] = []
        self._at: list[int] = []
        """Where each unit begins in ``folded``."""
        self._units: list[tuple[int, int, bool]] = []
        """Of each unit where it begins and ends in the text, and whether its characters stand one for one."""
        length = 0
        for match in (_UNIT if has_escapes else _RAW_UNIT).finditer(text):
            is_plain = match[1] is not None
            plain = match[1].lower() if is_plain else _fold_unit(match[0])
            if plain:
                folded.append(plain)
                self._at.append(length)
                self._units.append((*match.span(), is_plain))
                length += len(plain)
        self.text = "".join(folded)

    def place(self, index: int) -> Span:
        """Return from where to where the character at ``index`` of the folded text comes from in the text."""
        unit = bisect_right(self._at, index) - 1
        start, end, is_plain = self._units[unit]
        at = start + index - self._at[unit]
        return (at, at + 1) if is_plain else (start, end)

    def find(self, words: str) -> Iterator[Span]:
        """Yield the places of folded words in the folded text."""
        at = self.text.find(words)
        while at >= 0:
            if len(words) >= SHORT or not (
                self._joins(at - 1, at) or self._joins(at + len(words) - 1, at + len(words))
            ):
                yield at, at + len(words)
            at = self.text.find(words, at + 1)

    def _joins(self, before: int, after: int) -> bool:
        """Return whether two neighbours belong to one word."""
        if before < 0 or after >= len(self.text) or self.place(before)[1] != self.place(after)[0]:
            return False
        return all(one.isascii() and one.isalnum() for one in (self.text[before], self.text[after]))


def fold(text: str) -> frozenset[str]:
    """Return the forms in which a text is compared: with and without escapes. There is none without a sign."""
    return frozenset(one.text for one in _readings(text) if one.text)


def _readings(text: str) -> tuple[FoldedText, ...]:
    escaped = FoldedText(text)
    return (escaped, FoldedText(text, has_escapes=False)) if "\\" in text or "%" in text else (escaped,)


class RedactedTexts:
    """Hold texts that are to be struck."""

    def __init__(self, texts: Iterable[str], more: RedactedTexts | None = None) -> None:
        """Texts without a letter, digit or sign are left out. ``more``: further texts, which others may hold, too."""
        self._more = more
        self._by_start: defaultdict[int, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        """Folded texts by the length of their start and by the start, so that a search does not try each of them."""
        for words in (one for text in texts for one in fold(text)):
            size = next(size for size in _START_SIZES if size <= len(words))
            self._by_start[size][words[:size]].add(words)
        self._done: dict[str, tuple[str, int]] = {}
        self.struck = 0
        """How many places were struck so far."""

    def spans(self, text: str, *, has_places: bool = True) -> list[Span]:
        """Return the places of the texts in a text, in order, without overlaps.

        ``has_places``: leave the numbers in points and boxes out.
        """
        places: list[Span] | None = None
        spans: list[Span] = []
        for folded in _readings(text):
            for words in self._candidates(folded.text):
                for start, end in folded.find(words):
                    span = folded.place(start)[0], folded.place(end - 1)[1]
                    if has_places and words.isdecimal() and len(words) <= _MOST_DIGITS:
                        places = [match.span() for match in _PLACE.finditer(text)] if places is None else places
                        if any(begin <= span[0] and span[1] <= stop for begin, stop in places):
                            continue
                    spans.append(span)
        return _joined(spans)

    def _candidates(self, text: str) -> set[str]:
        """Return those of the folded texts whose start is in a folded text."""
        candidates = set() if self._more is None else self._more._candidates(text)
        for size, by_start in self._by_start.items():
            starts = {text[at : at + size] for at in range(len(text) - size + 1)}
            candidates.update(*(by_start[start] for start in by_start.keys() & starts))
        return candidates

    def strike(self, text: str) -> str:
        """Return a text without the texts."""
        if text not in self._done:
            spans, struck = self.spans(text), text
            for start, end in reversed(spans):
                struck = struck[:start] + STRUCK + struck[end:]
            self._done[text] = struck, len(spans)
        struck, count = self._done[text]
        self.struck += count
        return struck

    def strike_in(self, value: Any) -> Any:
        """Return JSON data without the texts, in values and in keys."""
        if isinstance(value, str):
            return self.strike(value)
        if isinstance(value, dict):
            return {self.strike(key): self.strike_in(item) for key, item in value.items()}
        return [self.strike_in(item) for item in value] if isinstance(value, list | tuple) else value


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
