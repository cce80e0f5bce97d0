"""Tasks as people write them: what is filled in, and errors that name file, task and key."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.errors import BadFields, BadFile, BadInput, ManyhandsError
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.tasks.task import TaskSpec, parse_tasks, read_tasks
from manyhands.protocol.utilities.yaml_document import YamlDocument, parse_yaml
from tests.protocol.model_strategies import json_values, model

TASK = {"id": "a", "goal": "g"}


def test_a_rubric_in_words_needs_no_check() -> None:
    (task,) = parse_tasks(YamlDocument([{**TASK, "rubrics": [{"name": "Opened the shop."}]}], "f.yaml"))
    assert task.rubrics[0].holds is None


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
    first, second = parse_tasks(YamlDocument(data, "f.yaml"))
    assert (first.goal, first.tags, first.limits.max_steps) == ("Write Hi to Ann", ("y",), 5)
    assert first.rubrics[0].name == "sent to Ann"
    assert first.rubrics[0].holds is not None
    assert first.rubrics[0].holds.model_dump(exclude_none=True) == {"path": "m", "contains": "Hi"}
    assert (second.goal, second.tags) == ("costs $5 {x}", ("x",))


def test_a_value_is_put_in_as_it_is() -> None:
    [task] = parse_tasks(YamlDocument([{**TASK, "goal": "${a}", "variables": {"a": "${b}", "b": 1}}], "f"))
    assert task.goal == "${b}"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "f.yaml: holds no task"),
        ({"tasks": []}, "f.yaml: holds no task"),
        (None, "f.yaml: needs a list of tasks"),
        ({"tasks": {}}, "f.yaml: needs a list of tasks"),
        ({"task": [TASK]}, "f.yaml: 2 mistakes: unknown key 'task'; did you mean 'tasks'?; needs a list of tasks"),
        ({"tasks": [TASK], 5: 1, "x": 2}, "f.yaml: 2 mistakes: unknown key '5'; unknown key 'x'"),
        ({"tasks": [TASK], "defaults": 5}, "f.yaml: 'defaults' is not a mapping"),
        ([TASK, "x"], "f.yaml: task 2: is not a mapping"),
        ([TASK, TASK], "f.yaml: task 2 (a): task 1 (a) has this id, too"),
        ([{"id": "a"}], "f.yaml: task 1 (a): goal: is missing"),
        ([{**TASK, "gaol": 1}], "f.yaml: task 1 (a): unknown key 'gaol'; did you mean 'goal'?"),
        ([{**TASK, "limits": {"max_step": 1}}], "unknown key 'limits.max_step'; did you mean 'max_steps'?"),
        ([{**TASK, "limits": {"max_steps": 0}}], "f.yaml: task 1 (a): limits.max_steps: must be at least 1, not 0"),
        ([{**TASK, "apps": "Settings"}], "f.yaml: task 1 (a): apps: must be a list"),
        ([{**TASK, "id": "../x"}], "f.yaml: task 1 (../x): id: must be 1 to 100 letters, digits"),
        ([{**TASK, "goal": "${who}"}], "f.yaml: task 1 (a): ${who} has no value under 'variables'"),
        ([{**TASK, "variables": ["who"]}], "f.yaml: task 1 (a): 'variables' is not a mapping"),
        ([{**TASK, "check": {"source": "file:///x", "holds": {"path": "a", "exists": True}}}], "check.source"),
        ([{**TASK, "check": {"source": "content://a/b", "holds": 5}}], "check.holds: a predicate is a mapping"),
        *(
            (
                [{**TASK, "check": {**written, "open": "Notes"}}],
                f"task 1 (a): check: write {form!r} under 'holds', as in check: {{holds: {{{form}: ...}}}}",
            )
            for form, written in {
                "setting": {"setting": {"name": "global.a", "value": 1}},
                "all": {"all": []},
                "path": {"path": "a", "equals": 1},
            }.items()
        ),
        (
            [{**TASK, "rubrics": [{"name": "r", "holds": {"path": "a", "exists": True}}] * 2}],
            "two rubrics have the same name",
        ),
        ([{**TASK, "rubrics": [{"name": "r", "holds": {"path": "a", "exists": True}}]}], "so these need a 'check'"),
    ],
)
def test_bad_input_names_file_task_and_key(data: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_tasks(YamlDocument(data, "f.yaml"))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ("{settng: {name: secure.a, value: 1}}", "check: write 'setting' under 'holds', as in check: {holds: "),
        ("{hold: {setting: {name: secure.a, value: 1}}}", "unknown key 'check.hold'; did you mean 'holds'?"),
        ("{holds: {settng: {name: secure.a, value: 1}}}", "check.holds: unknown key 'settng'; did you mean 'setting'?"),
        ("{holds: {equals: 1}}", "check.holds: 'equals' needs the value that it tests: write the 'path' beside it"),
        ("{holds: {battery: {level: 1}}}", "check.holds: 'battery': a predicate is a mapping with one of the keys all"),
        (
            "{holds: {setting: {name: secure.a, at_least: 1}}}",
            "unknown key 'check.holds.setting.at_least'; write it under 'value': value: {at_least: ...}",
        ),
        (
            "{holds: {setting: {name: secure.a, value: 1}, at_least: 1}}",
            "unknown key 'check.holds.at_least'; write it under the key whose value it is about",
        ),
        (
            "{holds: {notification: {app: x, text: y}}}",
            "unknown key 'check.holds.notification.app'; known are package, title, text",
        ),
    ],
)
def test_a_wrong_key_of_a_check_has_one_lead(check: str, complaint: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_tasks(parse_yaml(f"- {{id: a, goal: b, check: {check}}}", "f.yaml"))
    (mistake,) = caught.value.mistakes
    assert mistake.removeprefix("line 1: task 1 (a): ").startswith(complaint)


def test_every_mistake_of_a_file_is_told_with_its_place() -> None:
    text = """\
