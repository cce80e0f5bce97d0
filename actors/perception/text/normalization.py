"""Normalize recognised texts: one form of each character, and no symbols at the ends.

Texts are compared and typed in one form, whichever form an engine gave. Letters, digits and spaces are always
half-width. Punctuation is half-width in texts without a Chinese, Japanese or Korean character. In other texts it stays
as it was read, because both widths are in use. Dots at the end of a shortened text become three.

Symbols at the ends of a text (the lens of a search field, the arrow of a menu, a caret) are read as letters. Such a
symbol is too close to the text to be recognized by the blank alone. So it is recognized by the characters that it is
read as, provided that there is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from manyhands.actors.perception.text.ink import Glyph, Ink
from manyhands.actors.perception.text.splitting import TextSegment

_OFFSET = 0xFEE0
"""The difference between a full-width form and its half-width one."""
_WIDE = {code: code - _OFFSET for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_LETTERS = {wide: plain for wide, plain in _WIDE.items() if plain == 0x20 or chr(plain).isalnum()}
_ALL = _WIDE | {ord("。"): ".", ord("、"): ","}
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_DOTS = re.compile(r"(\.{2,}|…+)")


def east_asian(text: str) -> bool:
    """Return whether ``text`` has a Chinese character, a kana or a hangul syllable."""
    return _EAST_ASIAN.search(text) is not None


def plain_forms(text: str) -> str:
    """Return ``text`` in the forms above, without white space at its ends. Idempotent."""
    return _DOTS.sub("...", text.translate(_LETTERS if east_asian(text) else _ALL)).strip()


LENSES = ("Q、", "Q,", "Q", "O、", "○", "◯", "□", "≡", "☰")
"""Readings of a lens or a menu before a text, with the comma as which a lens's handle may be read."""
SQUARES = ("口", "日", "目", "田", "回")
"""Readings of a square symbol before Latin letters."""
ARROWS = (">", "›", "〉", "》", "→", "√", "∨", "∇", "▽", "▼", "⌄", " v")
"""Readings of an arrow after a text."""
CARETS = ("|", "丨")
"""Readings of the caret after a typed text. It follows the last letter directly, so no blank is required.

Texts that end in an upright bar are rarer.
"""
BAR = 0.15
"""The greatest width of a caret, in heights of the ink."""
CARET_ABOVE = 0.05
"""How far a caret reaches above all letters, at least, in heights of the ink.

Its lower end is at least as low as theirs.
"""
LEAST_BLANK = 0.15
"""The least blank between the symbol and the text, in heights of the ink."""


def without_symbols(piece: TextSegment, content: str) -> tuple[TextSegment, str]:
    """Return a text, read as ``content``, without symbols at its ends. A text without symbols is returned unchanged."""
    if piece.end - piece.first < 2:
        return piece, content
    lens = next((read for read in (*LENSES, *SQUARES) if content.startswith(read)), "")
    rest = content[len(lens) :]
    if lens and rest.strip() and not _is_letter_of(rest, lens) and _blank(piece, piece.first):
        return without_symbols(piece.cut([piece.first])[1], rest.strip())
    arrow = next((read for read in ARROWS if content.endswith(read)), "")
    rest = content[: len(content) - len(arrow)]
    if arrow and rest.strip() and _blank(piece, piece.end - 2):
        return piece.cut([piece.end - 2])[0], rest.strip()
    caret = next((read for read in CARETS if content.endswith(read)), "")
    rest = content[: len(content) - len(caret)].strip()
    if caret and rest:
        return (piece.cut([piece.end - 2])[0] if _ends_in_bar(piece) else piece), rest
    return piece, content


def without_carets(piece: TextSegment) -> TextSegment:
    """Return ``piece`` without a caret at one of its ends: a bar that reaches above and below all letters.

    A caret before a text stands in an empty field, and the text is the field's hint.
    """
    glyphs = piece.ink.glyphs[piece.first : piece.end]
    if len(glyphs) < 2:
        return piece
    if _is_caret(glyphs[-1], glyphs[:-1], piece.ink):
        return replace(piece, end=piece.end - 1)
    if _is_caret(glyphs[0], glyphs[1:], piece.ink):
        return replace(piece, first=piece.first + 1)
    return piece


def _is_caret(bar: Glyph, letters: Sequence[Glyph], ink: Ink) -> bool:
    above = min(letter.top for letter in letters) - bar.top
    below = bar.bottom - max(letter.bottom for letter in letters)
    return bar.width <= BAR * ink.rows and above >= CARET_ABOVE * ink.rows and below >= 1


def _is_letter_of(rest: str, lens: str) -> bool:
    """Return whether a possible symbol is the first letter of a word."""
    if lens in SQUARES:
        return not (rest.strip()[0].isascii() and rest.strip()[0].isalpha())
    return lens.isalpha() and rest[0].isascii() and not rest[0].isspace()


def _ends_in_bar(piece: TextSegment) -> bool:
    last = piece.ink.glyphs[piece.end - 1]
    return last.right - last.left <= BAR * piece.ink.rows


def _blank(piece: TextSegment, place: int) -> bool:
    return piece.ink.blank(place) >= LEAST_BLANK * piece.ink.rows
