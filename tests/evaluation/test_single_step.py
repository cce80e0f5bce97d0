"""Labels of single steps: which decision is right, what is refused, what is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.single_step import LabelledStep, Labels, StepPrediction, is_right, read_labels, shares
from manyhands.protocol.errors import BadFile, BadInput
from manyhands.protocol.screens.actions import (
    ACTION,
    Back,
    ClickText,
    Exit,
    Home,
    OpenApp,
    PageDown,
    PageUp,
    Swipe,
    Tap,
    Type,
)

TAP = {"name": "Tap", "x": 50, "y": 50}
STEP = {"file": "a.png", "operation": "tap A", "action": TAP, "box": [40, 40, 60, 60]}


def step(action: dict[str, Any], box: list[int] | None = None) -> LabelledStep:
    return LabelledStep.model_validate({"file": "a.png", "operation": "o", "action": action, "box": box})


@pytest.mark.parametrize(
    ("label", "right", "wrong"),
    [
        (step(TAP, [40, 40, 60, 60]), Tap(x=41, y=59), Tap(x=61, y=50)),
        (step({"name": "Open_App", "app": "Notes"}), OpenApp(app=" notes"), OpenApp(app="Messages")),
        (step({"name": "Type", "text": "milk"}), Type(text="milk\n"), Type(text="Milk and bread")),
        (
            step({"name": "Swipe", "x1": 5, "y1": 90, "x2": 5, "y2": 10}),
            Swipe(x1=1, y1=50, x2=9, y2=20),
            Swipe(x1=5, y1=10, x2=5, y2=90),
        ),
        (
            step({"name": "Swipe", "x1": 5, "y1": 10, "x2": 5, "y2": 90}),
            Swipe(x1=5, y1=10, x2=30, y2=80),
            Swipe(x1=90, y1=50, x2=10, y2=50),
        ),
        (
            step({"name": "Swipe", "x1": 90, "y1": 50, "x2": 10, "y2": 50}),
            Swipe(x1=80, y1=40, x2=20, y2=60),
            Swipe(x1=10, y1=50, x2=90, y2=50),
        ),
        (step({"name": "Back"}), Back(), Home()),
        (step({"name": "Enter"}), Type(text="\n"), Type(text="milk\n")),
    ],
)
def test_a_decision_is_right_in_the_box_with_the_text_or_in_the_direction(
    label: LabelledStep, right: Any, wrong: Any
) -> None:
    assert is_right(label, right)
    assert is_right(label, ACTION.validate_python(label.action.model_dump()))
    assert not is_right(label, wrong)
    assert not is_right(label, None)


def test_operations_in_words_are_compared_by_what_they_name() -> None:
    tap = step(TAP, [40, 40, 60, 60]).model_copy(update={"text": "Dark mode"})
    assert is_right(tap, ClickText(text="dark mode "))
    assert not is_right(tap, ClickText(text="Display"))
    assert not is_right(tap.model_copy(update={"text": ""}), ClickText(text="Display"))
    up = step({"name": "Swipe", "x1": 5, "y1": 90, "x2": 5, "y2": 10})
    assert is_right(up, PageDown())
    assert not is_right(up, PageUp())
    left = step({"name": "Swipe", "x1": 90, "y1": 50, "x2": 10, "y2": 50})
    assert not is_right(left, PageUp())
    assert not is_right(left, PageDown())
    assert is_right(step({"name": "Home"}), Exit())
    assert not is_right(step({"name": "Back"}), Exit())


def written(folder: Path, step: dict[str, Any]) -> Path:
    path = folder / "steps.json"
    task = {"id": "t", "goal": "g", "tags": ["basic"], "steps": [step]}
    path.write_text(json.dumps({"source": "virtual phones", "tasks": [task]}), encoding="utf-8")
    return path


def test_labels_are_read_and_their_pictures_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path, STEP)
    with pytest.raises(BadInput, match=r"t: there is no picture a\.png"):
        read_labels(path)
    (tmp_path / "a.png").write_bytes(b"")
    assert read_labels(path).tasks[0].steps[0].box == (40, 40, 60, 60)


@pytest.mark.parametrize(
    ("change", "said"),
    [({"box": None}, "has no box"), ({"colour": 1}, "colour"), ({"action": {"name": "Fly"}}, "action")],
)
def test_a_broken_file_names_what_is_wrong(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFile) as refused:
        read_labels(written(tmp_path, {**STEP, **change}))
    assert "steps.json" in str(refused.value)
    assert said in str(refused.value)


def test_shares_are_of_all_by_tag_and_by_the_right_action() -> None:
    tasks = [{"id": name, "goal": "g", "tags": [tag], "steps": [STEP, STEP]} for name, tag in (("a", "x"), ("b", "y"))]
    labels = Labels.model_validate({"source": "s", "tasks": tasks})
    rights = {("a", 0): True, ("a", 1): True, ("b", 0): True, ("b", 1): False}
    answers = [
        StepPrediction(task=task, step=number, operation="o", action=None, right=right)
        for (task, number), right in rights.items()
    ]
    accuracy, by_tag, by_operation = shares(labels, answers)
    assert (accuracy.value, accuracy.amount, accuracy.of) == (0.75, 3, 4)
    assert {tag: figure.value for tag, figure in by_tag.items()} == {"x": 1, "y": 0.5}
    assert {name: figure.value for name, figure in by_operation.items()} == {"Tap": 0.75}
    assert shares(labels, [])[0].value is None
