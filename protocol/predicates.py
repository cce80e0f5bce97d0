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

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from manyhands.protocol.base import Input

Json = Any
_TESTS = ("equals", "contains", "contains_at", "matches", "at_least", "at_most", "count_at_least", "exists")


class AllOf(Input):
    all: tuple[Predicate, ...] = Field(min_length=1)


class AnyOf(Input):
    any: tuple[Predicate, ...] = Field(min_length=1)


class Not(Input):
    not_: Predicate = Field(alias="not")
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)


class Some(Input):
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
    | Annotated[Some, Tag("some")]
    | Annotated[Value, Tag("path")],
    Discriminator(
        _form,
        custom_error_type="predicate",
        custom_error_message="a predicate is a mapping with one of the keys all, any, not, some, path",
    ),
]

for _model in (AllOf, AnyOf, Not, Some):
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
    if isinstance(predicate, Some):
        return any(
            holds(predicate.holds, item)
            for value in find(state, predicate.some)
            for item in (value if isinstance(value, list) else [value])
        )
    found = list(find(state, predicate.path))
    if predicate.contains_at is not None:
        wanted = [text for text in find(state, predicate.contains_at) if isinstance(text, str) and text]
        return any(_stands_in(text, value) for text in wanted for value in found if isinstance(value, str))
    return _value_holds(predicate, found)


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
