"""Write what an action should lead to as plain sentences for the operator, and read them back for the reflector."""

from __future__ import annotations

import re
from collections.abc import Sequence

CHANGES = "Something else is shown."
HOLDS_TEXT = "The field holds the text."
MOVES = "The content has moved."
LOADS = "The page has loaded."

_KEYBOARD = {"keyboard": "The keyboard is up.", "!keyboard": "The keyboard is away."}
_FORMS = (
    ("turned:", 'The switch of "', '" has turned.'),
    ("shows:", 'The screen shows the words "', '".'),
    ("", "The screen shows ", "."),
)
_PLACES = {
    " @top": " at the top",
    " @middle": " in the middle",
    " @body": " below the bars",
    " @bottom": " at the bottom",
}
_TEXT = re.compile(
    r'(a text with |a text like |)"(.+?)"( at the top| in the middle| below the bars| at the bottom|)(?= or |$)'
)


def say(conditions: Sequence[str]) -> str:
    """Return conditions as sentences."""
    return " ".join(_sentence(condition) for condition in conditions)


def _sentence(condition: str) -> str:
    if condition in _KEYBOARD:
        return _KEYBOARD[condition]
    lead, before, after = next(form for form in _FORMS if condition.startswith(form[0]))
    if lead:
        return f"{before}{condition[len(lead) :]}{after}"
    return before + " or ".join(_words(part.strip()) for part in condition.split(" || ")) + after


def _words(pattern: str) -> str:
    """Return ``*Lumen* @top`` as ``a text with "Lumen" at the top``."""
    place = next((mark for mark in _PLACES if pattern.endswith(mark)), "")
    bare = pattern.removesuffix(place)
    kind = ""
    if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "*/":
        kind = "a text with " if bare[0] == "*" else "a text like "
        bare = bare[1:-1]
    return f'{kind}"{bare}"{_PLACES.get(place, "")}'


def read(expectation: str) -> list[str] | None:
    """Return the conditions that an expectation of :func:`say` names; None if it is another text."""
    conditions: list[str] = []
    for sentence in re.split(r"(?<=\.) (?=The (?:screen|switch|keyboard) )", expectation.strip()):
        condition = _read_one(sentence)
        if condition is None:
            return None
        conditions.append(condition)
    return conditions


def _read_one(sentence: str) -> str | None:
    for condition, said in _KEYBOARD.items():
        if sentence == said:
            return condition
    for lead, before, after in _FORMS:
        if sentence.startswith(before) and sentence.endswith(after):
            inner = sentence[len(before) : len(sentence) - len(after)]
            return lead + inner if lead else _pattern(inner)
    return None


def _pattern(inner: str) -> str | None:
    found = _TEXT.findall(inner)
    if not found:
        return None
    places = {said: mark for mark, said in _PLACES.items()}
    marks = {"a text with ": "*", "a text like ": "/", "": ""}
    return " || ".join(f"{marks[kind]}{text}{marks[kind]}{places.get(place, '')}" for kind, text, place in found)
