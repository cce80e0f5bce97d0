"""``manyhands report``: write the report of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.deploy.command_line.report_progress import report_options

EXAMPLE = (
    "Example: manyhands report runs/20260102-101500_demo. "
    "A copy to send or to host: --out report_of_demo. Without screens: --trim."
)


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
    from manyhands.evaluation.report.report_folder import copy_report, write_report

    with report_options(trim) as asked:
        written = write_report(run, asked) if out is None else copy_report(run, out, asked)
    if as_json:
        say_json({"report": str(written.page), "bytes": written.bytes})
    else:
        text_console().print(str(written.page), soft_wrap=True)
