"""Two runs compared: each change is named for what it is, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.run_difference import compare_runs
from manyhands.protocol.base import Ending
from manyhands.protocol.unmet_tests import UnmetTest

NAMES = ("a", "b")


def result(task: str, **fields: Any) -> TaskResult:
    plain: dict[str, Any] = {
        "run": "r", "id": task, "goal": "g", "verdict": "passed", "finished": Ending.FINISHED, "verified": True,
        "unmet": (), "rubrics": {}, "rubrics_unmet": {}, "reason": "", "answer": None, "steps": 4, "human_steps": 3,
        "attempts": 1, "phone": "p", "seconds": 10.0, "model_calls": 9, "input_tokens": 1, "output_tokens": 1,
        "episode": "e", "last_action": None, "last_screen": "screens/a.png",
    }  # fmt: skip
    return TaskResult(**plain | fields)


def unmet(found: str) -> dict[str, Any]:
    return {"verdict": "failed", "verified": False, "unmet": (UnmetTest(expected="x is 1", found=found),)}


def test_planted_changes_are_named_and_nothing_else() -> None:
    calm = [result(f"calm-{number}") for number in range(5)]
    before = [*calm, result("breaks"), result("mended", **unmet("2")), result("slow"), result("other", **unmet("2"))]
    after = [
        result("other", **unmet("3")),
        result("slow", seconds=16.0, last_screen="screens/b.png"),
        result("mended"),
        result("breaks", **unmet("0")),
        *calm,
        result("new"),
    ]
    found = compare_runs(before, after, NAMES)
    assert {task.task: task.change for task in found.tasks if task.change != "same"} == {
        "breaks": "newly_failing",
        "mended": "newly_passing",
        "slow": "slower",
        "other": "otherwise_failing",
        "new": "added",
    }
    assert [task.task for task in found.tasks if task.other_screen] == ["slow"]


def test_a_little_slower_is_the_same_and_many_more_steps_are_not() -> None:
    before = [result("quick", seconds=0.5), result("long", seconds=10.0), result("steps")]
    after = [result("quick", seconds=2.0), result("long", seconds=14.0), result("steps", steps=6)]
    assert [task.change for task in compare_runs(before, after, NAMES).tasks] == ["same", "same", "slower"]


@given(st.lists(st.sampled_from("abc"), max_size=8))
def test_a_run_does_not_differ_from_itself(tasks: list[str]) -> None:
    run = [result(task) for task in tasks]
    found = compare_runs(run, run, NAMES)
    assert sorted(task.task for task in found.tasks) == sorted(tasks)
    assert {task.change for task in found.tasks} <= {"same"}


def test_a_task_that_stands_twice_is_compared_by_its_place() -> None:
    found = compare_runs([result("a"), result("a")], [result("a"), result("a", **unmet("0"))], NAMES)
    assert [task.change for task in found.tasks] == ["same", "newly_failing"]
