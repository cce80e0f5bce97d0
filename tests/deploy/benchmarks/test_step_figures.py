"""Bounds of single steps, computed by hand, and the figures of journals whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.benchmarks.step.figures import outside, read_run, schedule_figures, verified_by_some
from manyhands.deploy.benchmarks.step.times import (
    BOUNDS,
    Parts,
    Passage,
    StepTime,
    overlap_ms,
    parts_of,
    passages_of,
    serial_ms,
    speculate_ms,
    step_times,
    uncontended,
)
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Decided, Dropped, Planned, Record, StageFailed
from manyhands.protocol.roles import Plan, Role, Subgoal
from manyhands.protocol.tasks import TaskSpec
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
    reflected,
    sent,
    span,
    started,
    write_run,
)

TASK = TaskSpec(id="a", goal="g")
LATENCIES = {Role.PLAN: 3.0, Role.DECIDE: 3.0, Role.REFLECT: 2.5, Role.NOTE: 2.0}
PLAIN = Parts(
    act=100,
    settle=300,
    capture=100,
    perceive=700,
    verify=2500,
    note=2000,
    plan=3000,
    decide=3000,
    agreed=True,
    kept=True,
)
"""A step in which everything is as assumed; the screen is there after 500 ms."""


@pytest.mark.parametrize(
    ("parts", "serial", "overlap", "speculate"),
    [
        (PLAIN, 11_700, 9_000, 500 + 3_700),
        (replace(PLAIN, kept=False), 11_700, 9_000, 500 + 3_000 + 3_000),
        (replace(PLAIN, agreed=False, note=0), 9_700, 9_000, 500 + 2_500 + 3_000),
        (replace(PLAIN, agreed=False, kept=False, note=0), 9_700, 9_000, 500 + 2_500 + 3_000 + 3_000),
        # A verdict that needed no model is known at once.
        (replace(PLAIN, verify=0, agreed=False, note=0), 7_200, 6_500, 500 + 3_700),
        # Nothing to read on a screen that was read before.
        (replace(PLAIN, perceive=0), 11_000, 9_000, 500 + 3_000),
        # Reading takes longer than judging and planning together.
        (replace(PLAIN, perceive=6_000), 17_000, 9_500, 9_500),
        # A planner that was not asked.
        (replace(PLAIN, plan=0), 8_700, 6_000, 500 + 3_700),
        # A slow reflector holds the gate.
        (replace(PLAIN, verify=9_000), 18_200, 15_500, 9_500),
    ],
)
def test_the_bound_of_a_step_is_its_longest_path(parts: Parts, serial: float, overlap: float, speculate: float) -> None:
    assert serial_ms(parts) == pytest.approx(serial)
    assert overlap_ms(parts) == pytest.approx(overlap)
    assert speculate_ms(parts) == pytest.approx(speculate)


times = st.floats(min_value=0, max_value=10_000)
some_parts = st.builds(Parts, *([times] * 8), st.booleans(), st.booleans())


@given(some_parts)
def test_what_may_run_together_is_never_slower(parts: Parts) -> None:
    assert speculate_ms(parts) <= overlap_ms(parts) + 1e-6
    assert overlap_ms(parts) <= serial_ms(parts) + 1e-6
    least = parts.shown + max(parts.verify, parts.plan, parts.perceive + parts.decide)
    assert speculate_ms(parts) >= least - 1e-6


@given(some_parts, st.sampled_from(("act", "settle", "capture", "perceive", "verify", "note", "plan", "decide")), times)
def test_a_stage_that_takes_longer_shortens_nothing(parts: Parts, stage: str, more: float) -> None:
    slower = replace(parts, **{stage: getattr(parts, stage) + more})
    for bound in BOUNDS.values():
        assert bound(slower) >= bound(parts) - 1e-6


# ---------------------------------------------------------------------------- from journals
def new_subgoal(step: int, start: float, *calls: ModelCall) -> Planned:
    plan = Plan(thought="", text="", subgoal=Subgoal(id=2, text=""), change="next", status="continue")
    return Planned(step=step, span=span(start, start + 3), plan=plan, calls=calls)


def ahead(record: Planned | Decided) -> Planned | Decided:
    return record.model_copy(update={"assumed": ("verify",)})


def serial_episode() -> list[Record]:
    """Three actions: after the first all is well, after the second the subgoal is new and the plan took two calls."""
    return [
        started("e", TASK),
        decided(0, span(7, 10)),
        sent(0, "e:0:1:0", at=10),
        acted(0, span(10, 10.1)),
        captured(1, span(10.1, 10.5), settle_ms=300),
        perceived(1, span(10.5, 11.2), text=700),
        reflected(0, span(11.2, 13.7), Outcome.A, call(Role.REFLECT, 100)),
        noted(0, span(13.7, 15.7), call(Role.NOTE, 100)),
        planned(1, span(15.7, 18.7), call(Role.PLAN, 100)),
        decided(1, span(18.7, 21.7), call(Role.DECIDE, 100)),
        sent(1, "e:1:1:0", at=21.8),
        acted(1, span(21.8, 22)),
        captured(2, span(22, 22.6), settle_ms=500),
        perceived(2, span(22.6, 22.6), cached=True),
        checked(1, 22.6),
        new_subgoal(2, 22.6, call(Role.PLAN, 100), call(Role.PLAN, 100, repair=True)),
        decided(2, span(28.6, 31.6), call(Role.DECIDE, 100)),
        sent(2, "e:2:1:0", at=32),
        acted(2, span(32, 32.1)),
        ended(33, steps=3, verified=True),
    ]


def the_steps(records: Sequence[Record]) -> list[StepTime]:
    return step_times(passages_of(records))


def test_what_happened_between_two_actions() -> None:
    first, second = the_steps(serial_episode())
    assert (first.ms, second.ms) == (pytest.approx(11_800), pytest.approx(10_200))
    [plain], [other] = first.passages, second.passages
    assert (plain.action, plain.agreed, plain.kept, plain.read) == ("Home", True, True, True)
    assert dict(plain.calls) == {"verify": 1, "note": 1, "plan": 1, "decide": 1}
    assert plain.measured.settle == pytest.approx(300)
    assert plain.measured.capture == pytest.approx(100)
    assert (other.agreed, other.kept, other.read) == (False, False, False)
    assert dict(other.calls) == {"verify": 0, "note": 0, "plan": 2, "decide": 1}


def test_a_step_is_bound_by_its_own_calls_and_by_what_the_rest_takes_alone() -> None:
    records = serial_episode()
    first, second = the_steps(records)
    alone = uncontended([*first.passages, *second.passages])
    parts = parts_of(second.passages[0], LATENCIES, alone)
    # Medians of the two passages; of perception only the one that read anything, and here nothing was to be read.
    assert (parts.act, parts.settle, parts.capture, parts.perceive) == pytest.approx((150, 400, 100, 0))
    assert (parts.verify, parts.note, parts.plan, parts.decide) == (0, 0, 6_000, 3_000)
    assert first.bound_ms("serial", LATENCIES, alone) == pytest.approx(650 + 700 + 2_500 + 2_000 + 3_000 + 3_000)
    assert second.bound_ms("serial", LATENCIES, alone) == pytest.approx(650 + 6_000 + 3_000)


def test_screens_read_in_full_and_in_part_have_times_of_their_own() -> None:
    (passage,) = the_steps(serial_episode())[0].passages

    def read(ms: float, in_full: bool) -> Passage:
        return replace(passage, measured=replace(passage.measured, perceive=ms), read=True, read_in_full=in_full)

    alone = uncontended([read(1500, True), read(1300, True), read(200, False), read(300, False), read(400, False)])
    assert [parts_of(read(0, full), LATENCIES, alone).perceive for full in (True, False)] == [1400, 300]


def test_a_step_that_sent_nothing_belongs_to_the_one_before() -> None:
    records = [record for record in serial_episode() if getattr(record, "key", "") != "e:1:1:0"]
    [only] = the_steps(records)
    assert only.ms == pytest.approx(22_000)
    assert [passage.step for passage in only.passages] == [0, 1]


def test_calls_of_a_stage_that_failed_were_waited_for() -> None:
    failed = StageFailed(
        step=1, span=span(15.7, 18.7), stage="plan", code="x", error="x", calls=(call(Role.PLAN, 100),) * 2
    )
    records = [failed if isinstance(record, Planned) and record.step == 1 else record for record in serial_episode()]
    [first, _] = the_steps(records)
    assert first.passages[0].calls["plan"] == 2
    assert first.passages[0].kept  # the plan before stands


def test_no_journal_has_no_steps() -> None:
    assert the_steps([]) == []
    assert the_steps([started("e", TASK), ended(1)]) == []


def speculating_episode() -> list[Record]:
    """The same tasks: one decision was kept, another dropped with the tokens of an answer that had come."""
    used = [
        ahead(record) if isinstance(record, Planned | Decided) and record.step else record
        for record in serial_episode()[:10]
    ]
    dropped = Dropped(
        step=2,
        span=span(22.6, 25.6),
        stage="decide",
        assumed=("verify", "plan"),
        wrong="plan",
        calls=(call(Role.DECIDE, 1000),),
    )
    return [*used, *serial_episode()[10:15], dropped, *serial_episode()[15:]]


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    asked = {"run_id": "r", "tasks": [{"id": "a"}], "phones": ["p"]}
    made = {}
    for schedule, records in (("serial", serial_episode()), ("speculate", speculating_episode())):
        folder = tmp_path / schedule
        folder.mkdir()
        write_run(folder, {**asked, "schedule": schedule}, {"e": records})
        made[schedule] = folder
    return made


def test_the_figures_of_two_schedules(folders: dict[str, Path]) -> None:
    runs = {name: read_run(folder) for name, folder in folders.items()}
    # In each run 7 calls of 100 tokens and 1 written were used; the server of one has read and written more.
    figures = schedule_figures(runs, LATENCIES, {"serial": 707, "speculate": 2000})
    serial, speculate = figures["serial"], figures["speculate"]
    assert (serial.steps, serial.tasks, serial.verified, serial.verified_tasks) == (2, 1, 1, ("a",))
    assert (serial.p50_ms, serial.mean_ms) == (pytest.approx(11_000), pytest.approx(11_000))
    assert serial.bound_ms == pytest.approx((11_850 + 9_650) / 2)
    assert serial.ratio_to_bound == pytest.approx(11_000 / 10_750)
    assert (serial.ratio_to_serial, serial.kept_share, serial.wasted_tokens) == (1.0, None, 0)
    assert (serial.new_subgoals, serial.disagreed) == (0.5, 0.5)
    assert (speculate.kept, speculate.dropped, dict(speculate.dropped_for)) == (2, 1, {"plan": 1})
    assert speculate.kept_share == pytest.approx(2 / 3)
    assert (speculate.tokens, speculate.wasted_tokens) == (707, 2000 - 707)
    assert speculate.bound_ms == pytest.approx((650 + 3_700 + 650 + 6_000 + 3_000) / 2)


def test_a_share_of_new_subgoals_out_of_range_is_named(folders: dict[str, Path]) -> None:
    figures = schedule_figures({"serial": read_run(folders["serial"])}, LATENCIES, {})
    assert outside(figures, 0.3, 0.5) == []
    [line] = outside(figures, 0.3, 0.4)
    assert line.startswith("serial: 50% of the steps have a new subgoal")
    assert figures["serial"].wasted_tokens is None


def test_tasks_that_only_some_schedules_verified_are_named(folders: dict[str, Path]) -> None:
    runs = {name: read_run(folder) for name, folder in folders.items()}
    figures = schedule_figures(runs, LATENCIES, {})
    assert verified_by_some(figures) == {}
    other = figures["speculate"].model_copy(update={"verified_tasks": ("b",)})
    assert verified_by_some(figures | {"speculate": other}) == {
        "a": {"serial": 1, "speculate": 0},
        "b": {"serial": 0, "speculate": 1},
    }
    unchecked = {name: found.model_copy(update={"verified": None}) for name, found in figures.items()}
    assert verified_by_some(unchecked) is None
    assert verified_by_some({"serial": figures["serial"]}) is None


def test_a_run_without_steps_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, {"tasks": []}, {"e": [started("e", TASK), ended(1)]})
    with pytest.raises(BadInput, match="no step was timed"):
        read_run(tmp_path)
