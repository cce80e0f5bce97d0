"""Make texts that are hard to read, parse, show or store. None of them is a valid reply of any role."""

from __future__ import annotations

import random

CONTROLS = "\x1b[2J\x1b]0;title\x07\x00\x08\r\x9b31m"
"""Escape sequences of terminals, and characters that no line may hold."""
_TAGS = ("<tool_call>", "</tool_call>", "<think>", "</think>", "<tool_response>", "<|im_start|>", "<|im_end|>", "```")
_OPENINGS = ("[", "{", '{"a":', "(", "<", "```json\n", "### Action ###\n", "- ", '"')


def hostile_text(draw: random.Random, longest: int) -> str:
    """Return a text of at most about ``longest`` characters."""
    length = min(longest, draw.choice((0, 1, 100, 10_000, 1_000_000)))
    kind = draw.randrange(9)
    if kind == 0:
        return repeated(draw.choice(_OPENINGS), length)
    if kind == 1:
        return repeated(draw.choice(_TAGS), length)
    if kind == 2:
        return repeated(draw.choice(_TAGS) + draw.choice(_OPENINGS), length)
    if kind == 3:
        return CONTROLS + repeated(draw.choice(("\ud800", "\udfff", "\U0001f642", "\u202e", "\x00")), length)
    if kind == 4:
        return '{"name": "Tap", "x": ' + "9" * length + ', "y": 1e999}'
    if kind == 5:
        return "".join(chr(draw.randrange(1, 0xD800)) for _ in range(min(length, 2000)))
    if kind == 6:
        return '{"name": "Tap", "x": ' + repeated("[", length)
    if kind == 7:
        return repeated(" \t\n", length) + "x"
    return repeated(draw.choice(("a", "A b. ", "\\", "\\u0000", "###", "\u3000")), length)


def repeated(part: str, length: int) -> str:
    """Return ``part`` as often as it fits into ``length``, but at least once."""
    return part * max(1, length // len(part))
