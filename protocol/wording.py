"""Small words for people, the same wherever they are printed."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Write ``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
