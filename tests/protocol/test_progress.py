"""What progress tells stays as long for thousands of tasks as for one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.progress import LATEST, TasksDone, latest
from manyhands.protocol.runs.results import EpisodeResult

results = st.builds(
    EpisodeResult,
    episode=st.uuids().map(str),
    task=st.just("t"),
    serial=st.just("p"),
    attempt=st.just(1),
    ending=st.sampled_from(Ending),
    reason=st.just(""),
    steps=st.integers(0, 40),
    verified=st.sampled_from((True, False, None)),
    verified_by=st.sampled_from(("phone", "judge", None)),
    rubrics=st.just({}),
    started_at=st.just(0.0),
    ended_at=st.floats(1, 1e9),
)


@given(st.lists(results), st.lists(results))
def test_batches_add_up(one: list[EpisodeResult], other: list[EpisodeResult]) -> None:
    assert TasksDone.of(one) + TasksDone.of(other) == TasksDone.of([*one, *other])


@given(st.lists(results))
def test_each_task_counts_once_and_a_judges_word_apart(ended: list[EpisodeResult]) -> None:
    done = TasksDone.of(ended)
    asked = done.verified + done.not_verified + done.judged_done + done.judged_not_done + done.undecided
    assert asked + done.without_check == done.tasks
    assert done.judged_done == sum(one.verified is True and one.verified_by == "judge" for one in ended)
    assert done.judged_not_done == sum(one.verified is False and one.verified_by == "judge" for one in ended)


@given(st.lists(results, min_size=2 * LATEST, max_size=3 * LATEST))
def test_the_latest_come_last_and_are_so_many_at_most(ended: list[EpisodeResult]) -> None:
    told = [result.ended_at for result in latest(ended)]
    assert told == sorted(result.ended_at for result in ended)[-LATEST:]
    halves = (*latest(ended[:LATEST]), *latest(ended[LATEST:]))
    assert [result.ended_at for result in latest(halves)] == told
