"""Predicates over a phone's true state, for checks and rubrics.

A state is a tree of JSON values. Five forms::

    {all: [P, ...]}   {any: [P, ...]}   {not: P}
    {some: messages.threads, holds: P}            P holds for one item; paths in P start at the item
    {path: settings.dark_mode, equals: true}      or contains, contains_at, matches, at_least, at_most,
                                                  count_at_least, exists

A path is made of keys and list indices joined by dots; ``*`` stands for every item. A test holds if it
holds for one of the values found; a path that leads nowhere finds none. Texts are compared exactly,
``contains`` and ``matches`` ignore case. ``contains_at`` is for what no file can know, such as today's date: a path,
read from where ``path`` is; one of the texts that it leads to is contained, without a digit before or after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from manyhands.protocol.base import Input, Message

Json = Any
_TESTS = ("equals", "contains", "contains_at", "matches", "at_least", "at_most", "count_at_least", "exists")


class AllOf(Input):
    all: tuple[Predicate, ...] = Field(min_length=1)


class AnyOf(Input):
    any: tuple[Predicate, ...] = Field(min_length=1)


class Not(Input):
    not_: Predicate = Field(alias="not")
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)


class SomeItem(Input):
    some: str = Field(min_length=1)
    holds: Predicate


class Value(Input):
    path: str = Field(min_length=1)
    equals: str | int | float | bool | None = None
    contains: str | None = None
    contains_at: str | None = Field(default=None, min_length=1)
    matches: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    count_at_least: int | None = None
    exists: bool | None = None

    @model_validator(mode="after")
    def _one_test(self) -> Value:
        given = [name for name in _TESTS if name in self.model_fields_set and getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"path {self.path!r} needs exactly one of {', '.join(_TESTS)}; given: {given or 'none'}")
        return self

    @field_validator("matches")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
        return pattern


def _form(value: Any) -> str | None:
    if isinstance(value, dict):
        keys = set(value)
    elif isinstance(value, Input):
        keys = value.model_fields_set
    else:
        return None
    for form in ("all", "any", "not", "not_", "some"):
        if form in keys:
            return form.rstrip("_")
    return "path"


Predicate = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")]
    | Annotated[SomeItem, Tag("some")]
    | Annotated[Value, Tag("path")],
    Discriminator(
        _form,
        custom_error_type="predicate",
        custom_error_message="a predicate is a mapping with one of the keys all, any, not, some, path",
    ),
]

for _model in (AllOf, AnyOf, Not, SomeItem):
    _model.model_rebuild()


def find(state: Json, path: str) -> Iterator[Json]:
    """Yield every value that ``path`` leads to in ``state``."""
    key, _, rest = path.partition(".")
    found: list[Json]
    if key == "*":
        found = list(state.values()) if isinstance(state, dict) else list(state) if isinstance(state, list) else []
    elif isinstance(state, dict) and key in state:
        found = [state[key]]
    elif isinstance(state, list) and key.isdecimal() and int(key) < len(state):
        found = [state[int(key)]]
    else:
        found = []
    for value in found:
        if rest:
            yield from find(value, rest)
        else:
            yield value


def holds(predicate: Predicate, state: Json) -> bool:
    """Return whether ``predicate`` is true of ``state``."""
    if isinstance(predicate, AllOf):
        return all(holds(part, state) for part in predicate.all)
    if isinstance(predicate, AnyOf):
        return any(holds(part, state) for part in predicate.any)
    if isinstance(predicate, Not):
        return not holds(predicate.not_, state)
    if isinstance(predicate, SomeItem):
        return any(holds(predicate.holds, item) for item in _items_of(predicate, state))
    found = list(find(state, predicate.path))
    if predicate.contains_at is not None:
        wanted = [text for text in find(state, predicate.contains_at) if isinstance(text, str) and text]
        return any(_stands_in(text, value) for text in wanted for value in found if isinstance(value, str))
    return _value_holds(predicate, found)


def _items_of(predicate: SomeItem, state: Json) -> list[Json]:
    """Return the items of the lists that its path leads to; a value that is no list is an item itself."""
    values = find(state, predicate.some)
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _stands_in(text: str, value: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(text)}(?!\d)", value, re.IGNORECASE) is not None


def _value_holds(test: Value, found: list[Json]) -> bool:
    if test.exists is not None:
        return bool(found) == test.exists
    if test.count_at_least is not None:
        return any(isinstance(value, list | dict) and len(value) >= test.count_at_least for value in found)
    return any(_test_one(test, value) for value in found)


def _test_one(test: Value, value: Json) -> bool:
    if test.contains is not None:
        return isinstance(value, str) and test.contains.casefold() in value.casefold()
    if test.matches is not None:
        return isinstance(value, str) and re.search(test.matches, value, re.IGNORECASE) is not None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if test.at_least is not None:
        return number and value >= test.at_least
    if test.at_most is not None:
        return number and value <= test.at_most
    return type(value) is type(test.equals) and bool(value == test.equals)


# ---------------------------------------------------------------------------- why one does not hold
LONGEST_TEXT = 300
"""Characters of what is expected or found that are kept."""
_LONGEST_VALUE = 80
_SHOWN = 3
"""Values or items that are shown; of more their number."""


class UnmetTest(Message):
    """Say what a predicate that does not hold expected, in the task's own words, and what the phone's state had."""

    expected: str = Field(max_length=LONGEST_TEXT)
    found: str = Field(max_length=LONGEST_TEXT)

    def __str__(self) -> str:
        return f"expected {self.expected}; found {self.found}"


def unmet_tests(predicate: Predicate, state: Json) -> tuple[UnmetTest, ...]:
    """Return why ``predicate`` is not true of ``state``: one for each part that does not hold, none if all does."""
    if holds(predicate, state):
        return ()
    if isinstance(predicate, AllOf):
        return tuple(test for part in predicate.all for test in unmet_tests(part, state))
    found = _found_instead(predicate, state)
    return (UnmetTest(expected=_cut(describe(predicate), LONGEST_TEXT), found=_cut(found, LONGEST_TEXT)),)


def describe(predicate: Predicate) -> str:
    """Write a predicate in words, with its paths and values as the task has them."""
    if isinstance(predicate, AllOf):
        return " and ".join(_within(part, AnyOf) for part in predicate.all)
    if isinstance(predicate, AnyOf):
        return " or ".join(_within(part, AllOf) for part in predicate.any)
    if isinstance(predicate, Not):
        return f"not ({describe(predicate.not_)})"
    if isinstance(predicate, SomeItem):
        return f"an item of {predicate.some} with ({describe(predicate.holds)})"
    return f"{predicate.path} {_describe_test(predicate)}"


def _within(part: Predicate, grouped: type[Input]) -> str:
    return f"({describe(part)})" if isinstance(part, grouped) else describe(part)


def _describe_test(test: Value) -> str:
    if test.contains is not None:
        return f"contains {_quote(test.contains)}"
    if test.contains_at is not None:
        return f"contains what {test.contains_at} has"
    if test.matches is not None:
        return f"matches /{test.matches}/"
    if test.at_least is not None:
        return f"is at least {test.at_least:g}"
    if test.at_most is not None:
        return f"is at most {test.at_most:g}"
    if test.count_at_least is not None:
        return f"has at least {test.count_at_least} items"
    if test.exists is not None:
        return "exists" if test.exists else "does not exist"
    return f"is {_quote(test.equals)}"


def _found_instead(predicate: Predicate, state: Json) -> str:
    """Return what ``state`` has where ``predicate``, which does not hold, looks."""
    if isinstance(predicate, AllOf | AnyOf):
        parts = predicate.all if isinstance(predicate, AllOf) else predicate.any
        return "; ".join(_found_instead(part, state) for part in parts if not holds(part, state))
    if isinstance(predicate, Not):
        inner = predicate.not_
        return _values_at(inner, state) if isinstance(inner, Value) else "that it holds"
    if isinstance(predicate, SomeItem):
        items = _items_of(predicate, state)
        return _shown([_found_instead(predicate.holds, item) for item in items]) if items else "no item"
    return _values_at(predicate, state)


def _values_at(test: Value, state: Json) -> str:
    values = list(find(state, test.path))
    if test.count_at_least is not None:
        counts = [str(len(value)) for value in values if isinstance(value, list | dict)]
        return f"{_shown(counts)} items" if counts else "no list"
    return _shown([_quote(value) for value in values]) if values else "nothing"


def _shown(texts: list[str]) -> str:
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return ", ".join([*texts[:_SHOWN], *more])


def _quote(value: Json) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)


def _cut(text: str, most: int) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate could not be written into a journal
    return text if len(text) <= most else f"{text[: most - 1]}…"
