"""Split a text into CLIP's tokens: byte pairs, as listed in its tokenizer.json."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from manyhands.protocol.errors import PerceptionError

_WORDS = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+", re.IGNORECASE)
_END = "</w>"
START_TOKEN, END_TOKEN = "<|startoftext|>", "<|endoftext|>"
LONGEST = 77
"""The most tokens of a text, including its start and end."""


class ClipTokens:
    """Tokenize texts. Raises PerceptionError for a file that is not a tokenizer of CLIP's kind."""

    def __init__(self, file: Path) -> None:
        try:
            model = json.loads(file.read_text(encoding="utf-8"))["model"]
            self._ids: dict[str, int] = model["vocab"]
            pairs = [tuple(one.split(" ", 1) if isinstance(one, str) else one) for one in model["merges"]]
            self._ranks = {(first, second): rank for rank, (first, second) in enumerate(pairs)}
            self._start, self._end = self._ids[START_TOKEN], self._ids[END_TOKEN]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PerceptionError(f"{file} is no tokenizer of CLIP: {error}") from error

    def of(self, text: str) -> list[int]:
        """Return the tokens of a text with start and end. Cut a text that is too long."""
        words = _WORDS.findall(" ".join(text.lower().split()))
        ids = [self._ids.get(piece, self._end) for word in words for piece in self._pieces(word)]
        return [self._start, *ids[: LONGEST - 2], self._end]

    def _pieces(self, word: str) -> list[str]:
        """Return a word in the largest pieces that the vocabulary has."""
        letters = [_letters()[byte] for byte in word.encode()]
        pieces = [*letters[:-1], letters[-1] + _END]
        while len(pieces) > 1:
            pairs = [(pieces[at], pieces[at + 1]) for at in range(len(pieces) - 1)]
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            at = pairs.index(best)
            pieces[at : at + 2] = ["".join(best)]
        return pieces


@cache
def _letters() -> dict[int, str]:
    """Return a printable letter for each byte: the byte's own if it has one."""
    printed = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + number) for number, byte in enumerate(others)}
