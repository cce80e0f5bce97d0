"""``manyhands bench service``: measure what a service costs beside its fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.benchmarks.service.figures import rows, service_figures
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.evaluation.provenance import Provenance, this_machine

EXAMPLE = (
    "Example: manyhands bench service --seconds 3600 --json. Exit codes: 0 within all limits, 1 something is beyond "
    "its limit, 2 bad input."
)
SOURCES = {"fleet": "canned: every task has 8 steps of 5 s; no phones, no model, no journals"}


def command(
    phones: Annotated[int, typer.Option(min=1, max=10_000, help="How many phones carry out tasks.")] = 200,
    watchers: Annotated[int, typer.Option(min=0, max=200, help="How many clients read events.")] = 20,
    seconds: Annotated[float, typer.Option(min=4, max=86_400, help="How long they do.")] = 120,
    tasks: Annotated[int, typer.Option(min=1000, max=1_000_000, help="How many tasks the lists have.")] = 100_000,
    out: Annotated[Path | None, typer.Option(help="A folder for the database.", show_default=False)] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure a service's processor time and memory with busy phones and watchers, and its answers."""
    from manyhands.benchmarks.service.run import LoadPlan, measure  # imported late: it needs extras

    async def run() -> int:
        folder = (out or timed_folder("bench_service")).resolve()
        provenance = Provenance(SOURCES, this_machine(), folder)
        figures = service_figures(await measure(folder, LoadPlan(phones, watchers, seconds, tasks)))
        if as_json:
            settings = {"phones": phones, "watchers": watchers, "seconds": seconds, "tasks": tasks}
            say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
        else:
            console = text_console()
            title = f"{phones} phones, {watchers} watchers"
            console.print(table(title, ("figure", "measured", "at most"), rows(figures)))
            for line in figures.beyond:
                console.print(f"beyond its limit: {line}", markup=False, soft_wrap=True)
            provenance.print(console)
        return EXIT_FAILED if figures.beyond else 0

    carry_out(run, as_json)
