"""What pydantic finds wrong is said in plain words, whatever it is."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core.core_schema import ErrorType

from manyhands.protocol.errors import BadFile, explain
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.validation_words import describe_error
from manyhands.protocol.utilities.yaml_document import YamlDocument, find_problems
from tests.protocol.model_strategies import json_values

OF_PYDANTIC = ("Input ", "String ", "Tuple ", "instance of", "should", "after validation", "Value error", "^[", "parse")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Annotated[tuple[int, ...], Field(max_length=1)], [1, 2, 3], "must have at most 1 item, not 3"),
        (Annotated[tuple[int, ...], Field(min_length=2)], [1], "must have at least 2 items, not 1"),
        (Annotated[str, Field(min_length=1)], "", "must not be empty"),
        (Annotated[str, Field(max_length=3)], "four", "must have at most 3 characters"),
        (Annotated[int, Field(ge=1)], 0, "must be at least 1, not 0"),
        (Annotated[float, Field(gt=0, le=2)], 3, "must be at most 2, not 3"),
        (int, "ten", "must be a whole number, not 'ten'"),
        (int, 1.5, "must be a whole number, not 1.5"),
        (float, [], "must be a number"),
        (bool, "perhaps", "must be true or false, not 'perhaps'"),
        (str, True, "must be a text, not true"),
        (tuple[int, ...], "ab", "must be a list, not 'ab'"),
        (TaskSpec, [], "must be a mapping of names to values"),
        (dict[str, int], 5, "must be a mapping of names to values, not 5"),
        (Literal["serial", "speculate"], "speculative", "must be serial or speculate, not 'speculative'; did you mean"),
        (Literal["a"], "x" * 99, "must be a"),
        (
            Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")],
            "../x",
            "must be 1 to 80 letters, digits",
        ),
        (
            Annotated[str, Field(pattern=r"^[a-z0-9_.]{1,40}$")],
            "A",
            "must be 1 to 40 small letters, digits, '_' or '.', not 'A'",
        ),
        (
            Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,99}$")],
            "7",
            "must be 1 to 100 letters, digits or '_', and begin with letters, not '7'",
        ),
        (Annotated[str, Field(pattern=r"^content://[a-z]+$")], "x", "must be an address such as content://com."),
        (Annotated[str, Field(pattern=r"^(a|b)+c$")], "x", "is not of the form that is needed here, not 'x'"),
    ],
)
def test_each_kind_of_error(kind: Any, value: Any, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    said = describe_error(caught.value.errors()[0])
    assert said.startswith(words)
    assert not [word for word in OF_PYDANTIC if word in said]


@given(json_values)
def test_no_word_of_pydantic_is_said_of_any_task(data: Any) -> None:
    try:
        TaskSpec.model_validate(data)
    except ValidationError as error:
        with pytest.raises(BadFile) as caught:
            YamlDocument(data, "f").refuse(find_problems(error, TaskSpec))
        for said in (str(caught.value), explain(error, TaskSpec)):
            assert "the value" not in said
            if not isinstance(data, dict):
                assert said.removeprefix("f: ").startswith("must be a mapping of names to values")


@given(st.sampled_from(get_args(ErrorType)), st.text(max_size=50))
def test_every_kind_of_error_has_words(kind: Any, message: str) -> None:
    context = dict.fromkeys(("gt", "ge", "lt", "le", "min_length", "max_length", "discriminator", "actual_length"), 1)
    texts = {"expected": "'a' or 'b'", "expected_tags": "'a', 'b'", "tag": "c", "pattern": "^x$"}
    assert isinstance(
        describe_error({"type": kind, "msg": message, "loc": (), "input": None, "ctx": {**context, **texts}}), str
    )
