"""The queue and the phones' health, which know no time and no phones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.dispatch.phone_health import FleetHealth
from manyhands.actors.dispatch.task_queue import MOST_RESTARTS, Attempt, CountedAs, TaskQueue
from manyhands.protocol.base import RETRIED_ENDINGS, Ending
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.backoff import Backoff

EACH = 1 + MOST_RESTARTS
"""Episodes of an attempt at most, as far as they are not gone on with."""


def result(attempt: Attempt, ending: Ending, verified: bool | None = None) -> EpisodeResult:
    return EpisodeResult(
        episode=f"{attempt.task.id}-{attempt.number}",
        task=attempt.task.id,
        serial="p",
        attempt=attempt.number,
        ending=ending,
        reason="",
        steps=0,
        verified=verified,
        has_check=verified is not None,
        rubrics={},
        started_at=0,
        ended_at=0,
    )


@st.composite
def batches(draw: st.DrawFn) -> list[TaskSpec]:
    count = draw(st.integers(0, 6))
    return [
        TaskSpec(
            id=f"t{number}",
            goal="g",
            priority=draw(st.integers(-1, 1)),
            memory_scope=draw(st.sampled_from([None, None, "a", "b"])),
            attempts=draw(st.integers(1, 2)),
        )
        for number in range(count)
    ]


@given(batches(), st.data())
def test_every_task_is_decided_once_whatever_happens(tasks: list[TaskSpec], data: st.DataObject) -> None:
    queue, running, ended = TaskQueue(tasks), [], dict.fromkeys(range(len(tasks)), 0)
    while not queue.decided:
        attempt = queue.take() if data.draw(st.booleans()) or not running else None
        if attempt is not None:
            better = [other for other in queue.waiting if other.task.priority > attempt.task.priority]
            assert all(other.task.memory_scope is not None for other in better)  # they wait for their scope
            scopes = [other.task.memory_scope for other in running if other.task.memory_scope]
            assert attempt.task.memory_scope not in scopes
            running.append(attempt)
            continue
        if not running:  # nothing runs and nothing can: then everything is decided
            assert queue.decided
        attempt = running.pop(data.draw(st.integers(0, len(running) - 1)))
        if data.draw(st.integers(0, 4)) == 0:
            queue.release(attempt)
            continue
        assert (attempt.number, attempt.restarts) == (1 + ended[attempt.index] // EACH, ended[attempt.index] % EACH)
        assert attempt.number <= attempt.task.attempts
        counts = data.draw(st.sampled_from(CountedAs))
        spent = counts is not CountedAs.AS_IT_ENDED
        ended[attempt.index] += EACH - attempt.restarts if spent else 1
        ending = data.draw(st.sampled_from([Ending.FINISHED, Ending.PHONE_LOST, Ending.STEP_LIMIT]))
        before = len(queue.results)
        queue.settle(attempt, result(attempt, ending), counts)
        decided = len(queue.results) > before
        queue.release(attempt)  # settled: no effect
        last = attempt.number == attempt.task.attempts and (spent or attempt.restarts == MOST_RESTARTS)
        assert decided is (ending not in RETRIED_ENDINGS or last or counts is CountedAs.AS_THE_LAST)
        if data.draw(st.integers(0, 9)) == 0 and queue.waiting:
            given_up = data.draw(st.sampled_from(queue.waiting))
            queue.give_up(given_up, result(given_up, Ending.NO_PHONE))
    assert [item.task for item in queue.results] == [task.id for task in tasks]
    assert queue.take() is None


@given(st.integers(0, 3), st.lists(st.sampled_from(["pass", "fail", "lost", "release", "spent"]), max_size=30))
def test_an_attempt_that_did_not_pass_is_tried_again_and_lost_phones_count_apart(retries: int, ends: list[str]) -> None:
    queue = TaskQueue([TaskSpec(id="t", goal="g", retries=retries, attempts=2)])
    failed = spent = restarts = 0
    for end in ends:
        attempt = queue.take()
        if attempt is None:
            break
        assert (attempt.number, attempt.retry, attempt.restarts) == (1 + failed + spent, failed, restarts)
        if end == "release":
            queue.release(attempt)
        elif end in ("pass", "fail"):
            decided = queue.settle(attempt, result(attempt, Ending.FINISHED, verified=end == "pass"))
            assert decided is (end == "pass" or failed == retries)
            failed, restarts = failed + 1, 0
        else:
            counts = CountedAs.AS_AN_ATTEMPT if end == "spent" else CountedAs.AS_IT_ENDED
            gone = end == "spent" or restarts == MOST_RESTARTS
            assert queue.settle(attempt, result(attempt, Ending.PHONE_LOST), counts) is (gone and spent == 1)
            spent, restarts = (spent + 1, 0) if gone else (spent, restarts + 1)
    assert queue.decided is (queue.take() is None)


def test_higher_priorities_come_first_then_the_order_given() -> None:
    tasks = [TaskSpec(id=f"t{n}", goal="g", priority=priority) for n, priority in enumerate([0, 5, 0, 5])]
    queue = TaskQueue(tasks)
    attempts = [queue.take() for _ in tasks]
    assert [attempt.task.id for attempt in attempts if attempt] == ["t1", "t3", "t0", "t2"]


def test_a_task_waits_for_those_of_its_scope_before_it() -> None:
    queue = TaskQueue([TaskSpec(id=f"t{n}", goal="g", memory_scope="s", priority=n) for n in range(2)])
    first = queue.take()
    assert first is not None
    assert (first.task.id, queue.take()) == ("t0", None)
    queue.settle(first, result(first, Ending.HOST_LOST))
    again = queue.take()
    assert again is not None
    assert (again.task.id, again.number, again.restarts) == ("t0", 1, 1)


def test_none_is_left_once_every_phone_is_put_aside() -> None:
    health = FleetHealth(["a", "b"], Backoff(first_s=2, longest_s=60), held_s=1, now=0)
    health.lost("a", 10, "gone")
    assert health.none_left_since is None
    health.lost("b", 12, "offline")
    assert health.none_left_since == 12
    assert health.why_none() == "a: gone; b: offline"
    health.lost("b", 14, "offline")
    assert health.losses == {"a": 1, "b": 2}
    health.served("a")
    assert health.losses == {"b": 2}
    health.lost("a", 14, "gone")
    assert (health.none_left_since, health.wait_s("b", 14)) == (12, 4)
    health.attached("a")
    assert health.none_left_since is None
    health.lost("a", 20, "gone")
    assert health.wait_s("a", 20) == 4  # its failures count until it has served
    health.attached("a")
    health.served("a")
    health.lost("a", 30, "gone")
    assert health.wait_s("a", 30) == 2


def test_a_phone_that_another_holder_has_is_left() -> None:
    health = FleetHealth(["a"], Backoff(first_s=2, longest_s=30), held_s=3, now=0)
    health.held("a", 5, "another run has it")
    assert (health.none_left_since, health.wait_s("a", 6), health.is_aside("a")) == (None, 2, False)


def test_a_line_names_some_of_many_phones() -> None:
    serials = [f"p{number}" for number in range(64)]
    health = FleetHealth(serials, Backoff(first_s=2, longest_s=30), held_s=3, now=0)
    for serial in serials:
        health.lost(serial, 1, "gone")
    assert health.why_none() == "p0: gone; p1: gone; p2: gone; p3: gone; and 60 more"
    assert len(health.away) == 64
