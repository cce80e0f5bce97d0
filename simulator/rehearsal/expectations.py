"""What an action should lead to: written by the operator as plain sentences, read back by the reflector."""

from __future__ import annotations

import re
from collections.abc import Sequence

CHANGES = "Something else is shown."
HOLDS_TEXT = "The field holds the text."
MOVES = "The content has moved."
LOADS = "The page has loaded."

_FORMS: tuple[tuple[str, str], ...] = (
    ("turned:", 'The switch of "{}" has turned.'),
    ("shows:", 'The screen shows the words "{}".'),
    ("!", '"{}" is no longer there.'),
    ("", 'The screen shows "{}".'),
)
_KEYBOARD = {"keyboard": "The keyboard is up.", "!keyboard": "The keyboard is away."}
_OR = '" or "'


def say(conditions: Sequence[str]) -> str:
    """Conditions as sentences."""
    return " ".join(_sentence(condition) for condition in conditions)


def _sentence(condition: str) -> str:
    if condition in _KEYBOARD:
        return _KEYBOARD[condition]
    for lead, form in _FORMS:
        if condition.startswith(lead):
            return form.format(_OR.join(part.strip() for part in condition[len(lead) :].split("||")))
    raise AssertionError("the last form has an empty lead")


def read(expectation: str) -> list[str] | None:
    """The conditions that an expectation of :func:`say` names; None if it is another text."""
    conditions: list[str] = []
    rest = expectation.strip()
    while rest:
        condition, rest = _read_one(rest)
        if condition is None:
            return None
        conditions.append(condition)
    return conditions


def _read_one(text: str) -> tuple[str | None, str]:
    for condition, sentence in _KEYBOARD.items():
        if text.startswith(sentence):
            return condition, text[len(sentence) :].strip()
    for lead, form in _FORMS:
        before, after = (re.escape(part) for part in form.split("{}"))
        match = re.match(f"{before}(.+?){after}(?= |$)", text)
        if match:
            return lead + match[1].replace(_OR, " || "), text[match.end() :].strip()
    return None, text
