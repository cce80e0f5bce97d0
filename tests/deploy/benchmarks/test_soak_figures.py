"""A process early in a long run and at its end."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from manyhands.deploy.benchmarks.soak.figures import Reading, is_compared, soak_figures
from manyhands.deploy.command_line.cli import app
from manyhands.protocol.errors import BadInput

HOST, STORE, PASSING = ("EpisodeHost", 1), ("RunStore", 2), ("other", 3)


def readings(host_mib: tuple[float, float], store_files: tuple[int, int]) -> list[Reading]:
    """One reading every 20 steps up to 1,000; the last figures are those from step 900 on."""
    found = []
    for steps in range(0, 1001, 20):
        late = steps >= 900
        processes = {HOST: (host_mib[late], 10), STORE: (50.0, store_files[late])}
        if steps in (200, 1000):
            processes |= {PASSING: (1.0, 1), HOST: (500.0, 99)}  # a burst, and one that only passes by
        found.append(Reading(steps, processes))
    return found


def test_memory_and_files_are_medians_early_and_at_the_end() -> None:
    figures = soak_figures(readings((100.0, 104.0), (30, 31)), early=400, end=1000, seconds=60.0)
    assert [(row.kind, row.early_mib, row.late_mib) for row in figures.rows] == [
        ("EpisodeHost", 100.0, 104.0),
        ("RunStore", 50.0, 50.0),
    ]
    assert figures.is_steady


@pytest.mark.parametrize(("host_mib", "store_files"), [((100.0, 106.0), (30, 30)), ((100.0, 100.0), (30, 33))])
def test_what_grows_is_not_steady(host_mib: tuple[float, float], store_files: tuple[int, int]) -> None:
    assert not soak_figures(readings(host_mib, store_files), early=400, end=1000, seconds=60.0).is_steady


@pytest.mark.parametrize("kind", ["adb server", "canned phones"])
def test_what_is_not_ours_is_told_and_not_held_against_a_run(kind: str) -> None:
    given = [Reading(item.steps, {(kind, 1): (10.0 + item.steps, 10)}) for item in readings((1, 1), (1, 1))]
    figures = soak_figures(given, early=400, end=1000, seconds=60.0)
    assert figures.rows[0].growth > 1
    assert figures.is_steady


def test_a_process_that_was_started_again_is_told() -> None:
    given = [
        Reading(item.steps, {("EpisodeHost", 4 if item.steps > 600 else 1): (100.0, 10)})
        for item in readings((1, 1), (1, 1))
    ]
    figures = soak_figures(given, early=400, end=1000, seconds=60.0)
    assert (figures.came, figures.went, figures.is_steady) == (("EpisodeHost",), ("EpisodeHost",), False)


def test_too_few_steps_have_no_figures() -> None:
    with pytest.raises(BadInput, match="more steps"):
        soak_figures(readings((1, 1), (1, 1)), early=990, end=1000, seconds=60.0)


def test_an_early_step_that_is_late_is_refused_before_anything_starts() -> None:
    done = CliRunner().invoke(app, ["bench", "soak", "--steps", "1000", "--early", "900", "--json"])
    assert done.exit_code == 2
    assert "--early 900" in json.loads(done.stdout)["error"]


def test_readings_that_are_not_compared_change_nothing() -> None:
    given = readings((100.0, 104.0), (30, 31))
    kept = [reading for reading in given if is_compared(reading, 400, 1000)]
    assert len(kept) < len(given) / 3
    assert soak_figures(kept, 400, 1000, 60.0) == soak_figures(given, 400, 1000, 60.0)
