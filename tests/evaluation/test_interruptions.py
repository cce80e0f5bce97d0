"""What reads journals of episodes that were interrupted and gone on with in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.evaluation.audit import Ledger, LedgerRow, audit
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import attempted, episode_of, episodes_of
from manyhands.evaluation.report.report_folder import write_report
from manyhands.evaluation.timing import steps_of
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.effective_records import effective_records, interruptions
from manyhands.protocol.journals.records import Planned, Record, StageDropped
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.report.opened import read_payload
from tests.evaluation.run_records import (
    acted,
    call,
    captured,
    decided,
    ended,
    planned,
    prepared,
    receipt,
    received,
    reflected,
    resumed,
    sent,
    span,
    started,
    summed_up,
    write_run,
)

TASK = TaskSpec(id="a", goal="g")
CHECKED = TaskSpec.model_validate(
    {"id": "c", "goal": "g", "check": {"source": "content://x/state", "holds": {"path": "x", "equals": 1}}}
)


def interrupted(**fields: object) -> list[Record]:
    """Step 0, a step 1 that was found up to its plan, an end, and the rest 90 s later."""
    return [
        started("e", TASK, at=0, **fields),
        prepared(receipt("e:reset")),
        captured(0, span(1, 2)),
        decided(0, span(2, 3)),
        sent(0, "e:0", at=4),
        received(0, "e:0"),
        acted(0, span(4, 5)),
        captured(1, span(5, 6)),
        planned(1, span(6, 10), call(Role.PLAN, 7)),
        ended(10, Ending.PHONE_LOST, steps=1),
        resumed(0, at=100),
        captured(1, span(101, 102)),
        reflected(0, span(102, 103)),
        planned(1, span(103, 104), call(Role.PLAN, 5)),
        decided(1, span(104, 105)),
        sent(1, "e:1", at=106),
        received(1, "e:1"),
        acted(1, span(106, 107)),
        ended(108, steps=2),
    ]


def test_what_is_void_is_told_as_dropped_and_its_calls_count() -> None:
    stands = effective_records(interrupted())
    (void,) = [record for record in stands if isinstance(record, StageDropped) and record.stage == "plan"]
    assert (void.step, void.assumed, [one.usage.input_tokens for one in void.calls]) == (1, (), [7])
    assert [record.step for record in stands if isinstance(record, Planned)] == [1]
    summary = summed_up({}, [interrupted()])
    assert (summary.model["plan"].calls, summary.model["plan"].input_tokens) == (2, 12)
    assert summary.speculation is None
    assert summary.stage_ms["plan"] is not None
    assert summary.stage_ms["plan"].mean == 1000


def test_an_end_that_was_gone_on_from_is_none() -> None:
    whole, cut = episode_of(interrupted()), episode_of(interrupted()[:-1])
    assert whole is not None
    assert cut is not None
    assert (whole.ending, whole.steps, cut.ended) == (Ending.FINISHED, 2, None)


def test_the_time_in_which_nobody_carried_it_on_is_no_step_time() -> None:
    assert interruptions(interrupted()) == ((10, 100),)
    (step,) = steps_of(effective_records(interrupted()))
    assert step.ms == pytest.approx((106 - 4 - 90) * 1000)
    assert step.overhead_ms == pytest.approx((12 - 6 - 4) * 1000)
    found = summed_up({}, [interrupted()]).interruptions
    assert found is not None
    assert (found.continued, found.causes, found.seconds) == (1, {"phone_lost": 1}, 90)
    assert (found.begun_anew, found.actions_again) == (0, 0)
    assert summed_up({}, [interrupted()[:9]]).interruptions is None


@pytest.mark.parametrize(
    ("resumed_at", "wall_s"),
    [((), 108), ((95,), 18), ((20, 95), 18), ((-5,), 108), ((200,), 108)],
)
def test_the_time_in_which_a_run_lay_cut_off_is_no_time_of_it(resumed_at: tuple[float, ...], wall_s: float) -> None:
    summary = summed_up({"resumed": [{"at": at} for at in resumed_at]}, [interrupted()])
    assert summary.wall_s == pytest.approx(wall_s)
    assert summary.episodes_per_hour == pytest.approx(3600 / wall_s)


def test_a_restarted_attempt_is_one_and_its_actions_count_as_repeated() -> None:
    lost = [*interrupted(batch="batch-1", place=1)[:-1], ended(108, Ending.HOST_LOST, steps=2, afresh=True)]
    anew = [started("f", TASK, at=120, batch="batch-1", place=1, restarts=1), sent(0, "f:0"), ended(130, steps=1)]
    other = [started("g", TASK, at=0, batch="batch-1", place=0), ended(1)]
    summary = summed_up(
        {"tasks": [{"id": "a"}, {"id": "a"}], "batches": [{"name": "batch-1", "tasks": 2}]}, [other, lost, anew]
    )
    assert [(row.finished, row.attempts) for row in summary.by_task] == [("finished", 1), ("finished", 1)]
    assert summary.interruptions is not None
    assert (summary.interruptions.begun_anew, summary.interruptions.actions_again) == (1, 2)


def test_episodes_belong_together_by_their_place_whenever_they_began() -> None:
    """Both tasks have the same id; each was tried twice, and the second one began before the first was done."""
    begun = [(0, 1, 0), (1, 1, 0), (0, 2, 1), (1, 2, 0), (0, 2, 2)]
    journals = [
        [started(f"e{number}", TASK, at=number, attempt=attempt, batch="b", place=place, restarts=restarts)]
        for number, (place, attempt, restarts) in enumerate(begun)
    ]
    tasks = attempted(
        {"tasks": [{"id": "a"}, {"id": "a"}], "batches": [{"name": "b", "tasks": 2}]}, episodes_of(journals)
    )
    assert [[one.started.episode for one in task.attempts] for task in tasks] == [["e0", "e2", "e4"], ["e1", "e3"]]


@pytest.mark.parametrize("rows", [["e:reset:2"], ["e:reset", "e:reset:2"]])
def test_a_phone_that_was_reset_again_had_another_key(rows: list[str]) -> None:
    journal = [started("e", TASK), resumed(-1, at=9), prepared(receipt("e:reset:2"))]
    ledger = Ledger(serial="p", rows=tuple(LedgerRow(key=key, line="input") for key in rows))
    assert audit([journal], [ledger]).violations == ()


def test_a_story_tells_where_it_was_gone_on_with_and_what_was_void(tmp_path: Path) -> None:
    episode = episode_of(interrupted())
    assert episode is not None
    first, second = view_episode(episode).steps
    assert (first.resumed, [one.cause for one in second.resumed]) == ([], ["host lost: it died"])
    assert [one.stage for one in second.void] == ["capture", "plan"]
    assert len(second.calls) == 2
    write_run(tmp_path, {"run_id": "r", "tasks": [{"id": "a", "goal": "g"}]}, {"e": interrupted()})
    write_report(tmp_path)
    step = read_payload(tmp_path, "episodes/e")["steps"][1]
    assert step["resumed"] == ["host lost: it died"]
    assert [bar["stage"] for bar in step["stages"] if bar["became"] == "discarded"] == ["capture", "plan"]
    told = read_payload(tmp_path, "run")
    assert told["summary"]["interruptions"]["seconds"] == 90
    assert [(event["kind"], event["at"], event["episode"]) for event in told["events"]] == [("resumed", 100, "e")]


def test_an_episode_that_went_on_before_it_had_done_anything_has_a_story() -> None:
    episode = episode_of([started("e", TASK), resumed(-1, at=9), captured(0, span(9, 10))])
    assert episode is not None
    (step,) = view_episode(episode).steps
    assert (step.number, len(step.resumed)) == (0, 1)


def test_a_task_whose_check_nobody_could_ask_is_not_done() -> None:
    unasked = [started("c", CHECKED), ended(5)]
    without = [started("a", TASK), ended(5)]
    rows = {row.id: row for row in summed_up({}, [unasked, without]).by_task}
    assert (rows["c"].verified, rows["c"].is_done, rows["a"].is_done) == (None, False, True)
    (never,) = summed_up({"tasks": [CHECKED.model_dump(mode="json")]}, []).by_task
    assert (never.has_check, never.is_done) == (True, False)
