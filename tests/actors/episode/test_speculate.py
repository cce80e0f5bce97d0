"""What is asked ahead of time, what it is told, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import ModelUnreachable, SpeculationRefused
from manyhands.protocol.journals.records import ActionDecided, Planned, Record, StageDropped, StageFailed
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.runs.results import EpisodeResult
from tests.actors.episode.world import CALL, World, content_id, order
from tests.virtual_clock import run_virtual

SECONDS = {"plan": 3.0, "decide": 3.0, "verify": 2.5, "note": 1.0, "perceive": 0.5, "perform": 0.1, "capture": 0.4}


def run(world: World, **chosen: Any) -> tuple[EpisodeResult, list[Record]]:
    result = run_virtual(world.host().run_episode(order(schedule="speculate", **chosen)))
    return result, world.journals["run-task-1"]


def of(kind: Any, journal: list[Record]) -> list[Any]:
    return [record for record in journal if isinstance(record, kind)]


def world(**more: Any) -> World:
    return World(latency=lambda method, count: SECONDS.get(method, 0.0), **more)


def test_what_came_true_is_kept_and_names_what_it_assumed() -> None:
    there = world()
    result, journal = run(there)
    assert result.ending is Ending.FINISHED
    plans, decisions = of(Planned, journal), of(ActionDecided, journal)
    assert [plan.assumed for plan in plans] == [(), ("verify",), ("verify",), ("verify",)]
    assert [decision.assumed for decision in decisions] == [(), ("plan", "verify"), ("plan", "verify")]
    # The last decision was under way when the planner found the goal reached.
    (dropped,) = of(StageDropped, journal)
    assert (dropped.step, dropped.stage, dropped.wrong) == (3, "decide", "plan")
    assert there.cancelled == ["decide"]


def test_speculation_assumes_a_good_action_and_no_progress_text() -> None:
    there = world()
    run(there)
    second = there.begun["decide"][1]
    assert second.progress == ""
    assert [(past.outcome, past.error) for past in second.history] == [(Outcome.A, "")]
    assert second.plan.subgoal.text == "leave s0"
    assert there.begun["plan"][1].failures == ()


def test_a_wrong_page_makes_both_ask_again_with_the_error_and_only_that_counts() -> None:
    verdicts = {1: Outcome.B}
    there = world(judges=lambda request: verdicts.pop(there.count["verify"], Outcome.A))
    result, journal = run(there)
    assert result.ending is Ending.FINISHED
    first = [record for record in of(StageDropped, journal) if record.wrong == "verify"]
    assert {(record.step, record.stage) for record in first} == {(1, "plan"), (1, "decide")}
    decided = next(record for record in of(ActionDecided, journal) if record.step == 1)
    number = int(decided.decision.thought.removeprefix("so "))
    told = there.begun["decide"][number]
    assert [(past.outcome, past.error) for past in told.history] == [(Outcome.B, "this is not the page")]
    assert decided.assumed == ("plan",)


def test_a_note_that_is_late_is_assumed_to_add_nothing() -> None:
    slow = SECONDS | {"note": 3.0}
    there = World(latency=lambda method, count: slow.get(method, 0.0))
    result, journal = run(there)
    assert result.ending is Ending.FINISHED
    late = [record for record in of(StageDropped, journal) if "note" in record.assumed]
    assert {(record.step, record.wrong) for record in late} >= {(2, "note")}
    third = next(record for record in of(ActionDecided, journal) if record.step == 2)
    assert there.begun["decide"][int(third.decision.thought.removeprefix("so "))].notes == "s1"


def test_without_room_a_step_is_one_of_overlap() -> None:
    full, waiting = world(room=lambda method, count: False), world()
    result, journal = run(full)
    run_virtual(waiting.host().run_episode(order(schedule="overlap")))
    assert result.ending is Ending.FINISHED
    assert not of(StageDropped, journal)
    assert all(record.assumed == () for record in of(Planned, journal) + of(ActionDecided, journal))
    assert [round(at, 3) for name, at, _, _ in full.calls if name == "perform"] == [
        round(at, 3) for name, at, _, _ in waiting.calls if name == "perform"
    ]


def test_what_was_asked_before_the_room_was_gone_is_written_down() -> None:
    full = SpeculationRefused("the reply was unusable, and there is no room to ask again", calls=(CALL,))
    there = world(fault=lambda method, count: full if (method, count) == ("decide", 1) else None)
    result, journal = run(there)
    assert result.ending is Ending.FINISHED
    dropped = next(record for record in of(StageDropped, journal) if record.step == 1)
    assert (dropped.stage, dropped.wrong, dropped.calls) == ("decide", "decide", (CALL,))


def test_room_that_is_there_once_the_verdict_is_out_is_used_beside_the_planner() -> None:
    there = world()
    there.room = lambda method, count: any(name == "verify" for name, *_ in there.calls)
    _, journal = run(there)
    assert of(ActionDecided, journal)[1].assumed == ("plan",)


def test_a_call_that_fails_ahead_of_time_is_made_again_and_ends_nothing() -> None:
    failing = {("decide", 1)}
    there = world(fault=lambda method, count: ModelUnreachable("late") if (method, count) in failing else None)
    result, journal = run(there)
    assert result.ending is Ending.FINISHED
    assert not of(StageFailed, journal)
    failed = next(record for record in of(StageDropped, journal) if record.wrong == "decide")
    assert (failed.step, failed.stage) == (1, "decide")
    assert next(record for record in of(ActionDecided, journal) if record.step == 1).assumed in ((), ("plan",))


def test_a_call_that_fails_when_it_is_certain_counts() -> None:
    there = world(fault=lambda method, count: ModelUnreachable("down") if method == "decide" and count else None)
    result, journal = run(there)
    assert result.ending is Ending.MODEL_FAILED
    assert [record.stage for record in of(StageFailed, journal)] == ["decide"]


def test_as_the_paper_does_nothing_is_assumed() -> None:
    with pytest.raises(ValueError, match="paper_exact: the paper's roles wait"):
        EpisodeSettings(paper_exact=True, schedule="speculate")


@pytest.mark.parametrize("schedule", ["serial", "overlap", "speculate"])
def test_a_planner_that_need_not_run_is_left_out_and_the_plan_stands(schedule: str) -> None:
    there = world(reached=lambda screen: {"s1": False, "s2": None, "s3": True}[screen])
    result = run_virtual(there.host().run_episode(order(schedule=schedule, skip_planner=True)))
    assert result.ending is Ending.FINISHED
    plans = of(Planned, there.journals["run-task-1"])
    asked = [request.screenshot.content_id for request in there.begun["plan"]]
    assert asked == [content_id(name) for name in ("s0", "s2", "s3")]
    assert [(plan.plan.change, plan.plan.subgoal.text, bool(plan.calls)) for plan in plans] == [
        ("replan", "leave s0", True),
        ("keep", "leave s0", False),
        ("keep", "leave s2", True),
        ("keep", "leave s3", True),
    ]
    if schedule == "speculate":
        assert of(ActionDecided, there.journals["run-task-1"])[1].assumed == ("plan", "verify")


def test_a_planner_is_not_left_out_after_a_failure() -> None:
    there = world(reached=lambda screen: False, judges=lambda request: Outcome.B)
    run_virtual(there.host().run_episode(order(skip_planner=True, task={"limits": {"max_steps": 3}})))
    assert len(there.begun["plan"]) == 4
