"""Estimate tokens and simulate a prefix cache, for the ``usage`` of a reply."""

from __future__ import annotations

import hashlib
import io
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PIL import Image

from manyhands.simulator.serving.made_tokens import PICTURE, made_ids

IMAGE_FACTOR = 32
"""The side of the square that one image token covers, in pixels (Qwen3-VL: patches of 16, merged two by two)."""
MIN_PIXELS = 64 * IMAGE_FACTOR**2
MAX_PIXELS = 16384 * IMAGE_FACTOR**2
_BLOCK_CHARACTERS = 64


def image_tokens(width: int, height: int) -> int:
    """Return the tokens of an image of ``width`` x ``height`` pixels, after the resizing of the Qwen family."""
    w, h = (max(IMAGE_FACTOR, round(side / IMAGE_FACTOR) * IMAGE_FACTOR) for side in (width, height))
    if w * h > MAX_PIXELS:
        shrink = math.sqrt(width * height / MAX_PIXELS)
        w, h = (math.floor(side / shrink / IMAGE_FACTOR) * IMAGE_FACTOR for side in (width, height))
    elif w * h < MIN_PIXELS:
        grow = math.sqrt(MIN_PIXELS / (width * height))
        w, h = (math.ceil(side * grow / IMAGE_FACTOR) * IMAGE_FACTOR for side in (width, height))
    return (w // IMAGE_FACTOR) * (h // IMAGE_FACTOR)


def text_tokens(text: str) -> int:
    """Return an estimate: a token is about four letters, or one and a half Chinese characters."""
    wide = sum(ord(character) > 0x2E80 for character in text)
    return math.ceil((len(text) - wide) / 4 + wide / 1.5)


class PromptUsage(NamedTuple):
    """Hold the tokens of a prompt, those that were cached, and the number of pictures that were not."""

    total: int
    cached: int
    new_pictures: int


class PrefixCache:
    """Remember the beginnings of prompts as blocks, each hashed together with all blocks before it.

    As in vLLM, a block is a hit only if all blocks before it are the same. So another image loses every hit after it.
    If the cache is full, it drops the least recently used blocks.
    """

    def __init__(self, capacity_tokens: int) -> None:
        self._capacity = capacity_tokens
        self._blocks: OrderedDict[bytes, int] = OrderedDict()
        self._held = 0

    def take(self, parts: Sequence[str | bytes]) -> PromptUsage:
        """Cache a prompt. Return its tokens, how many of them were cached before, and how many pictures were not."""
        total = cached = pictures = 0
        chain, intact = b"", True
        for block, tokens, is_picture in _blocks(parts):
            chain = hashlib.blake2b(chain + block, digest_size=16).digest()
            total += tokens
            pictures += is_picture
            intact = intact and chain in self._blocks
            if intact:
                cached += tokens
                pictures -= is_picture
                self._blocks.move_to_end(chain)
            elif chain not in self._blocks:
                self._blocks[chain] = tokens
                self._held += tokens
        while self._held > self._capacity:
            self._held -= self._blocks.popitem(last=False)[1]
        return PromptUsage(total, cached, pictures)


def prompt_ids(parts: Sequence[str | bytes]) -> list[int]:
    """Return as many ids for a prompt as ``PrefixCache`` counts tokens."""
    blocks = ([PICTURE] * n if is_picture else made_ids(block.hex(), n) for block, n, is_picture in _blocks(parts))
    return [id for ids in blocks for id in ids]


def _blocks(parts: Sequence[str | bytes]) -> Iterator[tuple[bytes, int, bool]]:
    """Yield the blocks, each with its tokens and whether it is a picture."""
    for part in parts:
        if isinstance(part, bytes):
            with Image.open(io.BytesIO(part)) as picture:
                tokens = image_tokens(*picture.size)
            yield hashlib.blake2b(part, digest_size=16).digest(), tokens, True
        else:
            for start in range(0, len(part), _BLOCK_CHARACTERS):
                block = part[start : start + _BLOCK_CHARACTERS]
                yield block.encode("utf-8", "surrogatepass"), text_tokens(block), False
