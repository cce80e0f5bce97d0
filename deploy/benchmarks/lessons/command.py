"""``manyhands bench lessons``: measure what learning adds to a run, between episodes and in tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.benchmarks.lessons.figures import LATER_S, RunOfLessons, lesson_figures
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, table, text_console
from manyhands.evaluation.run_folder import RunFolder

EXAMPLE = (
    "Example: manyhands bench lessons runs/20260102-101500_e runs/20260102-113000_evo. Exit codes: 0 learning holds no "
    "phone, 1 it does, 2 bad input."
)
Run = Annotated[Path, typer.Argument(help="A run folder.", show_default=False)]


def command(without: Run, learning: Run, as_json: options.AsJson = False) -> None:
    """Compare a run that learns with one that does not: time between episodes, tokens by role."""
    figures = lesson_figures(RunFolder(without), RunFolder(learning))
    if as_json:
        say_json({**figures.model_dump(mode="json"), "later_s_at_most": LATER_S})
    else:
        _show(figures.without, figures.learning)
        text_console().print(f"\nwith learning {figures.later_s:+.3f} s at p50; it may be {LATER_S:+.1f} s")
    if not figures.held:
        raise SystemExit(EXIT_FAILED)


def _show(*runs: RunOfLessons) -> None:
    console = text_console()
    stands = [
        (one.profile, str(one.phones), str(one.between), f"{one.between_s.p50:.3f}", f"{one.between_s.p95:.3f}")
        for one in runs
    ]
    console.print(table("Seconds between episodes", ("profile", "phones", "n", "p50", "p95"), stands))
    console.print()
    tokens = [
        (one.profile, role, str(used.calls), f"{used.input_tokens:,}", f"{used.cached_tokens:,}")
        for one in runs
        for role, used in one.by_role.items()
    ]
    console.print(table("Input tokens by role", ("profile", "role", "calls", "input", "of them cached"), tokens))
