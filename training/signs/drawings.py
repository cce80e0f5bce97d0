"""What is told apart: icons of the sets that names are learned from, and letters, words and numbers of open fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from manyhands.actors.perception.text.signs import SIGN
from training.names.classes import Classes
from training.names.drawings import ink_of
from training.names.rasters import Raster
from training.names.samples import Drawings, Stream, drawings
from training.signs.fonts import Font, Part, chinese_fonts, common_characters, latin_fonts

LETTERS = "letters"
NAMES = (SIGN, LETTERS)
COUNT: dict[Part, int] = {"train": 22_000, "holdout": 1500}
"""Texts that are drawn for a part."""
ALPHABET = "ABCDEFGHIJKLMNPQRSTUVWYZabcdefghijkmnpqrstuvwyz1234567890"
"""Without a ring, a cross and a bar, which are drawn as signs are."""
DIGITS = "0123456789"
MARKS, MARKS_SHARE = "$$$€£¥%&#@?", 0.06
"""What stands by itself before or after a number, and its share of the texts."""
AFTER, BEFORE = "%+.:?!/,", "?$#+@&¥€£:"
LENGTHS = (0.48, 0.2, 0.14, 0.11, 0.07)
"""Shares of texts of one, two, ... characters."""
BRANDS = "simple-icons"
"""Signs of firms, many of which are letters."""
LETTERED = re.compile(
    r"letter|number|numeric|alpha|alphabet|roman|[a-z0-9]|at|hash|hashtag|percent|percentage|currency|dollar|euro|pound"
    r"|yen|yuan|ruble|text|type|typography|bold|italic|underline|strikethrough|h[1-6]|abc|[0-9]+[a-z]?|[a-z][0-9]|gif|hd"
    r"|sd|hdr|fps|mm|cm|mp|iso|plus|minus|close|cross|remove|clear|add|slash|circle|language|translate|translation|font"
    r"|case|fx|sigma|pi|omega|lambda"
)
"""Words in names of icons that are letters or drawn like some: neither of the two."""


def signs_and_letters(use: Part, seed: int, kept: Path) -> Drawings:
    """Draw the signs and letters of a part. ``kept``: folder for the drawings of icons.

    Raises FileNotFoundError where icon sets or fonts are not installed.
    """
    icons = [one for one in drawings(use, seed, kept).rasters if one.set not in ("letters", BRANDS)]
    plain = Classes.load().plain
    signs = [Raster(one.set, one.name, SIGN, one.pixels) for one in icons if not is_lettered(plain(one.name))]
    texts = list(_texts(use, np.random.default_rng((seed, len(use), 1)), COUNT[use]))
    labels = np.repeat([NAMES.index(SIGN), NAMES.index(LETTERS)], [len(signs), len(texts)])
    return Drawings([*signs, *texts], labels, NAMES)


def is_lettered(words: Sequence[str]) -> bool:
    return any(LETTERED.fullmatch(word) for word in words)


class Halves(Stream):
    """Draws endless random crops, as many signs as letters; equal seeds give equal ones."""

    def batch(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return crops of shape (count, side, side, 3) and the numbers of their names."""
        labels = self._random.integers(len(self._of), size=count)
        return np.stack([self.crop_of(int(label)) for label in labels]), labels


def _texts(use: Part, random: Generator, count: int) -> Iterator[Raster]:
    latin, chinese, common = latin_fonts(use), chinese_fonts(), common_characters()
    drawn = 0
    while drawn < count:
        length = 1 + int(random.choice(len(LENGTHS), p=LENGTHS))
        if random.random() < MARKS_SHARE:
            font, text = latin[int(random.integers(len(latin)))], _some(random, MARKS, 1)
        elif length > 3 or random.random() < 0.5:
            font, text = latin[int(random.integers(len(latin)))], _word(random, length)
        else:
            font = common if random.random() < 0.5 else chinese[int(random.integers(len(chinese)))]
            text = _some(random, font.characters, length)
        raster = drawn_text(text, font)
        if raster is not None:
            drawn += 1
            yield raster


def _word(random: Generator, length: int) -> str:
    text = _some(random, DIGITS if random.random() < 0.3 else ALPHABET, length)
    if length > 1 and random.random() < 0.5:
        text = text.capitalize()
    chance = random.random()
    if chance < 0.15:
        return text + _some(random, AFTER, 1)
    return _some(random, BEFORE, 1) + text if chance < 0.28 else text


def _some(random: Generator, characters: str, length: int) -> str:
    return "".join(characters[int(number)] for number in random.integers(len(characters), size=length))


def drawn_text(text: str, font: Font) -> Raster | None:
    """Return the coverage of ``text``, tight to its ink; None if the font leaves none."""
    ink = ink_of(text, font.path)
    return None if ink is None else Raster("letters", text, LETTERS, ink)
