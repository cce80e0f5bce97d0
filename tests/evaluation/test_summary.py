"""Figures of journals whose answers are known, and the laws of unions and percentiles."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.summary import summarise
from manyhands.evaluation.timing import percentiles, union_length
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import Record, Span, StageFailed
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.run_summary import Percentiles, RunSummary
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import (
    acted,
    call,
    captured,
    checked,
    decided,
    ended,
    noted,
    perceived,
    planned,
    received,
    reflected,
    sent,
    span,
    started,
    summed_up,
    write_run,
)

TASK = TaskSpec(id="a", goal="g", human_operations=("tap A", "tap B"))


def exactly(value: float) -> Percentiles:
    return Percentiles(p50=value, p95=value, mean=value)


def near(found: Percentiles | None, expected: Percentiles) -> bool:
    assert found is not None
    return found.model_dump() == pytest.approx(expected.model_dump())


def two_steps() -> list[Record]:
    """Actions at 10, 20 and 26. Between the first two every second but one is covered by a stage."""
    return [
        started("e", TASK, at=5),
        captured(0, span(5, 6)),
        sent(0, "e:0:1:0", at=10),
        received(0, "e:0:1:0"),
        acted(0, span(10, 11)),
        captured(1, span(11, 13), settle_ms=1500),
        perceived(1, span(13, 15, queue_ms=500)),
        reflected(0, span(13, 16, queue_ms=1000), Outcome.B, call(Role.REFLECT, 100)),
        planned(1, span(16, 18), call(Role.PLAN, 10), call(Role.PLAN, 20)),
        noted(0, span(16, 17.5), call(Role.NOTE, 8)),
        decided(1, span(18, 19), call(Role.DECIDE, 40)),
        sent(1, "e:1:1:0", at=20),
        sent(1, "e:1:1:1", at=21),
        received(1, "e:1:1:0", repeated=True),
        received(1, "e:1:1:1", "refused"),
        acted(1, span(20, 22)),
        reflected(1, span(22, 23), Outcome.A),
        StageFailed(step=2, span=span(23, 26), stage="decide", code="x", error="x", calls=(call(Role.DECIDE, 2),)),
        sent(2, "e:2:1:0", at=26),
        acted(2, span(26, 27)),
        ended(30, steps=3, verified=True, rubrics={"r": True}, answer="42"),
    ]


def test_the_figures_of_one_episode() -> None:
    summary = summed_up({"run_id": "id", "tasks": [{"id": "a"}], "phones": ["p", "q"]}, [two_steps()])
    assert (summary.run_id, summary.profile, summary.schedule) == ("id", "e", "overlap")
    assert (summary.phones, summary.tasks, summary.verified, summary.steps) == (2, 1, 1, 3)
    assert summary.finished == {"finished": 1}
    assert summary.wall_s == 25
    assert summary.episodes_per_hour == pytest.approx(144)
    assert near(summary.step_ms, Percentiles(p50=8000, p95=9800, mean=8000))
    assert summary.overhead_ms_per_step == pytest.approx(500)  # of 10 s one is not covered, of 6 s none
    assert near(summary.stage_ms["settle"], exactly(1500))
    assert near(summary.stage_ms["capture"], Percentiles(p50=750, p95=975, mean=750))
    assert near(summary.stage_ms["perceive"], exactly(1500))
    assert near(summary.stage_ms["verify"], Percentiles(p50=1500, p95=1950, mean=1500))
    assert near(summary.stage_ms["note"], exactly(1500))
    assert near(summary.stage_ms["decide"], exactly(1000))  # the one that failed gave no result
    assert near(summary.stage_ms["act"], Percentiles(p50=1000, p95=1900, mean=4000 / 3))
    assert near(summary.queue_ms["perceive"], exactly(500))
    assert near(summary.queue_ms["verify"], Percentiles(p50=500, p95=950, mean=500))
    assert summary.queue_ms["settle"] is None
    one_ms, nothing_ms = exactly(1).model_dump(), exactly(0).model_dump()
    assert summary.model["plan"].model_dump() == {
        "calls": 2,
        "input_tokens": 30,
        "output_tokens": 2,
        "cached_tokens": 15,
        "cached_share": 0.5,
        "errors": 0,
        "retries": 0,
        "repairs": 0,
        "queue_ms": nothing_ms,
        "latency_ms": one_ms,
    }
    assert (summary.model["decide"].calls, summary.model["decide"].input_tokens) == (2, 42)
    assert (summary.actions_sent, summary.actions_repeated) == (3, 1)
    assert summary.outcomes == {"A": 1, "B": 1, "C": 0}
    [row] = summary.by_task
    assert (row.id, row.phone, row.verified, row.rubrics, row.answer) == ("a", "p", True, {"r": True}, "42")
    assert (row.steps, row.human_steps, row.attempts) == (3, 2, 1)


def test_model_calls_are_counted_by_role_and_by_server() -> None:
    answered = call(Role.DECIDE, 40, server="one", latency_ms=100, queue_ms=10, attempts=3)
    repair = call(Role.DECIDE, 60, server="one", latency_ms=300, repair=True)
    failed = call(Role.DECIDE, 0, server="two", reply=None, error="gone", latency_ms=9000, queue_ms=20, attempts=2)
    records: list[Record] = [
        started("e", TASK),
        decided(0, span(1, 2), answered, repair),
        StageFailed(step=1, span=span(2, 3), stage="decide", code="x", error="x", calls=(failed,)),
        planned(1, span(3, 4), call(Role.PLAN, 7, server="two", latency_ms=50)),
        ended(5),
    ]
    summary = summed_up({}, [records])
    decide = summary.model["decide"]
    assert (decide.calls, decide.errors, decide.retries, decide.repairs) == (3, 1, 3, 1)
    assert (decide.input_tokens, decide.cached_tokens, decide.cached_share) == (100, 50, 0.5)
    assert near(decide.latency_ms, Percentiles(p50=200, p95=290, mean=200))  # of those that were answered
    assert near(decide.queue_ms, Percentiles(p50=10, p95=19, mean=10))
    assert list(summary.servers) == ["one", "two"]
    two = summary.servers["two"]
    assert (two.calls, two.input_tokens, two.errors, two.retries) == (2, 7, 1, 1)
    unasked = summary.model["note"]
    assert (unasked.calls, unasked.cached_share, unasked.queue_ms, unasked.latency_ms) == (0, None, None, None)


def test_results_that_were_there_already_are_no_samples() -> None:
    first = captured(0, span(0, 3), settle_ms=2000)
    again = first.model_copy(update={"step": 1, "span": span(9, 9)})
    records: list[Record] = [
        started("e", TASK),
        first,
        perceived(0, span(3, 5, queue_ms=1000), queue=1000, text=1000),
        reflected(0, span(5, 9)),
        again,
        perceived(1, span(9, 9), cached=True),
        decided(1, span(9, 9)),
        checked(1, at=9),
        perceived(2, span(9, 9.5, queue_ms=500), cached=True, queue=500),
        ended(10),
    ]
    summary = summed_up({}, [records])
    work = {stage: found.mean for stage, found in summary.stage_ms.items() if found}
    assert work == pytest.approx({"capture": 1000, "settle": 2000, "perceive": 1000, "verify": 4000})
    waiting = {stage: found.mean for stage, found in summary.queue_ms.items() if found}
    assert waiting == pytest.approx({"capture": 0, "perceive": 750, "verify": 0})
    assert summary.outcomes == {"A": 1, "B": 0, "C": 1}  # verdicts without the model are verdicts
    assert summary.checks == {"unchanged": 1}


def test_queues_at_the_phone_are_in_steps_and_no_overhead() -> None:
    records: list[Record] = [
        started("e", TASK),
        sent(0, "e:0", at=0),
        acted(0, span(0, 4, queue_ms=3000)),
        captured(1, span(4, 9, queue_ms=2000), settle_ms=2500),
        sent(1, "e:1", at=10),
        ended(11),
    ]
    summary = summed_up({}, [records])
    assert near(summary.step_ms, exactly(10000))
    assert summary.overhead_ms_per_step == pytest.approx(1000)
    assert near(summary.stage_ms["act"], exactly(1000))
    assert near(summary.stage_ms["capture"], exactly(500))
    assert near(summary.stage_ms["settle"], exactly(2500))
    assert near(summary.queue_ms["capture"], exactly(2000))


def test_tasks_that_no_phone_had_are_no_episodes_of_the_hour() -> None:
    tasks = [{"id": "a"}, {"id": "b"}]
    summary = summed_up({"tasks": tasks}, [[started("a-1", TASK, at=0), ended(1800)]])
    assert (summary.tasks, summary.episodes_per_hour) == (2, 2)


def test_a_rate_counts_what_was_verified_or_finished_alone() -> None:
    """1300 tasks that a server refuses in a second each are no 4337 episodes an hour."""
    refused = [
        [started(f"r{number}-1", TASK, at=number, batch="b", place=number), ended(number + 1, Ending.MODEL_FAILED)]
        for number in range(9)
    ]
    assert summed_up({}, refused).episodes_per_hour == 0
    verified = [started("v-1", TASK, at=9, batch="b", place=9), ended(17, Ending.STEP_LIMIT, verified=True)]
    finished = [started("f-1", TASK, at=17, batch="b", place=10), ended(18)]
    assert summed_up({}, [*refused, verified, finished]).episodes_per_hour == pytest.approx(2 * 3600 / 18)


def test_time_in_which_no_model_server_answered_belongs_to_no_step_and_no_stage() -> None:
    def away(start: float, end: float, *intervals: tuple[float, float]) -> Span:
        return Span(start=start, end=end, away=intervals)

    first = [
        started("a-1", TASK, at=0),
        sent(0, "e:0", at=1),
        reflected(0, away(2, 100, (4, 94)), Outcome.A),
        noted(0, away(3, 100, (10, 95)), call(Role.NOTE, 8)),
        planned(1, away(100, 103, (101, 101.5)), call(Role.PLAN, 10)),
        sent(1, "e:1", at=105),
        ended(106),
    ]
    other = [started("b-1", TASK, at=50), sent(0, "f:0", at=60), planned(1, away(61, 99, (63, 96))), ended(100)]
    summary = summed_up({}, [first, other])
    assert near(summary.step_ms, exactly((104 - 91 - 0.5) * 1000))
    assert near(summary.stage_ms["verify"], exactly(8000))
    assert near(summary.stage_ms["note"], exactly(12000))
    assert summary.overhead_ms_per_step == pytest.approx((1 + 2) * 1000)
    assert summary.away_s == pytest.approx(96 - 4 + 0.5)
    assert summary.wall_s == 106


def test_start_up_lasts_until_the_first_stage_of_a_step() -> None:
    """The open fleet waited for its tasks until the second 3; that time does not count."""
    asked = {"start_up": {"opening_s": 40.0, "models_s": 30.0, "tasks_at": 3.0}}
    other = [started("b-1", TASK, at=6), captured(0, span(7, 8))]
    summary = summed_up(asked, [two_steps(), other])
    assert (summary.start_up_s, summary.start_up_models_s) == (40 + 5 - 3, 30)
    assert summed_up(asked, [[started("c-1", TASK, at=0), ended(1)]]).start_up_s is None
    assert summed_up({}, [two_steps()]).start_up_s is None


def test_a_journal_of_before_says_nothing_of_such_times() -> None:
    records = two_steps()
    assert summed_up({}, [records]).away_s == 0
    assert Span.model_validate({"start": 1, "end": 2}).away == ()


def test_the_last_attempt_decides_a_task() -> None:
    lost = [started("a-1", TASK, at=0, serial="p"), ended(5, Ending.PHONE_LOST, steps=1)]
    done = [started("a-2", TASK, at=6, serial="q", attempt=2), ended(9, steps=2, verified=False)]
    summary = summed_up({"tasks": [{"id": "a"}]}, [lost, done])
    assert summary.finished == {"finished": 1}
    assert (summary.tasks, summary.steps, summary.verified, summary.false_completes) == (1, 3, 0, 1)
    [row] = summary.by_task
    assert (row.phone, row.attempts, row.steps, row.verified) == ("q", 2, 2, False)


def test_a_resumed_episode_decides_a_task_that_was_given_up_before() -> None:
    went_on = [started("a-1", TASK, at=0), ended(30, steps=4, verified=True)]
    given_up = [started("a-2", TASK, at=6, serial=""), ended(6, Ending.NO_PHONE)]
    [row] = summed_up({"tasks": [{"id": "a"}]}, [went_on, given_up]).by_task
    assert (row.phone, row.finished, row.attempts, row.verified) == ("p", Ending.FINISHED, 1, True)


def test_a_late_end_decides_nothing_after_the_attempt_was_restarted() -> None:
    frozen = [started("a-1", TASK, at=0), ended(60, Ending.LEASE_LOST, steps=1)]
    anew = [started("a-2", TASK, at=40, serial="q", restarts=1), ended(50, steps=2, verified=True)]
    [row] = summed_up({"tasks": [{"id": "a"}]}, [frozen, anew]).by_task
    assert (row.phone, row.finished, row.attempts, row.verified) == ("q", Ending.FINISHED, 1, True)


def test_a_journal_without_an_end_is_a_lost_host() -> None:
    open_journal = [started("a-1", TASK, at=0), acted(0, span(1, 2)), acted(1, span(3, 4))]
    summary = summed_up({}, [open_journal])
    [row] = summary.by_task
    assert (row.finished, row.steps) == (Ending.HOST_LOST, 2)
    assert summary.wall_s == 4


def test_tasks_that_no_phone_had() -> None:
    given_up = [started("b-1", TASK.model_copy(update={"id": "b"}), at=3, serial=""), ended(3, Ending.NO_PHONE)]
    summary = summed_up({"tasks": [{"id": "a", "human_operations": ["x"]}, {"id": "b"}]}, [given_up])
    assert [(row.id, row.phone, row.finished, row.attempts) for row in summary.by_task] == [
        ("a", None, Ending.CANCELLED, 0),
        ("b", None, Ending.NO_PHONE, 0),
    ]
    assert [row.human_steps for row in summary.by_task] == [1, 2]
    assert summary.finished == {"cancelled": 1, "no_phone": 1}
    assert summary.phones == 0
    assert summary.episodes_per_hour == 0
    assert (summary.step_ms, summary.overhead_ms_per_step) == (None, None)
    nothing = dict.fromkeys(["capture", "settle", "perceive", "plan", "decide", "act", "verify", "note"])
    assert (summary.stage_ms, summary.queue_ms) == (nothing, nothing)


def test_a_task_that_was_asked_for_twice_has_two_rows() -> None:
    first = [started("a-1", TASK, at=0, batch="b", place=0), ended(1, verified=True)]
    second = [started("a-1-again", TASK, at=2, batch="b", place=1), ended(3, verified=False)]
    asked = {"tasks": [{"id": "a"}, {"id": "a"}], "batches": [{"name": "b", "tasks": 2}]}
    summary = summed_up(asked, [first, second])
    assert [row.verified for row in summary.by_task] == [True, False]


def test_the_steps_of_a_human_are_unknown_if_nobody_told_them() -> None:
    told_nothing = TaskSpec(id="b", goal="g")
    summary = summed_up({"tasks": [{"id": "a"}, {"id": "b"}]}, [[started("b-1", told_nothing), ended(1)]])
    assert [row.human_steps for row in summary.by_task] == [None, None]


def test_a_run_without_journals_has_figures() -> None:
    summary = summed_up({"run_id": "r", "tasks": []}, [])
    assert (summary.tasks, summary.wall_s, summary.episodes_per_hour, summary.actions_sent) == (0, 0, 0, 0)


def test_the_summary_is_written_beside_the_journals(tmp_path: Path) -> None:
    asked = {"run_id": "r", "schedule": "serial", "tasks": [{"id": "a"}], "phones": ["p"], "versions": {"x": "1"}}
    write_run(tmp_path, asked, {"e": two_steps()})
    summary = summarise(tmp_path)
    assert RunSummary.model_validate(json.loads((tmp_path / "summary.json").read_text())) == summary
    assert (summary.schedule, summary.versions, summary.actions_sent) == ("serial", {"x": "1"}, 3)


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        summarise(tmp_path)
    with pytest.raises(BadInput, match="the results of a batch of a service"):
        summarise(Path("b17.buy"))


whole = st.integers(0, 60)
intervals = st.lists(st.tuples(whole, whole).map(sorted).map(tuple), max_size=8)


@given(intervals, st.tuples(whole, whole).map(sorted).map(tuple))
def test_a_union_counts_every_moment_once(parts: list[tuple[int, int]], within: tuple[int, int]) -> None:
    low, high = within
    covered = {moment for start, end in parts for moment in range(start, end) if low <= moment < high}
    assert union_length(parts, within) == len(covered)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_percentiles_lie_between_values(values: list[float]) -> None:
    found = percentiles(values)
    assert found is not None
    assert found.p50 == pytest.approx(float(np.percentile(values, 50)))
    assert found.p95 == pytest.approx(float(np.percentile(values, 95)))
    assert found.mean == pytest.approx(mean(values))


def test_nothing_has_no_percentiles() -> None:
    assert percentiles([]) is None


@pytest.mark.parametrize(
    ("episode", "called"),
    [
        ({}, ""),
        ({"paper_exact": True}, ", paper exact"),
        ({"elements": "vision", "pictures": "all"}, ""),
        ({"pictures": "none"}, ", without pictures"),
        ({"elements": "both", "without": ["notetaker"]}, ", elements by accessibility and vision, without notetaker"),
        ({"like_e": True, "without": ["memory", "hints"]}, ", like e, without memory, hints"),
    ],
)
def test_a_summary_says_how_its_profile_was_changed(episode: dict[str, Any], called: str) -> None:
    assert summed_up({"settings": {"episode": episode}}, [two_steps()]).departures == called


def test_a_summary_counts_what_became_of_the_phones_views() -> None:
    without = perceived(0, span(1, 2))
    screens = [
        without.model_copy(update={"screen": without.screen.model_copy(update={"tree": tree})})
        for tree in ("used", "used", "late", None)
    ]
    assert summed_up({}, [[*two_steps(), *screens]]).trees == {"used": 2, "late": 1}
