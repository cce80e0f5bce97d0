"""CPU per step between two readings."""

from __future__ import annotations

import pytest

from manyhands.benchmarks.cpu import ADB_SERVER, RAY, CpuReading
from manyhands.benchmarks.overhead import overhead_figures
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ActionSent, Record
from manyhands.protocol.screens.actions import Tap


def sent(step: int, at: float, atom: int = 0) -> Record:
    return ActionSent(at=at, step=step, key=f"e:{step}:{atom}", action=Tap(x=1, y=1))


BEGIN = CpuReading(100.0, {"host": 1.0, RAY: 2.0, ADB_SERVER: 9.0})
END = CpuReading(110.0, {"host": 1.5, RAY: 2.1, ADB_SERVER: 9.2, "canned phones": 0.3, "store": 0.25})
JOURNALS = [
    [sent(0, 99.9), sent(1, 101.0), sent(1, 101.5, atom=1), sent(2, 103.0), sent(3, 106.0)],
    [sent(0, 109.0), sent(1, 110.0)],
]


def test_cpu_is_divided_by_the_steps_whose_action_was_sent_meanwhile() -> None:
    figures = overhead_figures(BEGIN, END, JOURNALS)
    assert (figures.steps, figures.steps_per_s, figures.step_p50_ms) == (4, 0.4, 2500.0)
    assert figures.cpu_ms_per_step == pytest.approx((500 + 250) / 4)
    assert figures.ray_ms_per_step == pytest.approx(100 / 4)
    assert figures.adb_ms_per_step == pytest.approx(200 / 4)
    assert figures.stand_ins_ms_per_step == pytest.approx(300 / 4)
    assert [share.kind for share in figures.by_process] == ["host", "store", RAY, ADB_SERVER, "canned phones"]


def test_a_measurement_without_a_step_is_none() -> None:
    with pytest.raises(BadInput, match="no step"):
        overhead_figures(BEGIN, END, [[sent(0, 99.0)]])
