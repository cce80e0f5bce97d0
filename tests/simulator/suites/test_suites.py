"""Every suite's references are played on virtual phones: its checks tell right endings from wrong ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from manyhands.protocol.tasks.predicates import holds
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.yaml_document import read_yaml
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.suites import EVERYDAY, suites
from manyhands.simulator.suites.play import CannotPlay, play
from tests.simulator.suites.tasks import SUITES, TASKS


def wrong_endings(path: Path) -> dict[str, tuple[str, ...]]:
    """By task id, operations that end in a plausible state in which the task is not done."""
    read = read_yaml(path.with_suffix(".wrong.yaml"))
    read.refuse(())
    return {task: tuple(str(line) for line in operations) for task, operations in read.data.items()}


WRONG = {name: operations for path in suites() for name, operations in wrong_endings(path).items()}


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


def test_the_everyday_suite_has_what_it_promises() -> None:
    tasks = SUITES[EVERYDAY]
    tags = [tag for task in tasks for tag in task.tags]
    assert len(tasks) >= 16
    assert tags.count("zh") >= 3
    assert tags.count("notes_carried") >= 4
    assert tags.count("multi_app") >= 4


@pytest.mark.parametrize("path", suites(), ids=lambda path: path.stem)
def test_every_task_of_a_suite_is_complete(path: Path) -> None:
    tasks = SUITES[path]
    for task in tasks:
        assert task.check is not None, task.id
        assert 4 <= len(task.rubrics) <= 8, task.id
        assert task.human_operations, task.id
        assert task.reset_seed is not None, task.id
    assert set(wrong_endings(path)) == {task.id for task in tasks}


def test_no_two_tasks_of_all_suites_have_one_id_or_one_goal() -> None:
    assert EVERYDAY in suites()
    assert len({task.id for task in TASKS}) == len(TASKS)
    assert len({task.goal for task in TASKS}) == len(TASKS)


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
        (["open Notes", "tap Search notes", "type {calendar.yesterday}"], "has nothing at 'calendar.yesterday'"),
        (["open Settings", "tap Display (9)"], "'Display .9.' is not on the screen"),
    ],
)
def test_an_operation_that_does_not_fit_is_named(operations: list[str], complaint: str) -> None:
    with pytest.raises(CannotPlay, match=complaint):
        played(TASKS[0], operations)


def test_what_only_the_phone_knows_is_typed_as_its_state_has_it() -> None:
    phone = played(TASKS[0], ["open Notes", "tap Search notes", "type on {calendar.today}", "enter"])
    assert phone.state()["notes"]["searches"] == [f"on {phone.state()['calendar']['today']}"]


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
