"""CPU per step between two readings, and where stacks say that it went."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.benchmarks.cpu import ADB_SERVER, RAY, CpuReading
from manyhands.deploy.benchmarks.overhead.figures import draw_overhead, overhead_figures
from manyhands.deploy.benchmarks.overhead.samples import NATIVE, Place, Sampled, Stack, profile, read_stacks
from manyhands.protocol.actions import Tap
from manyhands.protocol.errors import BadInput
from manyhands.protocol.records import ActionSent, Record


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


def test_a_plot_has_a_bar_for_each_process(tmp_path: Path) -> None:
    png, svg = draw_overhead(overhead_figures(BEGIN, END, JOURNALS), tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.stat().st_size > 1000


RAW = """_run (/usr/lib/python3.11/asyncio/events.py:84);post (/home/me/manyhands/actors/mllm/client/transport.py:49);\
post (/v/lib/python3.11/site-packages/openai/_client.py:7);iterencode (/usr/lib/python3.11/json/encoder.py:250) 3
encode_jpeg (/v/lib/python3.11/site-packages/manyhands/actors/frames.py:3) 2
no frame at all
<module> (/home/me/.venv/bin/manyhands:8);[native];select (/usr/lib/python3.11/selectors.py:468) 1
"""


def test_stacks_are_read_innermost_first_and_called_by_their_package() -> None:
    seen = read_stacks(RAW)
    first, second, third = seen
    assert list(seen.values()) == [3, 2, 1]
    assert first == (
        Place("stdlib", "json/encoder.py:iterencode"),
        Place("openai", "openai/_client.py:post"),
        Place("actors", "actors/mllm/client/transport.py:post"),
        Place("stdlib", "asyncio/events.py:_run"),
    )
    assert second == (Place("actors", "actors/frames.py:encode_jpeg"),)
    assert third == (Place("stdlib", "selectors.py:select"), Place("other", "manyhands:<module>"))


def test_own_time_callers_and_what_runs_without_python() -> None:
    found = profile({"Planner": Sampled(read_stacks(RAW), cpu_ms=40.0)}, interval_ms=4.0, steps=2, top=9)
    assert found.samples == 6
    assert {cost.name: cost.ms_per_step for cost in found.by_caller} == {
        "actors/mllm/client/transport.py:post": 6.0,
        "actors/frames.py:encode_jpeg": 4.0,
        "(stdlib, called by none of ours)": 2.0,
        NATIVE: 8.0,
    }
    assert {cost.name: cost.ms_per_step for cost in found.by_library} == {"stdlib": 8.0, "actors": 4.0, NATIVE: 8.0}
    assert found.by_process["Planner"][0].name == NATIVE


@given(st.lists(st.sampled_from(list(read_stacks(RAW)))), st.floats(0, 1000), st.integers(1, 50))
def test_all_time_is_somewhere(stacks: list[Stack], cpu_ms: float, steps: int) -> None:
    found = profile({"any": Sampled(Counter(stacks), cpu_ms)}, interval_ms=4.0, steps=steps, top=100)
    for costs in (found.by_caller, found.by_library, found.by_process["any"]):
        assert sum(cost.ms_per_step for cost in costs) * steps == pytest.approx(cpu_ms)


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    for stack in read_stacks(text):
        assert stack
