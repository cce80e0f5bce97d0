"""Find what lessons must not hold: personal data of their task, and text that must not get into prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.protocol.roles.sections import harmless

LONG_NUMBER = 5
"""The least digits of a number that counts as private: it may belong to a contact, an account or an order."""
_NUMBER = re.compile(r"\d[\d ()/.+-]*\d")
"""A number, with or without separators between its digits."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All control characters but the tab and the line feed."""
_SECRET = re.compile(r"\{\{\s*secret\s*:", re.IGNORECASE)


class PersonalData:
    """Hold the texts that were typed or noted in a task, and find them in other texts."""

    def __init__(self, texts: Sequence[str], numbers: bool) -> None:
        """``numbers``: treat every long number as private, even if it was not typed or noted."""
        self._texts = [one for one in map(_plain, texts) if len(one) > 1]
        self._numbers = numbers

    def fault(self, text: str) -> str:
        """Return what is private in a text. Return an empty text if nothing is."""
        if any(_quotes(_plain(text), one) for one in self._texts):
            return "quotes what was typed or noted in its task"
        if self._numbers and has_long_number(text):
            return f"holds a number of {LONG_NUMBER} digits or more"
        return ""


def unsafe_part(text: str) -> str:
    """Return why a text must not get into prompts. Return an empty text if it may."""
    if harmless(text) != text:
        return "holds marks of our prompts"
    if CONTROL.search(text):
        return "holds control characters"
    return "holds the place of a secret" if _SECRET.search(text) else ""


def has_long_number(text: str) -> bool:
    """Return whether a text holds a number of ``LONG_NUMBER`` digits or more."""
    return any(sum(map(str.isdigit, match[0])) >= LONG_NUMBER for match in _NUMBER.finditer(text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _quotes(text: str, private: str) -> bool:
    """Return whether ``text`` contains ``private`` as whole words. Chinese has no spaces, so there any place counts."""
    place = text.find(private)
    while place >= 0:
        before, after = text[max(place - 1, 0) : place], text[place + len(private) : place + len(private) + 1]
        if not (_joins(before) and _joins(private[0])) and not (_joins(after) and _joins(private[-1])):
            return True
        place = text.find(private, place + 1)
    return False


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()
