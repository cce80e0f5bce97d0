"""The answer that a task asks for: which schemas there are, what fits them, and what a model is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.replies import AnswerReply, answer_reply
from manyhands.protocol.tasks.answers import LONGEST_SCHEMA, AnswerSpec, AnswerUnfit, GivenAnswer
from manyhands.protocol.tasks.task import TaskSpec, read_tasks
from tests.examples import examples
from tests.protocol.model_strategies import json_values
from tests.protocol.test_replies import unbounded

ROWS: dict[str, Any] = {
    "type": "array",
    "maxItems": 3,
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}, "rating": {"type": ["number", "null"]}},
        "required": ["name", "price"],
    },
}
HOTEL = {"name": "Alpha", "price": 89.5, "rating": None}


def spec(schema: Any) -> AnswerSpec:
    return AnswerSpec.model_validate({"schema": schema})


def test_a_task_keeps_its_schema_in_files_and_journals(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(json.dumps([{"id": "hotels", "goal": "Three hotels", "answer": {"schema": ROWS}}]))
    (task,) = read_tasks(path)
    assert task.answer is not None
    assert task.answer.wanted == ROWS
    written = task.model_dump_json()
    assert json.loads(written)["answer"]["schema"] == ROWS
    assert TaskSpec.model_validate_json(written) == task


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "give the 'schema' of the answer, or 'required: true' for any text"),
        ({"required": False}, "answer.required"),
        ({"schema": {"$ref": "https://example.org/hotel"}}, "'$ref' refers elsewhere: write the schema out"),
        ({"schema": {"type": "list"}}, "types are object, array"),
        ({"schema": {"title": "Hotel"}}, "has none of 'type', 'enum', 'const' and 'anyOf'"),
        ({"schema": {"type": "array"}}, "the type 'array' needs 'items'"),
        ({"schema": {"type": "object"}}, "the type 'object' needs 'properties'"),
        ({"schema": {"type": "string", "minLength": "two"}}, "schema.minLength: 'two' is not of type 'integer'"),
        ({"schema": {"type": "string", "pattern": "("}}, "schema.pattern is not a regular expression"),
        ({"schema": {"type": "array", "items": {"type": "array", "items": 3}}}, "schema.items.items is not a mapping"),
        ({"schema": {"type": "string", "format": "date"}}, "'format' is none of the keywords"),
        ({"schema": {"type": "string", "description": "x" * LONGEST_SCHEMA}}, "at most 8000 are allowed"),
        ({"scheme": ROWS}, "unknown key 'answer.scheme'; did you mean 'schema'?"),
    ],
)
def test_a_schema_that_is_none_is_named_with_its_task(tmp_path: Path, answer: Any, said: str) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(json.dumps([{"id": "hotels", "goal": "Three hotels", "answer": answer}], indent=1))
    with pytest.raises(BadInput) as raised:
        read_tasks(path)
    assert said in str(raised.value)
    assert "task 1 (hotels)" in str(raised.value)


def test_a_schema_has_a_greatest_depth() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(7):
        schema = {"type": "array", "items": schema}
    assert spec(schema).problem([]) is None
    with pytest.raises(ValidationError, match="more than 8 schemas deep"):
        spec({"type": "array", "items": schema})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([HOTEL], None),
        ([{**HOTEL, "price": "89.50"}], "answer.0.price: '89.50' is not of type 'number'"),
        ([{"name": "Alpha"}], "answer.0: 'price' is a required property"),
        ([HOTEL] * 4, "answer: [{"),
        ([{**HOTEL, "price": float("nan")}], "the answer is not JSON"),
        ([{**HOTEL, "name": "x" * 50_000}], "at most 40000 are allowed"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_one_line(value: Any, problem: str | None) -> None:
    said = spec(ROWS).problem(value)
    assert (said is None) == (problem is None)
    assert problem is None or (problem in str(said) and len(str(said)) < 260 and "\n" not in str(said))


@pytest.mark.parametrize(
    ("schema", "text", "data"),
    [
        (ROWS, json.dumps([HOTEL]), [HOTEL]),
        ({"type": "integer"}, "42", 42),
        ({"type": "string"}, "42", "42"),
        ({"type": "string"}, '"42"', "42"),
        ({"type": "string", "pattern": "^[A-Z]"}, "Room 42", "Room 42"),
        (None, "42", "42"),
        (None, "Alpha is the cheapest.", "Alpha is the cheapest."),
    ],
)
def test_a_text_is_json_where_that_fits_and_else_a_text(schema: Any, text: str, data: Any) -> None:
    wanted = AnswerSpec(required=True) if schema is None else spec(schema)
    assert wanted.read(text) == GivenAnswer(data=data, text=text)


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        (ROWS, "the Alpha", "answer: 'the Alpha' is not of type 'array'"),
        (ROWS, '{"rows": []}', "answer: {'rows': []} is not of type 'array'"),
        ({"type": "integer"}, "4.5", "answer: 4.5 is not of type 'integer'"),
        (None, "  ", "the answer is empty"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_with_the_reason(schema: Any, text: str, said: str) -> None:
    wanted = AnswerSpec(required=True) if schema is None else spec(schema)
    with pytest.raises(AnswerUnfit) as raised:
        wanted.read(text)
    assert str(raised.value) == said


# ---------------------------------------------------------------------------- what a model is asked for
_LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "maxLength": 5},
        {"type": "number"},
        {"type": "integer", "minimum": 0},
        {"type": ["number", "null"]},
        {"type": "boolean"},
        {"enum": ["free", "booked"]},
    ]
)
_SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda some: {"anyOf": some}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(
            lambda fields: {"type": "object", "properties": fields, "required": sorted(fields)},
            st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3),
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(60))
@given(_SCHEMAS, json_values)
def test_servers_are_sent_a_bounded_schema_of_which_every_answer_fits(schema: Any, value: Any) -> None:
    wanted = spec(schema)
    sent = answer_reply(wanted.wanted).model_json_schema()
    jsonschema.Draft202012Validator.check_schema(sent)
    assert [where for where in unbounded(sent) if not where.endswith("/null")] == []
    if jsonschema.Draft202012Validator(sent).is_valid({"answer": value}):
        assert wanted.problem(value) is None


def test_the_reply_keeps_its_name() -> None:
    made = answer_reply(ROWS)
    assert made is answer_reply(dict(ROWS))
    assert issubclass(made, AnswerReply)
    assert made.__name__ == "AnswerReply"
    assert made.model_validate({"answer": [HOTEL]}).answer == [HOTEL]
