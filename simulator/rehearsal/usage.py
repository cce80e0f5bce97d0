"""Estimates of tokens, and a model of a prefix cache, for the ``usage`` of a reply."""

from __future__ import annotations

import hashlib
import io
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from PIL import Image

IMAGE_FACTOR = 32
"""Pixels of one image token's side (Qwen3-VL: patches of 16, merged two by two)."""
MIN_PIXELS = 64 * IMAGE_FACTOR**2
MAX_PIXELS = 16384 * IMAGE_FACTOR**2
_BLOCK_CHARACTERS = 64


def image_tokens(width: int, height: int) -> int:
    """Return tokens of an image of ``width`` x ``height`` pixels, resized as the Qwen family does."""
    w, h = (max(IMAGE_FACTOR, round(side / IMAGE_FACTOR) * IMAGE_FACTOR) for side in (width, height))
    if w * h > MAX_PIXELS:
        shrink = math.sqrt(width * height / MAX_PIXELS)
        w, h = (math.floor(side / shrink / IMAGE_FACTOR) * IMAGE_FACTOR for side in (width, height))
    elif w * h < MIN_PIXELS:
        grow = math.sqrt(MIN_PIXELS / (width * height))
        w, h = (math.ceil(side * grow / IMAGE_FACTOR) * IMAGE_FACTOR for side in (width, height))
    return (w // IMAGE_FACTOR) * (h // IMAGE_FACTOR)


def text_tokens(text: str) -> int:
    """About four letters, or one and a half Chinese characters, to a token."""
    wide = sum(ord(character) > 0x2E80 for character in text)
    return math.ceil((len(text) - wide) / 4 + wide / 1.5)


class PrefixCache:
    """Which beginnings of prompts were seen before: blocks chained by hash, the oldest forgotten first.

    As in vLLM, a block counts only if all before it are the same, so a swapped image loses every hit
    behind it. Counts tokens; knows nothing of time.
    """

    def __init__(self, capacity_tokens: int) -> None:
        self._capacity = capacity_tokens
        self._blocks: OrderedDict[bytes, int] = OrderedDict()
        self._held = 0

    def take(self, parts: Sequence[str | bytes]) -> tuple[int, int]:
        """(tokens of the prompt, tokens of it that were cached); the prompt is cached from now on."""
        total = cached = 0
        chain, intact = b"", True
        for block, tokens in _blocks(parts):
            chain = hashlib.blake2b(chain + block, digest_size=16).digest()
            total += tokens
            intact = intact and chain in self._blocks
            if intact:
                cached += tokens
                self._blocks.move_to_end(chain)
            elif chain not in self._blocks:
                self._blocks[chain] = tokens
                self._held += tokens
        while self._held > self._capacity:
            self._held -= self._blocks.popitem(last=False)[1]
        return total, cached


def _blocks(parts: Sequence[str | bytes]) -> Iterator[tuple[bytes, int]]:
    for part in parts:
        if isinstance(part, bytes):
            with Image.open(io.BytesIO(part)) as picture:
                tokens = image_tokens(*picture.size)
            yield hashlib.blake2b(part, digest_size=16).digest(), tokens
        else:
            for start in range(0, len(part), _BLOCK_CHARACTERS):
                block = part[start : start + _BLOCK_CHARACTERS]
                yield block.encode("utf-8", "surrogatepass"), text_tokens(block)
