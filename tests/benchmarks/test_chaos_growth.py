"""Which processes of a chaos keep memory or files: medians early in their life against those at its end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from manyhands.benchmarks.chaos.growth import ProcessGrowth, ProcessReadings, Reading, read_once
from manyhands.benchmarks.chaos.processes import RunProcesses
from manyhands.benchmarks.cpu import DRIVER

HOST, STORE = ("EpisodeHost", 1), ("RunStore", 2)


def readings(late: Mapping[tuple[str, int], tuple[float, int]], seconds: int = 700) -> ProcessReadings:
    """One reading in ten seconds: 100 MiB and 10 files each, in the last minutes those that are named."""
    collected = ProcessReadings()
    for at in range(0, seconds + 1, 10):
        used = {process: late[process] if at > 400 else (100.0, 10) for process in late}
        if at in (150, seconds):
            used = dict.fromkeys(late, (500.0, 99))  # a burst
        collected.add({process: Reading(float(at), mib, files) for process, (mib, files) in used.items()})
    return collected


def test_medians_early_and_late_are_compared_and_the_most_growth_comes_first() -> None:
    first, second = readings({STORE: (100.0, 12), HOST: (104.0, 10)}).growth()
    assert (first.kind, first.early_mib, first.late_mib, first.minutes) == ("EpisodeHost", 100.0, 104.0, 700 / 60)
    assert (second.kind, second.early_files, second.late_files) == ("RunStore", 10, 12)
    assert first.is_steady
    assert second.is_steady


@pytest.mark.parametrize("late", [(106.0, 10), (100.0, 13)])
def test_what_grows_is_not_steady(late: tuple[float, int]) -> None:
    (row,) = readings({HOST: late}).growth()
    assert not row.is_steady


def test_a_process_that_did_not_live_for_ten_minutes_is_not_compared() -> None:
    assert readings({HOST: (900.0, 10)}, seconds=590).growth() == ()


def test_readings_do_not_pile_up() -> None:
    collected = readings({HOST: (100.0, 10)}, seconds=5000)
    assert len(collected.early[HOST]) + len(collected.late[HOST]) <= 24


def test_the_processes_of_a_run_are_read(tmp_path: Path) -> None:
    processes = RunProcesses(tmp_path)
    processes.driver = os.getpid()
    reading = read_once(processes)[DRIVER, os.getpid()]
    assert reading.mib > 10
    assert reading.files > 0


def test_rows_survive_their_json() -> None:
    rows: tuple[ProcessGrowth, ...] = readings({HOST: (104.0, 10)}).growth()
    assert [ProcessGrowth.model_validate_json(row.model_dump_json()) for row in rows] == list(rows)
