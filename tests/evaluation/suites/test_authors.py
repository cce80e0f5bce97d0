"""Mobile-Eval-E as its authors publish it: the shape of their files is that of their code, its content is ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.suites.instructions import AppKind, Level
from manyhands.evaluation.suites.reading import read_authors
from manyhands.protocol.errors import BadInput

TASK = {
    "task_id": "3_laptop_nvidia_gpu",
    "instruction": "Find me a laptop.",
    "type": "single_app",
    "apps": ["Amazon Shopping"],
    "rubrics": ["Opened the shop.", "Searched for a laptop."],
    "human_reference_operations": ["Open the shop", "Type laptop", "Enter"],
}
SCENARIO = {"length": 1, "scenario": "Online Shopping", "scenario_id": 3, "tasks": [TASK]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scenario_3_v1.json"


def test_a_scenario_has_rubrics_and_operations_beside_what_is_known_of_it(path: Path) -> None:
    path.write_text(json.dumps(SCENARIO, indent="\t"))
    read = read_authors(path)
    assert (read.title, read.source) == ("Mobile-Eval-E, Online Shopping", "scenario_3_v1.json")
    (one,) = read.instructions
    assert (one.id, one.text, one.level) == ("mobile_eval_e.3_laptop_nvidia_gpu", "Find me a laptop.", Level.SINGLE_APP)
    assert [rubric.name for rubric in one.rubrics] == ["Opened the shop.", "Searched for a laptop."]
    assert {rubric.origin for rubric in one.rubrics} == {"authors"}
    assert one.human_operations == ("Open the shop", "Type laptop", "Enter")
    assert one.task is not None
    assert one.kinds == (AppKind.SHOP,)


def test_a_bare_list_with_instructions_alone_is_read_too(path: Path) -> None:
    path.write_text(
        json.dumps([{"instruction": "Find it."}, {"instruction": "Buy it.", "task_id": 7, "apps": ["A", "B"]}])
    )
    first, second = read_authors(path).instructions
    assert (first.id, first.scenario, first.level) == ("mobile_eval_e.task_1", "scenario_3_v1", Level.SINGLE_APP)
    assert (second.id, second.level, second.task) == ("mobile_eval_e.7", Level.MULTI_APP, None)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({**SCENARIO, "tasks": [{**TASK, "instruction": ""}]}, "task 1: instruction: must not be empty"),
        ({**SCENARIO, "tasks": [{**TASK, "rubrics": "all"}]}, "task 1: rubrics: must be a list"),
        (
            {**SCENARIO, "tasks": [{**TASK, "type": "many"}]},
            "task 1: type: must be single_app or multi_app",
        ),
        ({**SCENARIO, "tasks": [TASK, TASK]}, "task 2: '3_laptop_nvidia_gpu' stands twice"),
        ({**SCENARIO, "tasks": []}, "needs a list of tasks"),
        ("tasks", "needs a list of tasks"),
        ([5], "task 1: "),
    ],
)
def test_a_broken_file_names_task_and_key(data: Any, complaint: str, path: Path) -> None:
    path.write_text(json.dumps(data))
    with pytest.raises(BadInput) as caught:
        read_authors(path)
    assert f"{path}: {complaint}" in str(caught.value)


def test_what_is_no_json_is_refused(path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_authors(path)
    path.write_text("{")
    with pytest.raises(BadInput, match="not JSON"):
        read_authors(path)
