"""Show on a terminal how far a report is written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import text_console

if TYPE_CHECKING:
    from manyhands.evaluation.report.report_folder import ReportOptions

MOST_WORKERS = 8


@contextlib.contextmanager
def report_options(trim: bool) -> Iterator[ReportOptions]:
    """Yield options with which several processes write a report, and a bar shows how many episodes are written."""
    from manyhands.evaluation.report.report_folder import ReportOptions

    with counting_bar("episodes", text_console(stderr=True), transient=True) as bar:
        row = bar.add_task("episodes", total=None)

        def show(done: int, total: int) -> None:
            bar.update(row, total=total, completed=done)

        yield ReportOptions(trim=trim, workers=count_workers(), on_progress=show)


def count_workers() -> int:
    """Return how many processes write a report: one for each processor that this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_WORKERS, usable)
