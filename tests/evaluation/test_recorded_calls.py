"""Recorded calls are found with the screen, the plan and the place that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.evaluation.recorded_calls import recorded_calls, recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.records import Learned, Recalled, Record, StageFailed
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import captured, decided, ended, planned, span, started, write_run

TASK = TaskSpec(id="t", goal="Go")
SHOWN = {
    "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "manyhands:" + "0" * 32}}]}]
}
TEXT_ONLY = {"messages": [{"role": "user", "content": "Go"}]}
UNKNOWN = {
    "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "manyhands:" + "1" * 32}}]}]
}
NOW = span(1, 2)


def asked(role: Role, request: dict[str, object]) -> ModelCall:
    return ModelCall(role=role, server="s", request=request, reply="", started_at=0, latency_ms=1)


def folder(path: Path, *records: Record, run: dict[str, object] | None = None) -> RunFolder:
    write_run(path, run or {}, {"e": [started("e", TASK), *records]})
    return RunFolder(path)


def test_calls_with_their_places(tmp_path: Path) -> None:
    run = folder(
        tmp_path,
        captured(0, NOW),
        planned(0, NOW, asked(Role.PLAN, TEXT_ONLY)),
        decided(0, NOW, asked(Role.DECIDE, SHOWN), asked(Role.DECIDE, SHOWN)),
        StageFailed(step=0, span=NOW, stage="verify", code="c", error="e", calls=(asked(Role.REFLECT, SHOWN),)),
    )
    calls = recorded_calls(run)
    assert [(one.role, one.step, one.turn, len(one.shown)) for one in calls] == [
        (Role.PLAN, 0, 0, 0),
        (Role.DECIDE, 0, 0, 1),
        (Role.DECIDE, 0, 1, 1),
        (Role.REFLECT, 0, 0, 1),
    ]
    assert {one.known.size for one in calls} == {Size(width=10, height=20)}
    assert calls[0].known.previous is None
    assert calls[1].known.previous is not None


def test_calls_beside_the_steps_are_read_with_the_screen_as_it_was_first(tmp_path: Path) -> None:
    recall = Recalled(at=1, calls=(asked(Role.RECALL, TEXT_ONLY),), left_out=7)
    again = tuple(asked(Role.LEARN_SHORTCUTS, TEXT_ONLY) for _ in range(2))
    taught = Learned(at=9, span=NOW, scope="fleet", taken=None, calls=(asked(Role.LEARN_TIPS, TEXT_ONLY), *again))
    steps = (captured(0, NOW), decided(0, NOW, asked(Role.DECIDE, SHOWN)), captured(1, NOW))
    calls = recorded_calls(folder(tmp_path, recall, *steps, ended(8), taught))
    assert [(one.role, one.step, one.turn) for one in calls] == [
        (Role.RECALL, 0, 0),
        (Role.DECIDE, 0, 0),
        (Role.LEARN_TIPS, 1, 0),
        (Role.LEARN_SHORTCUTS, 1, 0),
        (Role.LEARN_SHORTCUTS, 1, 1),
    ]
    assert calls[0].known.tips == 7
    assert {one.known.size for one in calls} == {Size(width=10, height=20)}
    assert all(one.shown == () for one in calls if one.role is not Role.DECIDE)


def test_a_retriever_is_read_though_the_phone_was_lost_before_it_showed_anything(tmp_path: Path) -> None:
    recall = Recalled(at=1, calls=(asked(Role.RECALL, TEXT_ONLY),))
    assert [one.known.tips for one in recorded_calls(folder(tmp_path, recall))] == [0]


def test_a_call_without_a_recorded_request_is_left_out(tmp_path: Path) -> None:
    assert recorded_calls(folder(tmp_path, captured(0, NOW), planned(0, NOW, asked(Role.PLAN, {})))) == ()


def test_a_picture_that_was_never_captured(tmp_path: Path) -> None:
    run = folder(tmp_path, captured(0, NOW), planned(0, NOW, asked(Role.PLAN, UNKNOWN)))
    with pytest.raises(StoreError, match="1111"):
        recorded_calls(run)


def test_a_step_without_a_screenshot(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no screenshot"):
        recorded_calls(folder(tmp_path, planned(0, NOW, asked(Role.PLAN, TEXT_ONLY))))


def test_the_dialect_of_a_role(tmp_path: Path) -> None:
    models = {"plan": {"dialect": "qwen2.5-vl", "max_pixels": 1000}}
    run = folder(tmp_path, run={"models": models, "settings": {"dialect": "qwen3-vl"}})
    assert recorded_dialect(run, Role.PLAN) == ("qwen2.5-vl", 1000)
    assert recorded_dialect(run, Role.NOTE) == ("qwen3-vl", None)


def test_a_run_that_names_no_dialect(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="which dialect"):
        recorded_dialect(folder(tmp_path, run={"settings": {}}), Role.PLAN)
