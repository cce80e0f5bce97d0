"""Find texts among the elements that perception read on a screen: whole, in a longer line, over lines, misread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher

from manyhands.protocol.screens.screen import Element
from manyhands.rollouts.redacted_texts import FoldedText, RedactedTexts, fold

_GRAM = 3
"""Texts that share no run of so many characters are not alike."""
_LEAST, _ALIKE, _PART = 6, 0.7, 12
"""A reading is like a text of at least ``_LEAST`` characters if it has ``_ALIKE`` of the text, or if so much of the
reading is in the text, and that is half of the text or ``_PART`` characters: the lines of a long text, or misread."""


class ScreenTexts:
    """Find texts among the elements of screens."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._exact = RedactedTexts(texts)
        self.has_texts = bool(texts)
        self._by_gram: dict[str, set[str]] = defaultdict(set)
        for words in (one for text in texts for one in fold(text) if len(one) >= _LEAST):
            for gram in _grams(words):
                self._by_gram[gram].add(words)

    def find(self, elements: Sequence[Element]) -> list[Element]:
        """Return the parts of elements that hold a text, or resemble it or a line of it."""
        # A long text goes on in the next element.
        offsets, joined = [], ""
        for element in elements:
            offsets.append(len(joined))
            joined += f"{element.content}\n"
        spans = self._exact.spans(joined)
        found: list[Element] = []
        for element, offset in zip(elements, offsets, strict=True):
            length = len(element.content)
            parts = [(max(start - offset, 0), min(end - offset, length)) for start, end in spans]
            parts = [(start, end) for start, end in parts if start < end]
            if parts:
                found += [element.part(start, end) for start, end in parts]
            elif self._resembles(element.content):
                found.append(element)
        return found

    def _resembles(self, content: str) -> bool:
        reading = FoldedText(content).text
        return any(
            _are_alike(reading, words)
            for words in sorted({words for gram in _grams(reading) for words in self._by_gram.get(gram, ())})
        )


def _are_alike(reading: str, words: str) -> bool:
    blocks = SequenceMatcher(None, reading, words, autojunk=False).get_matching_blocks()
    shared = sum(block.size for block in blocks if block.size >= _GRAM)
    is_part = shared >= _ALIKE * len(reading) and shared >= min(_PART, len(words) / 2)
    return shared >= _ALIKE * len(words) or is_part


def _grams(text: str) -> set[str]:
    return {text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)}
