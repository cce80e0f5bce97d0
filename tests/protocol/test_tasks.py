"""Tasks as people write them: what is filled in, and errors that name file, task and key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.base import RETRIED_ENDINGS, Ending
from protocol.errors import BadInput
from protocol.tasks import TaskSpec, parse_tasks
from tests.protocol.model_strategies import json_values, model

TASK = {"id": "a", "goal": "g"}


def test_defaults_and_variables_are_filled_in() -> None:
    data = {
        "suite": "s",
        "defaults": {"tags": ["x"], "limits": {"max_steps": 5}},
        "tasks": [
            {
                "id": "a",
                "goal": "Write ${text} to ${who}",
                "variables": {"text": "Hi", "who": "Ann"},
                "tags": ["y"],
                "check": {"source": "content://a/b", "holds": {"path": "m", "exists": True}},
                "rubrics": [{"name": "sent to ${who}", "holds": {"path": "m", "contains": "${text}"}}],
            },
            {"id": "b", "goal": "costs $5 {x}"},
        ],
    }
    first, second = parse_tasks(data, "f.yaml")
    assert (first.goal, first.tags, first.limits.max_steps) == ("Write Hi to Ann", ("y",), 5)
    assert first.rubrics[0].name == "sent to Ann"
    assert first.rubrics[0].holds.model_dump(exclude_none=True) == {"path": "m", "contains": "Hi"}
    assert (second.goal, second.tags) == ("costs $5 {x}", ("x",))


def test_a_value_is_put_in_as_it_is() -> None:
    [task] = parse_tasks([{**TASK, "goal": "${a}", "variables": {"a": "${b}", "b": 1}}], "f")
    assert task.goal == "${b}"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "f.yaml: needs a list of tasks"),
        (None, "f.yaml: needs a list of tasks"),
        ({"tasks": {}}, "f.yaml: needs a list of tasks"),
        ({"task": [TASK]}, "f.yaml: unknown key 'task'; known are suite"),
        ({"tasks": [TASK], 5: 1, "x": 2}, "f.yaml: unknown key '5'"),
        ({"tasks": [TASK], "defaults": 5}, "f.yaml: 'defaults' is not a mapping"),
        ([TASK, "x"], "f.yaml: task 2: is not a mapping"),
        ([TASK, TASK], "f.yaml: two tasks have the id 'a'"),
        ([{"id": "a"}], "f.yaml: task 1: goal: Field required"),
        ([{**TASK, "gaol": 1}], "f.yaml: task 1: unknown key 'gaol'; did you mean 'goal'?"),
        ([{**TASK, "limits": {"max_step": 1}}], "unknown key 'limits.max_step'; did you mean 'max_steps'?"),
        ([{**TASK, "limits": {"max_steps": 0}}], "f.yaml: task 1: limits.max_steps: Input should be greater"),
        ([{**TASK, "id": "../x"}], "f.yaml: task 1: id: String should match"),
        ([{**TASK, "goal": "${who}"}], "f.yaml: task 1: ${who} has no value under 'variables'"),
        ([{**TASK, "variables": ["who"]}], "f.yaml: task 1: 'variables' is not a mapping"),
        ([{**TASK, "check": {"source": "file:///x", "holds": {"path": "a", "exists": True}}}], "check.source"),
        ([{**TASK, "check": {"source": "content://a/b", "holds": 5}}], "check.holds: a predicate is a mapping"),
        (
            [{**TASK, "rubrics": [{"name": "r", "holds": {"path": "a", "exists": True}}] * 2}],
            "two rubrics have the same name",
        ),
        ([{**TASK, "rubrics": [{"name": "r", "holds": {"path": "a", "exists": True}}]}], "'rubrics' need a 'check'"),
    ],
)
def test_bad_input_names_file_task_and_key(data: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_tasks(data, "f.yaml")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nesting_without_end_is_bad_input() -> None:
    deep: Any = {"path": "a", "exists": True}
    for _ in range(3000):
        deep = {"not": deep}
    with pytest.raises(BadInput, match="task 1"):
        parse_tasks([{**TASK, "check": {"source": "content://a/b", "holds": deep}}], "f")


@given(json_values | st.lists(st.dictionaries(st.sampled_from(list(TaskSpec.model_fields)), json_values), max_size=3))
def test_any_content_is_tasks_or_bad_input(data: Any) -> None:
    try:
        tasks = parse_tasks(data, "f")
    except BadInput:
        return
    assert all(isinstance(task, TaskSpec) for task in tasks)


@given(st.lists(model(TaskSpec), min_size=1, max_size=3, unique_by=lambda task: task.id))
def test_tasks_that_are_written_down_are_read_again(tasks: list[TaskSpec]) -> None:
    written = [task.model_dump(mode="json", by_alias=True, exclude_defaults=True) for task in tasks]
    answerable = all(task.check is not None or not task.rubrics for task in tasks)
    if answerable and "${" not in str(written):
        assert parse_tasks(written, "f") == tuple(tasks)


def test_only_losses_are_tried_again() -> None:
    assert {Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.HOST_LOST} == RETRIED_ENDINGS