defauls: {}
defaults: {limits: {max_step: 4}}
tasks:
  - id: a
    gaol: Turn on dark mode
    gaol: x
  - id: a
    goal: Hello ${whom}
    limits: {max_steps: 0, wall: 4}
    check:
      source: content://a/b
      holds:
        all:
          - {path: x, equal: 4}
          - {some: threads, holds: {all: [{path: contact, matches: "("}, {pth: u}]}}
          - 5
  - id: b
    goal: with the defaults
  - id: c
    goal: with the defaults
  - just text
"""
    with pytest.raises(BadFile) as caught:
        parse_tasks(parse_yaml(text, "f.yaml"))
    holds = "task 2 (a): check.holds.all"
    assert caught.value.mistakes == (
        "line 1: unknown key 'defauls'; did you mean 'defaults'?",
        "line 2: defaults: unknown key 'limits.max_step'; did you mean 'max_steps'?",
        "line 6: the key 'gaol' stands here again: it is on line 5 already",
        "line 6: task 1 (a): unknown key 'gaol'; did you mean 'goal'?",
        "line 7: task 2 (a): task 1 (a) has this id, too",
        "line 8: task 2 (a): ${whom} has no value under 'variables'",
        "line 9: task 2 (a): limits.max_steps: must be at least 1, not 0",
        "line 9: task 2 (a): unknown key 'limits.wall'; did you mean 'wall_s'?",
        "line 14: task 2 (a): unknown key 'check.holds.all.0.equal'; did you mean 'equals'?",
        f"line 15: {holds}.1.holds.all.0.matches: not a regular expression of RE2, which has no lookaround: "
        "missing ): (",
        "line 15: task 2 (a): unknown key 'check.holds.all.1.holds.all.1.pth'; did you mean 'path'?",
        f"line 16: {holds}.2: a predicate is a mapping with one of the keys all, any, not, some, path, answer, judge, "
        "ui, setting, app, file, notification, sms, contact, call, calendar, clipboard, property, shell, screen",
        "line 21: task 5: is not a mapping",
    )


def test_a_wrong_field_in_a_program_is_told_as_one_in_a_file() -> None:
    misspelt: dict[str, Any] = {"id": "a", "gaol": "g"}
    with pytest.raises(ManyhandsError, match=r"^TaskSpec: unknown key 'gaol'; did you mean 'goal'\?$"):
        TaskSpec(**misspelt)
    nested: dict[str, Any] = {**TASK, "id": "a b", "limits": {"max_stps": 3}}
    with pytest.raises(BadFields) as caught:
        TaskSpec(**nested)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.mistakes == caught.value.mistakes
    assert [said.partition(";")[2] for said in again.mistakes] == ["", " did you mean 'max_steps'?"]
    with pytest.raises(BadFields, match="Limits: max_steps: must be at least 1, not 0"):
        Limits(max_steps=0)
    with pytest.raises(ValidationError):  # what reads files tells the places by itself
        TaskSpec.model_validate(misspelt)


def test_tasks_are_read_from_a_path_as_text_or_not_and_from_their_text(tmp_path: Path) -> None:
    text = "- id: a\n  goal: g\n"
    path = tmp_path / "tasks.yaml"
    path.write_text(text)
    assert read_tasks(path) == read_tasks(str(path)) == read_tasks(text) == (TaskSpec(id="a", goal="g"),)
    with pytest.raises(BadInput, match=r"^none\.yaml: "):
        read_tasks("none.yaml")
    with pytest.raises(BadFile, match=r"^tasks: line 2: task 1 \(a\): unknown key 'gaol'"):
        read_tasks(text.replace("goal", "gaol"))


def test_nesting_without_end_is_bad_input() -> None:
    deep: Any = {"path": "a", "exists": True}
    for _ in range(3000):
        deep = {"not": deep}
    with pytest.raises(BadInput, match="task 1"):
        parse_tasks(YamlDocument([{**TASK, "check": {"source": "content://a/b", "holds": deep}}], "f"))


@given(json_values | st.lists(st.dictionaries(st.sampled_from(list(TaskSpec.model_fields)), json_values), max_size=3))
def test_any_content_is_tasks_or_bad_input(data: Any) -> None:
    try:
        tasks = parse_tasks(YamlDocument(data, "f"))
    except BadInput:
        return
    assert all(isinstance(task, TaskSpec) for task in tasks)


@given(st.lists(model(TaskSpec), min_size=1, max_size=3, unique_by=lambda task: task.id))
def test_tasks_that_are_written_down_are_read_again(tasks: list[TaskSpec]) -> None:
    written = [task.model_dump(mode="json", by_alias=True, exclude_defaults=True) for task in tasks]
    answerable = all(task.check is not None or not task.rubrics for task in tasks)
    if answerable and "${" not in str(written):
        assert parse_tasks(YamlDocument(written, "f")) == tuple(tasks)


def test_only_losses_are_tried_again() -> None:
    assert {Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.HOST_LOST} == RETRIED_ENDINGS


GROWING: dict[str, Any] = {
    "a variable": [{"id": "a", "goal": "g", "variables": {"a": "x" * 30_000}, "hints": "${a}" * 200_000}],
    "a list as a variable": [{"id": "a", "goal": "g", "variables": {"a": ["x" * 30_000]}, "hints": "${a}" * 200_000}],
    "defaults": {"defaults": {"hints": "x" * 4000}, "tasks": [{"id": f"a{n}", "goal": "g"} for n in range(5000)]},
}


@pytest.mark.parametrize("kind", GROWING)
def test_texts_that_grow_are_refused_before_they_are_put_together(kind: str) -> None:
    tracemalloc.start()
    with pytest.raises(BadInput, match="more than"):
        parse_tasks(YamlDocument(GROWING[kind], "file"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 64 * 2**20


def test_yaml_of_too_many_values_is_refused_at_its_line() -> None:
    with pytest.raises(BadFile, match=r"line 3: the file has more than 4 values"):
        parse_yaml("- a\n- b\n- [c, d]\n- e\n", "file", most_values=4)
