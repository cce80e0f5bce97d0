"""The figures of journals whose answers are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.benchmarks.step.figures import (
    outside,
    ratios_beside,
    read_run,
    schedule_figures,
    verified_by_some,
)
from manyhands.evaluation.timing import StepTime, steps_of
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ActionDecided, Planned, Record, StageDropped, StageResult
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.requests import Plan, Subgoal
from manyhands.protocol.roles.role import Role
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
    reflected,
    sent,
    span,
    started,
    write_run,
)

TASK = TaskSpec(id="a", goal="g")


def new_subgoal(step: int, start: float, *calls: ModelCall) -> Planned:
    plan = Plan(thought="", text="", subgoal=Subgoal(id=2, text=""), change="next", status="continue")
    return Planned(step=step, span=span(start, start + 3), plan=plan, calls=calls)


def ahead(record: Planned | ActionDecided) -> Planned | ActionDecided:
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


def stages(step: StepTime) -> list[tuple[str, int]]:
    return [(record.stage, len(record.calls)) for record in step.records]


def test_what_happened_between_two_actions() -> None:
    first, second = steps_of(serial_episode())
    assert (first.ms, second.ms) == (pytest.approx(11_800), pytest.approx(10_200))
    asked = [("verify", 1), ("note", 1), ("plan", 1), ("decide", 1)]
    assert stages(first) == [("act", 0), ("capture", 0), ("perceive", 0), *asked]
    assert stages(second) == [("act", 0), ("capture", 0), ("perceive", 0), ("verify", 0), ("plan", 2), ("decide", 1)]


def test_a_step_that_sent_nothing_belongs_to_the_one_before() -> None:
    records = [record for record in serial_episode() if getattr(record, "key", "") != "e:1:1:0"]
    [only] = steps_of(records)
    assert only.ms == pytest.approx(22_000)
    assert [stage for stage, _ in stages(only)].count("decide") == 2


def test_no_journal_has_no_steps() -> None:
    assert steps_of([]) == []
    assert steps_of([started("e", TASK), ended(1)]) == []


def speculating_episode() -> list[Record]:
    """The same tasks: one decision was kept, another dropped with the tokens of an answer that had come."""
    used = [
        ahead(record) if isinstance(record, Planned | ActionDecided) and record.step else record
        for record in serial_episode()[:10]
    ]
    dropped = StageDropped(
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
    figures = schedule_figures(runs, {"serial": 707, "speculate": 2000})
    serial, speculate = figures["serial"], figures["speculate"]
    assert (serial.steps, serial.tasks, serial.verified, serial.verified_tasks) == (2, 1, 1, ("a",))
    assert (serial.p50_ms, serial.mean_ms) == (pytest.approx(11_000), pytest.approx(11_000))
    assert (serial.ratio_to_serial, serial.p95_ratio_to_serial, serial.mean_ratio_to_serial) == (1.0, 1.0, 1.0)
    assert (serial.kept_share, serial.wasted_tokens) == (None, 0)
    assert (serial.new_subgoals, serial.disagreed) == (0.5, 0.5)
    assert (speculate.kept, speculate.dropped, dict(speculate.dropped_for)) == (2, 1, {"plan": 1})
    assert speculate.kept_share == pytest.approx(2 / 3)
    assert (speculate.tokens, speculate.wasted_tokens) == (707, 2000 - 707)


def test_a_share_of_new_subgoals_out_of_range_is_named(folders: dict[str, Path]) -> None:
    figures = schedule_figures({"serial": read_run(folders["serial"])}, {})
    assert outside(figures, 0.3, 0.5) == []
    [line] = outside(figures, 0.3, 0.4)
    assert line.startswith("serial: 50% of the steps have a new subgoal")
    assert figures["serial"].wasted_tokens is None


def test_steps_of_a_loop_without_plans_have_no_subgoals(tmp_path: Path) -> None:
    records = [
        StageResult(step=record.step, span=record.span, stage="look", calls=record.calls, data={})
        if isinstance(record, Planned)
        else record
        for record in serial_episode()
    ]
    write_run(tmp_path, {"tasks": [{"id": "a"}]}, {"e": records})
    figures = schedule_figures({"serial": read_run(tmp_path)}, {})
    assert (figures["serial"].steps, figures["serial"].new_subgoals) == (2, None)
    assert outside(figures, 0.3, 0.4) == []


def test_tasks_that_only_some_schedules_verified_are_named(folders: dict[str, Path]) -> None:
    runs = {name: read_run(folder) for name, folder in folders.items()}
    figures = schedule_figures(runs, {})
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


def test_a_profile_is_compared_with_others_under_the_same_schedule(tmp_path: Path) -> None:
    write_run(tmp_path, {"run_id": "r", "tasks": [TASK.model_dump(mode="json")]}, {"e": serial_episode()})
    found = schedule_figures({"serial": read_run(tmp_path)}, {})["serial"]
    assert found.calls_per_step == pytest.approx(7 / 3)
    assert found.uncached_tokens_per_step > 0
    slower = {"p50_ms": 2 * found.p50_ms, "mean_ms": 4 * found.mean_ms}
    other = found.model_copy(update={**slower, "model_ms_per_step": 10 * found.model_ms_per_step})
    ratios = ratios_beside({"serial": found, "e serial": other, "e overlap": other})
    assert ratios.keys() == {"e serial"}
    assert ratios["e serial"] == pytest.approx({"step": 0.5, "mean_step": 0.25, "model": 0.1})
