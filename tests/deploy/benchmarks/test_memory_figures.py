"""The figures of bench memory: what is beyond its limit is said, and its process measures what it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.deploy.benchmarks.memory.figures import MemoryTimes, memory_figures, rows
from manyhands.deploy.benchmarks.memory.lessons import SHORTCUTS, TIPS
from manyhands.deploy.benchmarks.memory.run import fill, measure
from manyhands.protocol.errors import BadInput

QUICK = (1.0,) * 20


def times(**changed: object) -> MemoryTimes:
    given = {"search_ms": QUICK, "snapshot_ms": QUICK, "changed_ms": QUICK, "resident_mib": 40.0}
    return MemoryTimes.model_validate({"tips": TIPS, "shortcuts": SHORTCUTS, **given, **changed})


@pytest.mark.parametrize(
    ("changed", "beyond"),
    [
        ({}, ()),
        ({"search_ms": (*QUICK, 90.0)}, ()),
        ({"search_ms": (21.0,) * 20}, ("a search takes 21.0 ms at p95; it may take 20",)),
        ({"snapshot_ms": (6.0,) * 20}, ("a snapshot takes 6.0 ms at p95; it may take 5",)),
        ({"changed_ms": (6.0,) * 20}, ("a snapshot after a change takes 6.0 ms at p95; it may take 5",)),
        ({"resident_mib": 101.0}, ("the process has 101 MiB; it may have 100",)),
    ],
)
def test_what_is_beyond_its_limit_is_said(changed: dict[str, object], beyond: tuple[str, ...]) -> None:
    assert memory_figures(times(**changed)).beyond == beyond


async def test_a_process_measures_each_call_as_often_as_asked(tmp_path: Path) -> None:
    taken = await measure(tmp_path / "out", 20)
    assert (taken.tips, taken.shortcuts) == (TIPS + 4, SHORTCUTS + 1)
    assert {len(one) for one in (taken.search_ms, taken.snapshot_ms, taken.changed_ms)} == {20}
    assert taken.resident_mib > 0
    assert [row[0] for row in rows(memory_figures(taken))] == ["search", "snapshot", "snapshot after a change"]
    with pytest.raises(BadInput, match="there is a memory already"):
        fill(tmp_path / "out" / "memory.sqlite")
