"""Two runs compared: each change is named for what it is, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.comparison.run_difference import compare_runs, unlike_settings
from manyhands.evaluation.comparison.screen_paths import VisitedScreen, find_parting
from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import write_run

NAMES = ("a", "b")


def seen(step: int, app: str, *texts: str, pixels: int = 0) -> VisitedScreen:
    content_id = f"{app}-{pixels}"
    return VisitedScreen(step=step, content_id=content_id, app=app, texts=texts, action="" if step else "Tap")


HOME, SETTINGS, CLOCK = seen(0, "home", "Apps"), seen(1, "settings", "Display"), seen(1, "clock", "Alarm")


def result(task: str, **fields: Any) -> TaskResult:
    plain: dict[str, Any] = {
        "run": "r", "id": task, "goal": "g", "verdict": "passed", "finished": Ending.FINISHED, "verified": True,
        "unmet": (), "rubrics": {}, "rubrics_unmet": {}, "reason": "", "answer": None, "steps": 4, "human_steps": 3,
        "attempts": 1, "phone": "p", "seconds": 10.0, "model_calls": 9, "input_tokens": 1, "output_tokens": 1,
        "episode": "e", "last_action": None, "last_screen": "screens/a.png", "screens": (HOME, SETTINGS),
    }  # fmt: skip
    return TaskResult(**plain | fields)


def unmet(found: str) -> dict[str, Any]:
    return {"verdict": "failed", "verified": False, "unmet": (UnmetTest(expected="x is 1", found=found),)}


def test_planted_changes_are_named_and_nothing_else() -> None:
    calm = [result(f"calm-{number}") for number in range(5)]
    before = [*calm, result("breaks"), result("mended", **unmet("2")), result("slow"), result("other", **unmet("2"))]
    after = [
        result("other", **unmet("3")),
        result("slow", seconds=16.0, screens=(HOME, CLOCK)),
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
    (slower,) = found.having("slower")
    assert (slower.seconds_more, slower.steps_more, slower.slower_by) == (6.0, 0, "+6.0 s (1.6 x)")
    assert slower.parting is not None
    assert str(slower.parting) == 'step 1: Tap led to clock ("Alarm"); before, Tap led to settings ("Display")'
    assert [task.task for task in found.tasks if task.parting is not None] == ["slow"]


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


def test_another_way_to_the_same_result_is_named() -> None:
    (task,) = compare_runs([result("a")], [result("a", screens=(HOME, CLOCK))], NAMES).tasks
    assert (task.change, task.why) == ("other_screens", str(task.parting))


def test_a_clock_that_ticks_is_the_same_page_and_another_page_of_an_app_is_not() -> None:
    path = (seen(0, "settings", "10:15", "Display", "Sound"), seen(1, "settings", "Brightness"))
    later = (seen(0, "settings", "10:16", "Display", "Sound", pixels=1), seen(1, "settings", "Brightness"))
    other = (path[0], seen(1, "settings", "Volume", pixels=1))
    assert find_parting(path, later) is None
    parting = find_parting(path, other)
    assert parting is not None
    assert (parting.step, str(parting)) == (
        1,
        'step 1: Tap led to settings ("Volume"); before, Tap led to settings ("Brightness")',
    )


def test_a_longer_way_parts_where_the_shorter_one_ends() -> None:
    parting = find_parting((HOME,), (HOME, CLOCK))
    assert parting is not None
    assert (parting.before, parting.after, parting.step) == (None, CLOCK, 1)
    assert find_parting((), (HOME, CLOCK)) is None  # it never had a phone


def test_a_task_that_passes_on_a_retry_only_is_newly_flaky() -> None:
    after = [result("a", verdict="passed_on_retry", retries=1)]
    assert [task.change for task in compare_runs([result("a")], after, NAMES).tasks] == ["newly_flaky"]


def repeats(*ends: str, task: str = "t") -> list[TaskResult]:
    return [
        result(f"{task}.{number}", repeat_of=task, verdict=end, verified=end == "passed", has_check=True)
        for number, end in enumerate(ends, 1)
    ]


@pytest.mark.parametrize(
    ("before", "after", "change", "shown"),
    [
        ("passed", ["passed", "passed"], "same", "2 of 2 passed: stable"),
        ("passed", ["failed", "passed"], "newly_flaky", "1 of 2 passed: flaky"),
        ("passed", ["failed", "failed"], "newly_failing", "0 of 2 passed: broken"),
        ("failed", ["failed", "passed"], "newly_flaky", "1 of 2 passed: flaky"),
        ("failed", ["passed", "passed"], "newly_passing", "2 of 2 passed: stable"),
        ("failed", ["failed", "failed"], "same", "0 of 2 passed: broken"),
    ],
)
def test_a_plain_run_is_compared_with_repeats_by_the_share_that_passed(
    before: str, after: list[str], change: str, shown: str
) -> None:
    plain = [result("t", verdict=before, verified=before == "passed", has_check=True)]
    (found,) = compare_runs(plain, repeats(*after), NAMES).tasks
    assert (found.task, found.change, found.shown_before) == ("t", change, f"{before} (finished)")
    assert found.shown_after == shown
    (reverse,) = compare_runs(repeats(*after), plain, NAMES).tasks
    assert (reverse.shown_before, reverse.shown_after) == (shown, found.shown_before)


def test_repeats_of_another_number_are_compared_by_the_share_and_other_tasks_by_id() -> None:
    before = [*repeats("passed", "passed"), result("calm")]
    after = [*repeats("passed", "failed", "passed"), result("calm"), result("new")]
    found = compare_runs(before, after, NAMES)
    assert {task.task: task.change for task in found.tasks} == {"t": "newly_flaky", "calm": "same", "new": "added"}


def test_a_repeated_task_is_compared_by_its_stability() -> None:
    (found,) = compare_runs(repeats("passed", "passed"), repeats("passed", "failed"), NAMES).repeats
    assert (found.task, str(found.before), str(found.after)) == ("t", "2 of 2 passed: stable", "1 of 2 passed: flaky")


def test_runs_of_other_profiles_are_told_apart(tmp_path: Path) -> None:
    for profile in ("e", "native"):
        (tmp_path / profile).mkdir()
        write_run(tmp_path / profile, {"run_id": profile, "profile": profile, "schedule": "serial"}, {})
    e, native = RunFolder(tmp_path / "e"), RunFolder(tmp_path / "native")
    assert unlike_settings(e, native) == ("other profile: e before, native after",)
    assert unlike_settings(e, e) == ()
