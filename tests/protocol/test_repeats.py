"""Repeats of tasks: their ids, and what their results say of the task."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.tasks.repeats import count_repeats, expand_groups, groups_of, repeat_tasks
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


def test_a_group_is_as_many_repeats_from_one_start() -> None:
    spec = task("a").model_copy(update={"group": 3})
    members = expand_groups([spec, task("b")])
    assert [(one.id, one.repeat_of, one.sample, one.reset_seed) for one in members] == [
        ("a.1", "a", 1, 0), ("a.2", "a", 2, 0), ("a.3", "a", 3, 0), ("b", None, 0, None),
    ]  # fmt: skip
    assert expand_groups(members) == members
    assert len({one.seed_of(attempt) for one in members[:3] for attempt in (1, 2, 3)}) == 9
    assert members[3].seed_of(2) == 0
    assert [one.id for one in expand_groups([spec], 2, 1)] == ["a.1", "a.2"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"group_enough": 2}, "there is none"),
        ({"group": 2, "group_enough": 3}, "has 2 episodes"),
        ({"group": 2, "retries": 1}, "no 'retries'"),
        ({"group": 2, "memory_scope": "app:Notes"}, "no 'memory_scope'"),
    ],
)
def test_a_group_whose_episodes_cannot_be_compared_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TaskSpec.model_validate({"id": "a", "goal": "g", **fields})
    plain = TaskSpec(id="a", goal="g", retries=1)
    with pytest.raises(BadInput, match="no 'retries'"):
        expand_groups([plain], 4)
    with pytest.raises(BadInput, match="leave --repeat"):
        repeat_tasks([TaskSpec(id="a", goal="g", group=2)], 2)


def test_too_many_episodes_are_refused_before_they_are_made() -> None:
    asked = [{"id": f"t{number}", "goal": "g"} for number in range(300)]
    tracemalloc.start()
    try:
        with pytest.raises(ValidationError, match="have 30000 episodes together; at most 10000"):
            BatchRequest.model_validate({"group": 100, "tasks": asked})
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
    members = expand_groups([TaskSpec(id="a", goal="g", group=3)])
    assert expand_groups(members, 100, most=3) == members


def test_a_group_tells_its_rewards_and_the_chance_of_a_pass() -> None:
    rewards = [1.0, 0.0, None, 0.5, 0.0]
    rows = [
        row(number, verified=True).model_copy(
            update={"group": 5, "reward": reward, "fault": "phone_lost" if reward is None else None}
        )
        for number, reward in enumerate(rewards, 1)
    ]
    (found,) = groups_of(rows)
    assert (found.rewards, found.faults, found.is_complete) == (tuple(rewards), {"phone_lost": 1}, False)
    assert found.pass_at == {1: 0.25, 2: 0.5, 4: 1.0}
    assert str(found) == ("4 rewards of 5 episodes, mean 0.38, pass@1 0.25, pass@2 0.50, pass@4 1.00; 1 phone_lost")
    assert count_repeats(rows) == ()
    two_batches = groups_of([*rows, *rows])
    assert [len(one.rewards) for one in two_batches] == [5, 5]
    enough = [one.model_copy(update={"group_enough": 4}) for one in rows]
    assert groups_of(enough)[0].is_complete
