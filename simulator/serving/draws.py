"""Draw numbers that look random but are the same for the same words."""

from __future__ import annotations

import hashlib


def drawn(sides: int, *words: object) -> int:
    """Return a number from 0 to ``sides`` - 1, the same for equal words."""
    text = "\x1f".join(map(str, words))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % sides
