"""One way of writing what looks the same, so that texts can be compared and typed, whichever form an engine gave.

Letters, digits and spaces are half-width always. Punctuation is half-width in texts without a Chinese, Japanese or
Korean character, and as it was read in others, where both widths are in use. Dots at the end of a text that was cut
short are three, however many were read.
"""

from __future__ import annotations

import re

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
