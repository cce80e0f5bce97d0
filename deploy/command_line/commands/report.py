"""``manyhands report``: write the report of a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import say_json, text_console

EXAMPLE = (
    "Example: manyhands report runs/20260102-101500_demo. "
    "A copy to send or to host: --out report_of_demo. Without screens: --trim."
)
MOST_WORKERS = 8


def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write a report with copies of the screens into this new folder.", show_default=False
        ),
    ] = None,
    trim: Annotated[bool, typer.Option("--trim", help="Leave the screens out.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Write report.html: tasks, the timeline of all phones, why tasks failed, and each episode as a film."""
    from manyhands.evaluation.report.report_folder import ReportOptions, copy_report, write_report

    console = text_console(stderr=True)
    with counting_bar("episodes", console, transient=True) as bar:
        row = bar.add_task("episodes", total=None)

        def show(done: int, total: int) -> None:
            bar.update(row, total=total, completed=done)

        asked = ReportOptions(trim=trim, workers=workers(), on_progress=show)
        written = write_report(run, asked) if out is None else copy_report(run, out, asked)
    if as_json:
        say_json({"report": str(written.page), "bytes": written.bytes})
    else:
        text_console().print(str(written.page), soft_wrap=True)


def workers() -> int:
    """Return how many processes write a report: one for each processor that this process may use."""
    return min(MOST_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
