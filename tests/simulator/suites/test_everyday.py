"""The suite's references are played on virtual phones: its checks tell right endings from wrong ones."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from manyhands.protocol.predicates import holds
from manyhands.protocol.tasks import TaskSpec
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.suites import load_suite, wrong_endings
from manyhands.simulator.suites.play import CannotPlay, play

TASKS = load_suite()
WRONG = wrong_endings()


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def played(task: TaskSpec, operations: Iterable[str]) -> VirtualPhone:
    clock = Clock()
    phone = VirtualPhone(task.reset_seed or 0, clock=clock)
    play(phone, operations, clock.wait)
    return phone


def check_holds(task: TaskSpec, phone: VirtualPhone) -> bool:
    assert task.check is not None
    assert task.check.source == "content://manyhands.simulator/state"
    return holds(task.check.holds, phone.state())


def test_the_suite_has_what_it_promises() -> None:
    tags = [tag for task in TASKS for tag in task.tags]
    assert len(TASKS) >= 16
    assert tags.count("zh") >= 3
    assert tags.count("notes_carried") >= 4
    assert tags.count("multi_app") >= 4
    for task in TASKS:
        assert task.check is not None, task.id
        assert 4 <= len(task.rubrics) <= 8, task.id
        assert task.human_operations, task.id
        assert task.reset_seed is not None, task.id
    assert set(WRONG) == {task.id for task in TASKS}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_check_is_false_at_the_start(task: TaskSpec) -> None:
    phone = played(task, [])
    assert not check_holds(task, phone)
    assert not all(holds(rubric.holds, phone.state()) for rubric in task.rubrics)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_check_and_all_rubrics_are_true_after_the_reference(task: TaskSpec) -> None:
    phone = played(task, task.human_operations)
    assert check_holds(task, phone)
    assert [rubric.name for rubric in task.rubrics if not holds(rubric.holds, phone.state())] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_check_is_false_after_a_plausible_wrong_ending(task: TaskSpec) -> None:
    assert not check_holds(task, played(task, WRONG[task.id]))


@pytest.mark.parametrize(
    ("operations", "complaint"),
    [
        (["tap No such text"], "'No such text' is not on the screen"),
        (["open Nothing"], "no app is called 'Nothing'"),
        (["type hello"], "the keyboard is not up"),
        (["dance"], "no such operation"),
        (["open Settings", "tap Display (9)"], "'Display .9.' is not on the screen"),
    ],
)
def test_an_operation_that_does_not_fit_is_named(operations: list[str], complaint: str) -> None:
    with pytest.raises(CannotPlay, match=complaint):
        played(TASKS[0], operations)


def test_operations_reach_the_phone_as_a_finger_would() -> None:
    clock = Clock()
    phone = VirtualPhone(0, clock=clock)
    count = play(
        phone,
        ["open Notes", "tap Search notes", "type gym", "clear", "type Gym", "back", "wait", "swipe up", "home"],
        clock.wait,
    )
    assert count == 9
    assert phone.state()["foreground"]["page"] == "home"
    assert phone.state()["visited"] == ["Notes"]
