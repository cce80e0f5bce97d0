"""Define the answer that a task asks for: a text, or JSON that fits a schema.

A schema is a part of JSON Schema (draft 2020-12): only keywords that structured output of model servers enforces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.base import Message
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.value_tests import MOST_STEPS, BadPattern, holds_match, pattern_size

Json = Any
LONGEST_SCHEMA = 8000
"""The most characters of a schema as JSON."""
DEEPEST_SCHEMA = 8
"""The most schemas inside each other."""
LONGEST_ANSWER = 40_000
"""The most characters of an answer as JSON."""
_LONGEST_PROBLEM = 200
_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_KEYWORDS = frozenset(
    {
        *("type", "enum", "const", "anyOf", "title", "description"),
        *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
        *("minLength", "maxLength", "pattern"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
ANY_TEXT: Mapping[str, Json] = {"type": "string", "minLength": 1}


class AnswerSpec(PublicInput):
    """Say that a task asks for information, and what form its answer has."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    schema_: dict[str, Json] | None = Field(default=None, alias="schema")
    """The JSON Schema of the answer; None for any text."""
    required: Literal[True] | None = None
    """Asks for an answer of any text. A schema asks for an answer, too."""

    @field_validator("schema_")
    @classmethod
    def _is_a_schema(cls, schema: dict[str, Json] | None) -> dict[str, Json] | None:
        if schema is not None:
            try:
                length = len(json.dumps(schema))
            except (TypeError, RecursionError) as error:  # YAML knows dates
                raise ValueError(f"the schema is not JSON: {error}") from None
            if length > LONGEST_SCHEMA:
                raise ValueError(f"the schema has {length} characters as JSON; at most {LONGEST_SCHEMA} are allowed")
            for problem in _problems(schema, "schema", 1):
                raise ValueError(problem)
            _check_schema(schema)
            if (size := sum(map(pattern_size, _patterns(schema)))) > MOST_STEPS:
                raise ValueError(f"the patterns of the schema have {size} steps; at most {MOST_STEPS} are allowed")
        return schema

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.schema_ is None and self.required is None:
            raise ValueError("give the 'schema' of the answer, or 'required: true' for any text")
        return self

    @property
    def wanted(self) -> Mapping[str, Json]:
        """Return the schema of the answer; if the task asks for any text, return the schema of a text."""
        return ANY_TEXT if self.schema_ is None else self.schema_

    def problem(self, value: Json) -> str | None:
        """Return in one line what is wrong with a value; None if it fits the schema."""
        try:
            encoded = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return "the answer is not JSON"
        if len(encoded) > LONGEST_ANSWER:
            return f"the answer has {len(encoded)} characters; at most {LONGEST_ANSWER} are allowed"
        error = next(iter(sorted(_validator(json.dumps(self.wanted)).iter_errors(value), key=_place)), None)
        if error is None:
            return None
        where = ".".join(("answer", *map(str, error.absolute_path)))
        message = " ".join(str(error.message).split())
        return f"{where}: {message if len(message) <= _LONGEST_PROBLEM else message[: _LONGEST_PROBLEM - 4] + ' ...'}"

    def read(self, text: str) -> GivenAnswer:
        """Return the value that a text has: the JSON value if it fits the schema, else the text itself.

        Raises AnswerUnfit, which says in one line what is wrong.
        """
        if not text.strip():
            raise AnswerUnfit("the answer is empty")
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        else:
            if self.schema_ is not None and self.problem(value) is None:
                return GivenAnswer(data=value, text=text)
        problem = self.problem(text)
        if problem is None:
            return GivenAnswer(data=text, text=text)
        raise AnswerUnfit((None if value is None else self.problem(value)) or problem)


class AnswerUnfit(ValueError):
    """Signal that a text does not fit the schema of the answer that its task asks for."""


class GivenAnswer(Message):
    """Hold an answer that fits what its task asks for."""

    data: Json
    text: str
    """As the agent wrote it, or the data as JSON."""

    @classmethod
    def of(cls, data: Json) -> GivenAnswer:
        """Return the answer of a value."""
        return cls(data=data, text=data if isinstance(data, str) else json.dumps(data, ensure_ascii=False))


# ---------------------------------------------------------------------------- what a schema may be
def _problems(schema: Json, at: str, depth: int) -> Iterator[str]:
    """Yield what is wrong with the schema at the place ``at``, which is inside ``depth`` - 1 other schemas."""
    if not isinstance(schema, dict):
        yield f"{at} is not a mapping"
        return
    if depth > DEEPEST_SCHEMA:
        yield f"{at} is more than {DEEPEST_SCHEMA} schemas deep"
        return
    for key in schema:
        if key in ("$ref", "$dynamicRef", "$defs", "definitions"):
            yield f"{at}: {key!r} refers elsewhere: write the schema out; YAML's anchors repeat a part of a file"
        elif key not in _KEYWORDS:
            yield f"{at}: {key!r} is none of the keywords {', '.join(sorted(_KEYWORDS))}"
    types = schema.get("type", [])
    kinds = [types] if isinstance(types, str) else types
    if not isinstance(kinds, list) or not set(map(str, kinds)) <= {*_TYPES}:
        yield f"{at}: 'type' is {types!r}; types are {', '.join(_TYPES)}"
        return
    if not kinds and not schema.keys() & {"enum", "const", "anyOf"}:
        yield f"{at} has none of 'type', 'enum', 'const' and 'anyOf'"
    for kind, needed in (("object", "properties"), ("array", "items")):
        if kind in kinds and needed not in schema and not schema.keys() & {"enum", "const"}:
            yield f"{at}: a schema of the type {kind!r} needs {needed!r}"
    if not isinstance(schema.get("additionalProperties", False), bool):
        yield f"{at}: 'additionalProperties' is true or false"
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            pattern_size(pattern)
        except BadPattern as error:
            yield f"{at}.pattern is {error}"
    if "items" in schema:
        yield from _problems(schema["items"], f"{at}.items", depth + 1)
    properties, choices = schema.get("properties", {}), schema.get("anyOf", [])
    for name, one in properties.items() if isinstance(properties, dict) else ():
        yield from _problems(one, f"{at}.properties.{name}", depth + 1)
    for number, one in enumerate(choices) if isinstance(choices, list) else ():
        yield from _problems(one, f"{at}.anyOf.{number}", depth + 1)


def _check_schema(schema: Mapping[str, Json]) -> None:
    """Raise ValueError if a keyword has a value that it cannot have."""
    from jsonschema import Draft202012Validator, SchemaError  # few processes need it

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = ".".join(("schema", *map(str, error.absolute_path)))
        raise ValueError(f"{where}: {' '.join(error.message.split())}") from None


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    return validators.extend(Draft202012Validator, {"pattern": _pattern_errors})(json.loads(schema))


def _pattern_errors(validator: Any, pattern: str, value: Json, schema: Json) -> Iterator[Any]:
    """Yield the error of a text without a match of ``pattern``. The library itself searches with Python's ``re``."""
    from jsonschema import ValidationError

    if isinstance(value, str) and not holds_match(pattern, value):
        yield ValidationError(f"a text does not match {pattern!r}: {value!r}")


def _patterns(schema: Json) -> Iterator[str]:
    """Yield the patterns of a schema that is valid."""
    if isinstance(pattern := schema.get("pattern"), str):
        yield pattern
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for one in [*inner, schema["items"]] if "items" in schema else inner:
        yield from _patterns(one)


def _place(error: Any) -> tuple[int, str]:
    return len(error.absolute_path), str(list(error.absolute_path))
