"""What is printed: the figures, and what stood in for what."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from manyhands.benchmarks.step.command import show_steps
from manyhands.benchmarks.step.figures import ScheduleFigures
from manyhands.evaluation.provenance import Machine, Provenance, this_machine

FIGURES = ScheduleFigures(
    folder="runs/x/speculate",
    tasks=5,
    verified=2,
    verified_tasks=("two_notes", "lakers_note"),
    steps=44,
    p50_ms=4_250,
    p95_ms=9_000,
    mean_ms=5_100,
    ratio_to_serial=0.37,
    mean_ratio_to_serial=0.45,
    p95_ratio_to_serial=0.41,
    new_subgoals=1 / 3,
    disagreed=0.14,
    overhead_ms_per_step=7,
    stage_ms={
        **dict.fromkeys(("capture", "settle", "perceive", "plan", "decide")),
        "act": 21.4,
        "verify": None,
        "note": None,
    },
    queue_ms={},
    tokens=419_000,
    kept=60,
    dropped=20,
    dropped_for={"plan": 15, "verify": 5},
    kept_share=0.75,
    wasted_tokens=63_000,
    wasted_share=0.13,
)
MACHINE = Machine(cores=2, memory_gib=16, load=(1.5, 1, 1), python="3.11", system="Linux")
SOURCES = {"model": "the rehearsed model, a stand-in"}


def printed() -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=200, highlight=False), out


def lines_of(out: io.StringIO) -> list[str]:
    """With one blank between words."""
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_the_table_of_a_step() -> None:
    console, out = printed()
    without = FIGURES.model_copy(
        update={"verified": None, "kept_share": None, "wasted_tokens": None, "ratio_to_serial": None}
    )
    figures = {"speculate": FIGURES, "overlap": without}
    show_steps(console, figures)
    Provenance(SOURCES, MACHINE, Path("runs/x"), [Path("plots/step_gantt.svg")]).print(console)
    rows = lines_of(out)
    assert "speculate 4.25 9.00 5.10 0.37 0.41 0.45" in rows
    assert "speculate 2/5 44 33% 14% 75% of 80 419,000 63,000 (13%)" in rows
    assert "overlap - 44 33% 14% - 419,000 unknown" in rows
    assert "speculate - - - - - 21 - -" in rows
    said = out.getvalue()
    assert "model: the rehearsed model, a stand-in" in said
    assert "machine: 2 cores, 16 GiB, load 1.5 when it began, Python 3.11, Linux" in said
    assert "Plot: plots/step_gantt.svg\nOutput: runs/x\n" in said


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        (("lakers_note", "two_notes"), "All schedules verified the same 2 tasks."),
        (
            ("movie_note", "two_notes"),
            "The schedules did not verify the same tasks: movie_note by serial; lakers_note by speculate.",
        ),
        (
            ("two_notes", "two_notes"),
            "The schedules did not verify the same tasks: two_notes by serial 2 times, speculate 1 time; "
            "lakers_note by speculate.",
        ),
    ],
)
def test_as_many_verified_tasks_need_not_be_the_same(tasks: tuple[str, ...], line: str) -> None:
    console, out = printed()
    figures = {"serial": FIGURES.model_copy(update={"verified_tasks": tasks}), "speculate": FIGURES}
    show_steps(console, figures)
    rows = lines_of(out)
    assert "serial 2/5 44 33% 14% 75% of 80 419,000 63,000 (13%)" in rows
    assert "speculate 2/5 44 33% 14% 75% of 80 419,000 63,000 (13%)" in rows
    assert line in rows


def test_this_machine_is_told_as_it_is() -> None:
    machine = this_machine()
    assert machine.cores >= 1
    assert machine.python in machine.summary_line()
