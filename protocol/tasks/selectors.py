"""Choose phones by their labels: ``model=Pixel 8, app:Maps>=11``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated

from pydantic import AfterValidator, Field

_TERM = re.compile(r"^(?P<name>\w[\w.:/ -]*?)\s*(?:(?P<test>!=|>=|<=|=|>|<)\s*(?P<value>[^=<>!,]+))?$")
_WHOLE = re.compile(r"^(?P<sign>!)?\s*(?P<term>.+)$")
_PARTS = re.compile(r"\d+|[^\d.\-_ ]+")
HELP = "write label=value, label!=value, label>=value, label or !label, with commas between them"


@dataclass(frozen=True, slots=True)
class LabelTest:
    """Test one label of a phone."""

    name: str
    test: str
    """``=``, ``!=``, ``>=``, ``<=``, ``>``, ``<``; ``has`` and ``lacks`` ask whether the label is there."""
    value: str = ""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether a phone with these labels fits. An absent label fits ``!=`` and ``lacks`` only."""
        label = labels.get(self.name)
        if self.test in ("has", "lacks"):
            return (label is not None) is (self.test == "has")
        if label is None:
            return self.test == "!="
        if self.test in ("=", "!="):
            return (label.casefold() == self.value.casefold()) is (self.test == "=")
        order = compare_versions(label, self.value)
        return {">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0}[self.test]


def compare_versions(one: str, other: str) -> int:
    """Return -1 if version ``one`` is lower than ``other``, 0 if both are equal, and 1 if ``one`` is higher.

    Runs of digits count as numbers, and missing parts as 0, so that ``11`` equals ``11.0`` and is lower than ``11.2``.
    """
    for part, right in zip_longest(_PARTS.findall(one), _PARTS.findall(other), fillvalue="0"):
        if part == right:
            continue
        if part.isdecimal() and right.isdecimal():
            if int(part) != int(right):
                return -1 if int(part) < int(right) else 1
        else:
            return -1 if part < right else 1
    return 0


def parse_selector(text: str) -> tuple[LabelTest, ...]:
    """Return the tests of a selector. All of them must hold; an empty selector has none. Raises ValueError."""
    return tuple(_parse_test(part.strip()) for part in text.split(",")) if text.strip() else ()


def is_label_name(text: str) -> bool:
    """Return whether a selector can have this label's name: letters of any script, digits, blanks and ``_ . : / -``."""
    term = _TERM.match(text)
    return term is not None and term["name"] == text


def selects(text: str, labels: Mapping[str, str]) -> bool:
    """Return whether a selector chooses a phone with these labels. Raises ValueError."""
    return all(test.matches(labels) for test in parse_selector(text))


def join_selectors(*texts: str) -> str:
    """Return the selector that chooses a phone if each of these selectors chooses it."""
    return ", ".join(text.strip() for text in texts if text.strip())


def _parse_test(text: str) -> LabelTest:
    whole = _WHOLE.match(text)
    term = None if whole is None else _TERM.match(whole["term"])
    if whole is None or term is None or (whole["sign"] and term["test"]):
        raise ValueError(f"{text!r} chooses no phones: {HELP}")
    if not term["test"]:
        return LabelTest(term["name"], "lacks" if whole["sign"] else "has")
    return LabelTest(term["name"], term["test"], term["value"].strip())


def _check(text: str) -> str:
    parse_selector(text)
    return text


LONGEST_SELECTOR = 500
"""The most characters of a selector."""
Selector = Annotated[str, Field(max_length=LONGEST_SELECTOR), AfterValidator(_check)]
"""A selector in a file or a request. It is checked when it is read."""
