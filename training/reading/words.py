"""Words, phrases and sentences of a page, drawn at random from ``words.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import yaml

HERE = Path(__file__).parent


class Words:
    """Draw what a page says, in one language."""

    def __init__(self, random: Random, language: str) -> None:
        """``language``: ``en`` or ``zh``."""
        self.language = language
        self._random = random
        self._lists = _lists()[language]

    def one(self, kind: str) -> str:
        """Return a word or phrase of a kind, with numbers in its places for them."""
        text = self._random.choice(self._lists[kind])
        while "{n}" in text or "{d}" in text:
            text = text.replace("{n}", str(self._random.randint(2, 980)), 1)
            text = text.replace("{d}", str(self._random.randint(0, 9)), 1)
        return text

    def some(self, kind: str, number: int) -> list[str]:
        """Return different ones, as many as there are."""
        return self._random.sample(self._lists[kind], min(number, len(self._lists[kind])))

    def price(self) -> str:
        """Return a price, its currency before or after it."""
        amount = self._random.choice((f"{self._random.randint(1, 99)}.{self._random.randint(0, 99):02d}",
                                      f"{self._random.randint(1, 9)},{self._random.randint(0, 999):03d}",
                                      str(self._random.randint(1, 900))))  # fmt: skip
        sign = self._random.choice("¥￥" if self.language == "zh" else "$€£")
        return f"{amount} {sign}" if self._random.random() < 0.2 else f"{sign}{amount}"

    def date(self) -> str:
        """Return a date or a time, as pages write them."""
        day, month, hour = self._random.randint(1, 28), self._random.randint(1, 12), self._random.randint(0, 23)
        time = f"{hour}:{self._random.randint(0, 59):02d}"
        if self.language == "zh":
            return self._random.choice(
                (f"{month}月{day}日", f"2026年{month}月{day}日", time, f"{self.one('days')} {time}")
            )
        forms = (f"{self.one('months')} {day}", f"{day} {self.one('months')} 2026", time, f"{self.one('days')} {time}")
        return self._random.choice(forms)

    def sentence(self) -> str:
        """Return a sentence of some eight to twenty words."""
        parts = [self._clause() for _ in range(self._random.randint(1, 3))]
        joined = parts[0]
        for part in parts[1:]:
            joined += (" " if self.language == "en" else "") + self.one("joins")
            joined += (" " if self.language == "en" else "") + part
        return f"{joined[0].upper()}{joined[1:]}{'.' if self.language == 'en' else '。'}"

    def paragraph(self, sentences: int) -> str:
        """Return sentences, one after another."""
        return (" " if self.language == "en" else "").join(self.sentence() for _ in range(sentences))

    def title(self) -> str:
        """Return a headline without a full stop."""
        return self._clause().capitalize()

    def _clause(self) -> str:
        adjectives, nouns = self.some("adjectives", 2), self.some("nouns", 2)
        if self.language == "zh":
            return f"{adjectives[0]}{nouns[0]}{self.one('verbs')}{adjectives[1]}{nouns[1]}"
        return f"the {adjectives[0]} {nouns[0]} {self.one('verbs')} the {adjectives[1]} {nouns[1]}"


@cache
def _lists() -> dict[str, dict[str, list[str]]]:
    read: dict[str, dict[str, list[str]]] = yaml.safe_load((HERE / "words.yaml").read_text(encoding="utf-8"))
    return read
