"""Define the tests on one value that checks use: ``equals``, ``contains``, ``matches``, ``at_least``, ``at_most``.

``equals`` compares texts exactly; ``contains`` and ``matches`` ignore case. In the fields of a ``StateTest``, a plain
value stands for ``equals``. A number in a test also matches a value that a phone prints as text.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.patterns import holds_match, pattern_size

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
