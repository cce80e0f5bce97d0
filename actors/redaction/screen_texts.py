"""Find texts among the elements of screens, also where perception has misread them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise

from manyhands.actors.redaction.redacted_texts import FoldedText, RedactedTexts, fold
from manyhands.protocol.screens.screen import Element

_GRAM = 3
"""Texts that share no run of so many characters are not alike."""
_LEAST, _ALIKE, _PART = 6, 0.7, 12
"""A reading is like a text of at least ``_LEAST`` characters if it has ``_ALIKE`` of the text, or if so much of the
reading is in the text, and that is half of the text or ``_PART`` characters: the lines of a long text, or misread."""


class ScreenTexts:
    """Find texts among the elements of screens."""

    def __init__(self, texts: Iterable[str], more: ScreenTexts | None = None) -> None:
        """``more``: further texts, which others may hold, too."""
        self.texts = tuple(texts)
        self._more = more
        self.has_texts: bool = bool(self.texts) or (more is not None and more.has_texts)

    @cached_property
    def exact(self) -> RedactedTexts:
        """Return the texts as they are found in other texts."""
        return RedactedTexts(self.texts, None if self._more is None else self._more.exact)

    @cached_property
    def _by_gram(self) -> Mapping[str, Collection[str]]:
        by_gram: defaultdict[str, set[str]] = defaultdict(set)
        for words in (one for text in self.texts for one in fold(text) if len(one) >= _LEAST):
            for gram in _grams(words):
                by_gram[gram].add(words)
        return by_gram

    def find(self, elements: Sequence[Element]) -> list[Element]:
        """Return the parts of elements that hold a text, or resemble it or a line of it."""
        # A long text goes on in the next element.
        offsets, joined = [], ""
        for element in elements:
            offsets.append(len(joined))
            joined += f"{element.content}\n"
        spans = self.exact.spans(joined, has_places=False)
        found: list[Element] = []
        for element, offset in zip(elements, offsets, strict=True):
            length = len(element.content)
            parts = [(max(start - offset, 0), min(end - offset, length)) for start, end in spans]
            parts = [(start, end) for start, end in parts if start < end]
            if parts:
                found += [element.part(start, end) for start, end in parts]
            elif self._resemble(FoldedText(element.content).text):
                found.append(element)
        return found

    def _resemble(self, reading: str) -> bool:
        """Return whether one of the texts is like a folded reading."""
        counts = Counter[str]()
        for gram in _grams(reading):
            counts.update(self._by_gram.get(gram, ()))
        # A run of n shared characters has at least n / 3 grams.
        alike = (words for words, count in counts.items() if count * _GRAM >= _least_shared(len(reading), len(words)))
        return any(_are_alike(reading, words) for words in alike) or (
            self._more is not None and self._more._resemble(reading)
        )


@lru_cache(maxsize=65536)
def _least_shared(reading: int, words: int) -> float:
    """Return how many characters, in runs of ``_GRAM`` or more, a reading shares with words that it is like.

    Both are lengths.
    """
    return min(_ALIKE * words, max(_ALIKE * reading, min(_PART, words / 2)))


def _are_alike(reading: str, words: str) -> bool:
    """Return whether a reading is like words. What shares too few grams is not compared: that takes much longer."""
    least = _least_shared(len(reading), len(words))
    ends = [at + _GRAM for at, gram in enumerate(_grams(reading)) if gram in words]
    if sum(min(_GRAM, end - before) for before, end in pairwise((0, *ends))) < least:
        return False
    blocks = SequenceMatcher(None, reading, words, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= _GRAM) >= least


def _grams(text: str) -> list[str]:
    return [text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)]
