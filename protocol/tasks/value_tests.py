"""Define the tests on one value that checks use: ``equals``, ``contains``, ``matches``, ``at_least``, ``at_most``.

``equals`` compares texts exactly; ``contains`` and ``matches`` ignore case. In the fields of a ``StateTest``, a plain
value stands for ``equals``. A number in a test also matches a value that a phone prints as text.

Python's own ``re`` may take longer than any task for a pattern such as ``^(?:.|.|.)*!$``, and nothing else in the
process runs meanwhile. So these patterns run in RE2, which knows no lookaround and no back references. Letters and
digits of all scripts count, as in Python; only a word's edge (``\\b``) is that of ASCII. ``$`` is the end of the text.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Annotated, Any

import re2
from pydantic import BeforeValidator, Field, field_validator, model_validator

from manyhands.protocol.public_input import PublicInput

LONGEST_PATTERN = 1000
"""The most characters of a pattern."""
MOST_STEPS = 20_000
"""The most steps of all patterns of a task, or of a schema, for each byte of a text."""
_MEMORY = 1 << 18
"""The most bytes of a compiled pattern. So a search of a long answer takes at most about a second."""
_CLASS_TOKEN = re.compile(r"\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL)
_TOKEN = re.compile(r"\[\^?\]?|\{,(?=\d*\})|" + _CLASS_TOKEN.pattern, re.DOTALL)
"""A ``]`` that comes first in a class does not end it."""
_ALONE = {
    r"\w": r"[\pL\pN_]",
    r"\W": r"[^\pL\pN_]",
    r"\s": r"[\s\v\pZ]",
    r"\S": r"[^\s\v\pZ]",
    r"\Z": r"\z",
    "{,": "{0,",
}
_IN_CLASS = {r"\w": r"\pL\pN_", r"\s": r"\s\v\pZ", r"\b": r"\x08"}
_ANYWHERE = {r"\d": r"\p{Nd}", r"\D": r"\P{Nd}"}


class BadPattern(ValueError):
    """Signal a pattern that cannot be used, with the reason in one line."""


def pattern_size(pattern: str, ignore_case: bool = False) -> int:
    """Return the steps that a pattern may take for each byte of a text. Raises BadPattern if it cannot be used."""
    return int(_usable(pattern, ignore_case).programsize)


def holds_match(pattern: str, text: str, ignore_case: bool = False) -> bool:
    """Return whether a match of ``pattern`` is in ``text``. Raises BadPattern."""
    return _usable(pattern, ignore_case).search(text.encode("utf-8", "replace")) is not None


def _usable(pattern: str, ignore_case: bool) -> re2._Regexp:
    compiled = _compiled(pattern, ignore_case)
    if isinstance(compiled, str):
        raise BadPattern(compiled)
    return compiled


@lru_cache(maxsize=256)
def _compiled(pattern: str, ignore_case: bool) -> re2._Regexp | str:
    """Return a pattern compiled, or why it cannot be used: to find that out takes as long."""
    if len(pattern) > LONGEST_PATTERN:
        return f"a pattern of {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed"
    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(_translate(pattern).encode("utf-8", "replace"), options)
    except re2.error as error:
        words = error.args[0] if error.args else "it cannot be read"
        reason = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
        return f"not a regular expression of RE2, which has no lookaround: {reason}"


def _translate(pattern: str) -> str:
    """Return a pattern of Python in RE2's syntax."""
    parts, at, is_class = [], 0, False
    while match := (_CLASS_TOKEN if is_class else _TOKEN).match(pattern, at):
        token, at = match[0], match.end()
        if len(token) == 6:
            token = rf"\x{{{token[2:]}}}"
        parts.append(_ANYWHERE.get(token) or (_IN_CLASS if is_class else _ALONE).get(token, token))
        is_class = token != "]" if is_class else token.startswith("[")
    return "".join(parts)


Json = Any
LONGEST_VALUE = 80
"""The most characters of one value that are shown."""
ONE_VALUE_TESTS = ("equals", "contains", "matches", "at_least", "at_most")


class ValueTest(PublicInput):
    """Test one value by exactly one of the fields."""

    equals: str | int | float | bool | None = None
    """The value is exactly this."""
    contains: str | None = None
    """The value is a text that contains this one, whatever the case of letters."""
    matches: str | None = None
    """The value is a text in which this regular expression is found, whatever the case of letters."""
    at_least: float | None = None
    """The value is a number, and at least this one."""
    at_most: float | None = None
    """The value is a number, and at most this one."""

    @model_validator(mode="after")
    def _one_test(self) -> ValueTest:
        names_set = [name for name in self.test_names() if getattr(self, name) is not None]
        if len(names_set) != 1:
            names = ", ".join(self.test_names())
            raise ValueError(f"{self.subject()} needs exactly one of {names}; given: {names_set or 'none'}")
        return self

    @field_validator("matches")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            pattern_size(pattern, ignore_case=True)
        return pattern

    @classmethod
    def test_names(cls) -> tuple[str, ...]:
        """Return the names of the tests. Exactly one of them must be given."""
        return ONE_VALUE_TESTS

    def subject(self) -> str:
        """Return what messages call the test or the value that it tests."""
        return "a test"

    def accepts(self, value: Json) -> bool:
        """Return whether one value passes."""
        if self.contains is not None:
            return isinstance(value, str) and self.contains.casefold() in value.casefold()
        if self.matches is not None:
            return isinstance(value, str) and holds_match(self.matches, value, ignore_case=True)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.at_least is not None:
            return number and value >= self.at_least
        if self.at_most is not None:
            return number and value <= self.at_most
        return type(value) is type(self.equals) and bool(value == self.equals)

    def describe(self) -> str:
        """Write the test in words, such as ``contains "milk"``."""
        if self.contains is not None:
            return f"contains {quote(self.contains)}"
        if self.matches is not None:
            return f"matches /{self.matches}/"
        if self.at_least is not None:
            return f"is at least {self.at_least:g}"
        if self.at_most is not None:
            return f"is at most {self.at_most:g}"
        return f"is {quote(self.equals)}"


def quote(value: Json) -> str:
    """Return a value as JSON, cut to ``LONGEST_VALUE`` characters."""
    return cut(json.dumps(value, ensure_ascii=False), LONGEST_VALUE)


def cut(text: str, most: int) -> str:
    """Cut a text to ``most`` characters. Escape lone surrogates, which a journal could not hold."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text_test(value: Any) -> Any:
    if isinstance(value, bool):
        return {"equals": str(value).lower()}
    return {"equals": str(value)} if isinstance(value, str | int | float) else value


def _number_test(value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"equals": value} if number else value


TextTest = Annotated[ValueTest, BeforeValidator(_text_test), Field(description="a text, or a test on it")]
"""A test on a text; a plain value stands for ``equals``."""
NumberTest = Annotated[ValueTest, BeforeValidator(_number_test), Field(description="a number, or a test on it")]
"""A test on a number; a plain number stands for ``equals``."""
