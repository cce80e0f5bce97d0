"""Small fleets in virtual time."""

from __future__ import annotations

import pytest

from manyhands.deploy.benchmarks.fleet.modelled import Simulation
from manyhands.deploy.benchmarks.fleet.simulated_figures import SimulatedRow, against_overlap, too_low
from manyhands.deploy.benchmarks.fleet.simulation import simulate


def row(schedule: str, load: float, **more: float) -> SimulatedRow:
    return simulate(Simulation.model_validate({"phones": 16, "schedule": schedule, "steps": 120, "load": load, **more}))


def test_the_same_seed_gives_the_same_figures() -> None:
    one, other = (row("speculate", 0.5, warm_up_s=30) for _ in range(2))
    told = one.model_dump(exclude={"cpu_s", "schedule", "against_overlap"})
    assert other.model_dump(exclude={"cpu_s", "schedule", "against_overlap"}) == pytest.approx(told)


def test_with_room_speculation_is_faster_and_wastes_and_without_any_it_backs_off() -> None:
    idle = against_overlap([row(schedule, 0.1) for schedule in ("overlap", "speculate")])
    full = against_overlap([row(schedule, 3.0) for schedule in ("overlap", "speculate")])
    overlap, speculate = idle
    assert overlap.ahead == 0
    assert overlap.kept_share is None
    assert speculate.against_overlap is not None
    assert speculate.against_overlap > 1.2
    assert speculate.ahead > 0.7
    assert speculate.wasted_share > overlap.wasted_share
    overlap, speculate = full
    assert overlap.busy == pytest.approx(1, abs=0.02)
    assert speculate.ahead < 0.3
    assert speculate.refused > 0


def test_what_is_too_low_is_told() -> None:
    rows = against_overlap([row("overlap", 0.1)])
    low = rows[0].model_copy(update={"schedule": "speculate", "against_overlap": 0.98})
    assert too_low([*rows, low]) == (low,)
