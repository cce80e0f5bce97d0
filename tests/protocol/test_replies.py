"""What a model must write: schemas in which everything is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from manyhands.protocol.base import Reply
from manyhands.protocol.roles import replies
from manyhands.protocol.roles import role as roles
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply
from tests.examples import examples
from tests.protocol.model_strategies import json_values, model

ROLES = [PlanReply, DecideReply, ReflectReply, NoteReply]


def subclasses(kind: type[Reply]) -> list[type[Reply]]:
    return [found for sub in kind.__subclasses__() for found in (sub, *subclasses(sub))]


REPLIES = [kind for kind in subclasses(Reply) if kind.__module__ in (replies.__name__, roles.__name__)]


def nodes(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema."""
    if isinstance(schema, dict):
        if "type" in schema or "$ref" in schema or "oneOf" in schema or "anyOf" in schema:
            yield where, schema
        for key, value in schema.items():
            yield from nodes(value, f"{where}/{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from nodes(value, f"{where}/{number}")


def unbounded(schema: dict[str, Any]) -> list[str]:
    """Places in a schema at which a model could write without end."""
    found = []
    for where, node in nodes(schema):
        kind = node.get("type")
        closed = "enum" in node or "const" in node
        if kind == "string" and not closed and "maxLength" not in node:
            found.append(where)
        if kind == "array" and "maxItems" not in node:
            found.append(where)
        if kind in ("integer", "number") and not closed and not {"minimum", "maximum"} <= node.keys():
            found.append(where)
        if kind == "object" and node.get("additionalProperties") is not False:
            found.append(where)
    return found


@pytest.mark.parametrize("reply", REPLIES)
def test_every_string_list_number_and_object_is_bounded(reply: type[Reply]) -> None:
    schema = reply.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert unbounded(schema) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": False, "properties": {"a": {"type": "string"}}},
        {"type": "array", "maxItems": 2, "items": {"type": "integer", "minimum": 0}},
        {"type": "array", "items": {"type": "boolean"}},
        {"type": "object", "properties": {}},
        {"anyOf": [{"type": "null"}, {"type": "number", "maximum": 1}]},
    ],
)
def test_the_walk_finds_what_is_not_bounded(schema: dict[str, Any]) -> None:
    assert len(unbounded(schema)) == 1


def test_the_replies_of_all_roles_are_walked() -> None:
    assert set(ROLES) <= set(REPLIES)
    assert len(REPLIES) > len(ROLES)


@pytest.mark.parametrize("reply", ROLES)
def test_the_schema_and_the_type_agree(reply: type[Reply]) -> None:
    validator = jsonschema.Draft202012Validator(reply.model_json_schema())

    @settings(max_examples=examples(50))
    @given(model(reply))
    def fits(value: Reply) -> None:
        written = value.model_dump(mode="json")
        assert validator.is_valid(written)
        assert reply.model_validate(written) == value

    @settings(max_examples=examples(50))
    @given(model(reply), st.data())
    def breaks(value: Reply, data: st.DataObject) -> None:
        written = value.model_dump(mode="json")
        name = data.draw(st.sampled_from(sorted(written)))
        written[name] = data.draw(json_values)
        if not validator.is_valid(written):
            with pytest.raises(ValidationError):
                reply.model_validate(written, strict=False)

    fits()
    breaks()


@pytest.mark.parametrize("reply", ROLES)
def test_extra_fields_are_refused(reply: type[Reply]) -> None:
    @settings(max_examples=10)
    @given(model(reply))
    def refused(value: Reply) -> None:
        written = {**value.model_dump(mode="json"), "extra": 1}
        with pytest.raises(ValidationError):
            reply.model_validate(written)

    refused()
