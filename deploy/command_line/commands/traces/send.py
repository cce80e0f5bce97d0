"""``manyhands traces send``: send the spans of a run that a collector does not have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, say_json, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput

EXAMPLE = (
    "Example: manyhands traces send runs/20260102-101500_demo --otlp-endpoint http://127.0.0.1:4318. "
    "Exit codes: 0 the collector has all spans of the run, 1 it has not, 2 bad input."
)


@options.with_settings("traces send")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    as_json: options.AsJson = False,
) -> None:
    """Send the spans of a run that the collector does not have: after it was away, or of a run without traces."""
    settings = load_settings(read_settings())
    if settings.otlp_endpoint is None:
        raise BadInput("name the collector: --otlp-endpoint http://HOST:4318")
    from manyhands.deploy.telemetry.trace_export import send_remaining  # imported late: the library is an extra

    report = send_remaining(run, settings.otlp_endpoint, settings.otlp_content)
    if as_json:
        say_json(
            {
                "collector": report.url,
                "sent": report.sent,
                "unsent": report.unsent,
                "more": report.has_more,
                "reason": report.reason,
            }
        )
    else:
        text_console().print(report.summary_line, soft_wrap=True, markup=False)
    raise typer.Exit(EXIT_FAILED if report.unsent or report.has_more else 0)
