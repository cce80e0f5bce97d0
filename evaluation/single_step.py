"""Score single decisions on labelled screens (Mobile-Agent-v2, table 3): DA over the steps of tasks, one by one.

A label has what an agent is told in a step, and the one right action. For virtual phones, the labels come from the
reference operations (``simulator/suites/steps.py``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from manyhands.evaluation.metrics.figure import Contribution, Figure, Missing, figure
from manyhands.protocol.base import Input, Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.actions import (
    Action,
    ClickText,
    Enter,
    Exit,
    Home,
    OpenApp,
    PageDown,
    PageUp,
    Swipe,
    Tap,
    Type,
    points_of,
)
from manyhands.protocol.screens.screen import Keyboard
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml


class LabelledStep(Input):
    """Hold a screen and the right action on it."""

    file: str
    """The picture's path, relative to the file of labels."""
    keyboard: Keyboard = "unknown"
    """The state that a phone would report."""
    operation: str
    """What a human does here, in words. In later steps, the agent is told that this was done."""
    action: Action
    """The operation as an action, in pixels of the picture."""
    text: str = ""
    """The text at the place of the tap, if there is one. An operation may name it instead of a point."""
    box: tuple[int, int, int, int] | None = None
    """Where a tap may go: left, top, right, bottom. Every action with one point needs a box."""

    @model_validator(mode="after")
    def _has_a_place(self) -> LabelledStep:
        if len(points_of(self.action)) == 1 and self.box is None:
            raise ValueError(f"{self.operation!r} touches the screen, and has no box")
        return self


class LabelledTask(Input):
    """Hold the steps of a task in order. The operations of earlier steps tell what was done before a step."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")
    goal: str = Field(min_length=1)
    hints: str = ""
    tags: tuple[str, ...] = ()
    steps: tuple[LabelledStep, ...] = Field(min_length=1)


class Labels(Input):
    """Hold the labels of a folder of screens."""

    source: str
    """What the screens show, such as virtual phones."""
    tasks: tuple[LabelledTask, ...] = Field(min_length=1)


class StepPrediction(Message):
    """Hold an agent's decision on one labelled screen."""

    task: str
    step: int
    operation: str
    action: Action | None
    """None if the agent gave no action."""
    problem: str = ""
    right: bool


class SingleSteps(Message):
    """Hold all answers and the share of right ones."""

    profile: str
    model_source: str
    screens_source: str
    accuracy: Figure
    """DA over all screens. An answer with a problem counts as a wrong decision."""
    by_tag: dict[str, Figure]
    by_operation: dict[str, Figure]
    """By the name of the right action."""
    answers: tuple[StepPrediction, ...]


def read_labels(path: Path) -> Labels:
    """Read a file of labels. Raises BadInput with all mistakes of a broken file, or for a missing picture."""
    document = read_yaml(path)
    document.refuse(())
    try:
        labels = Labels.model_validate(document.data)
    except ValidationError as error:
        document.refuse(find_problems(error, Labels))
        raise
    for task in labels.tasks:
        for step in task.steps:
            if not (path.parent / step.file).is_file():
                raise BadInput(f"{path}: {task.id}: there is no picture {step.file}")
    return labels


def is_right(label: LabelledStep, action: Action | None) -> bool:
    """Return whether a decision is right: the labelled action, inside the label's box, with its text or direction.

    Case does not matter in names of apps and in texts to tap. Blanks around a text do not matter, and neither does a
    line break at the end of a typed text.
    """
    expected = label.action
    if isinstance(action, ClickText):
        return isinstance(expected, Tap) and _same(action.text, label.text)
    if isinstance(action, PageUp | PageDown):
        return isinstance(expected, Swipe) and _direction(expected) == (
            "up" if isinstance(action, PageDown) else "down"
        )
    if isinstance(action, Exit):
        return isinstance(expected, Home)
    if isinstance(expected, Enter) and isinstance(action, Type):  # Mobile-Agent and Mobile-Agent-v2 have no Enter
        return action.text.strip(" ") in ("\n", "\r\n")
    if action is None or action.name != expected.name:
        return False
    if len(points := points_of(action)) == 1:
        assert label.box is not None
        x_min, top, right, bottom = label.box
        ((x, y),) = points
        return x_min <= x <= right and top <= y <= bottom
    if isinstance(action, Type) and isinstance(expected, Type):
        return action.text.strip() == expected.text.strip()
    if isinstance(action, OpenApp) and isinstance(expected, OpenApp):
        return _same(action.app, expected.app)
    if isinstance(action, Swipe) and isinstance(expected, Swipe):
        return _direction(action) == _direction(expected)
    return True


def _direction(swipe: Swipe) -> str:
    """Return the direction in which the finger mainly moves."""
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return "left" if across < 0 else "right"
    return "up" if down < 0 else "down"


def _same(text: str, expected: str) -> bool:
    return text.strip().casefold() == expected.strip().casefold()


def shares(labels: Labels, answers: Sequence[StepPrediction]) -> tuple[Figure, dict[str, Figure], dict[str, Figure]]:
    """Return the shares of right answers: over all, by the tasks' tags, and by the name of the right action."""
    kinds: dict[str, list[StepPrediction]] = defaultdict(list)
    tagged: dict[str, list[StepPrediction]] = defaultdict(list)
    tasks = {task.id: task for task in labels.tasks}
    for answer in answers:
        task = tasks[answer.task]
        kinds[task.steps[answer.step].action.name].append(answer)
        for tag in task.tags:
            tagged[tag].append(answer)
    by_tag, by_operation = ({key: _share(some) for key, some in sorted(of.items())} for of in (tagged, kinds))
    return _share(answers), by_tag, by_operation


def _share(answers: Sequence[StepPrediction]) -> Figure:
    parts: list[Contribution | Missing] = [Contribution(float(answer.right)) for answer in answers]
    return figure(parts, pooled=True)
