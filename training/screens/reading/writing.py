"""What pages say: phrases grown from the lists of words.yaml and figures, by a seed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import yaml

from training.screens.reading.figures import Figures
from training.screens.reading.parts import HERE

LANGUAGES = ("en", "zh")
_SLOT = re.compile(r"\{(\w+)\}")
_VOWEL_AFTER = re.compile(r"(?<=[aeiou])(?=[bcdfghjklmnpqrstvwxz][aeiou])")
_SHORT = 6
SOFT_HYPHEN = "\u00ad"


@cache
def vocabulary() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the lists of both languages."""
    read: Mapping[str, Mapping[str, Sequence[str]]] = yaml.load(
        (HERE / "words.yaml").read_text("utf-8"), Loader=yaml.BaseLoader
    )
    return read


class Writer:
    """Writes for one page. ``writer("title")`` grows a phrase of that list; lists that figures has are figures."""

    def __init__(self, rng: Random, language: str) -> None:
        self.rng = rng
        self.language = language
        self.figures = Figures(rng, language)
        self._lists = vocabulary()[language]

    def __call__(self, kind: str) -> str:
        """Return a phrase. Raises KeyError where there is no such list."""
        if kind in self._lists:
            grown = _SLOT.sub(lambda slot: self(slot.group(1)), self.rng.choice(self._lists[kind]))
        elif hasattr(Figures, kind):
            grown = str(getattr(self.figures, kind)())
        else:
            raise KeyError(f"words.yaml has no list {kind} in {self.language}")
        return _capital(grown) if kind in ("sentence", "title", "product", "phrase", "consent", "quote") else grown

    def several(self, kind: str, count: int) -> list[str]:
        """Return as many different phrases, fewer where the list has no more."""
        found: dict[str, None] = {}
        for _ in range(count * 6):
            if len(found) < count:
                found[self(kind)] = None
        return list(found)

    def paragraph(self, sentences: int) -> str:
        return ("" if self.language == "zh" else " ").join(self("sentence") for _ in range(sentences))

    def hyphenated(self, sentences: int) -> str:
        """Return a paragraph whose long words may be divided, in the manner of English after vowels."""
        return " ".join(_divisible(word) for word in self.paragraph(sentences).split())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _divisible(word: str) -> str:
    if len(word) <= _SHORT or not word.isalpha() or not word.isascii():
        return word
    places = [found.start() for found in _VOWEL_AFTER.finditer(word) if 2 <= found.start() <= len(word) - 3]
    for place in reversed(places):
        word = word[:place] + SOFT_HYPHEN + word[place:]
    return word
