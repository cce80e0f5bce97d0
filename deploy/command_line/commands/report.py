"""``manyhands report``: write a run as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.evaluation.summary import summarise

EXAMPLE = "Example: manyhands report runs/20260102-101500_demo"


def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)], as_json: options.AsJson = False
) -> None:
    """Write report.html: every step with its screenshot, what was seen, done and judged."""
    from manyhands.evaluation.report.page import write_report

    path = write_report(run, summarise(run))
    if as_json:
        say_json({"report": str(path), "bytes": path.stat().st_size})
    else:
        text_console().print(str(path), soft_wrap=True)
