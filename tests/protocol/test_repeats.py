"""Repeats of tasks: their ids, and what their results say of the task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.tasks.repeats import count_repeats, repeat_tasks
from manyhands.protocol.tasks.task import TaskSpec


def task(id: str) -> TaskSpec:
    return TaskSpec(id=id, goal="Do it.")


def row(number: int, verified: bool | None, retries: int = 0, finished: Ending = Ending.FINISHED) -> TaskRow:
    return TaskRow(
        id=f"t.{number}", repeat_of="t", phone="p", finished=finished, verified=verified, has_check=True, rubrics={},
        steps=1, human_steps=1, attempts=1, reason="", retries=retries,
    )  # fmt: skip


@given(st.lists(st.from_regex(r"[a-z][a-z.]{0,5}[a-z]", fullmatch=True), unique=True), st.integers(1, 5))
def test_each_repeat_has_an_id_of_its_own_and_names_its_task(names: list[str], times: int) -> None:
    found = repeat_tasks([task(name) for name in names], times)
    assert len({one.id for one in found}) == len(found) == len(names) * times
    assert [one.repeat_of or one.id for one in found] == [name for name in names for _ in range(times)]


def test_once_is_no_repeat() -> None:
    assert repeat_tasks([task("a")], 1) == repeat_tasks([task("a")], None) == (task("a"),)


def test_an_id_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadInput, match="too long"):
        repeat_tasks([task("a" * 99)], 2)


def test_a_task_is_flaky_where_some_repeats_pass_or_one_passes_on_a_retry() -> None:
    def stability(*rows: TaskRow) -> str:
        (found,) = count_repeats(rows)
        return str(found)

    lost = row(3, None, finished=Ending.PHONE_LOST)
    assert stability(row(1, True), row(2, True)) == "2 of 2 passed: stable"
    assert stability(row(1, True), row(2, False), lost) == "1 of 2 passed (1 left out): flaky"
    assert stability(row(1, True), row(2, True, retries=1)) == "2 of 2 passed: flaky"
    assert stability(row(1, False), row(2, False)) == "0 of 2 passed: broken"
    assert stability(lost) == "0 of 0 passed (1 left out): unknown"
