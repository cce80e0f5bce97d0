"""``manyhands bench soak``: check whether any process of a long run keeps memory or files that it should release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.benchmarks.provenance import Provenance, this_machine
from manyhands.deploy.benchmarks.soak.figures import MOST_GROWTH, SoakFigures
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:
    from manyhands.deploy.benchmarks.soak.run import SoakLoad

EXAMPLE = (
    "Example: manyhands bench soak --steps 20000. About 12 minutes; how to read it: docs/benchmarks.md. Exit codes: "
    "0 all is steady, 1 a process grew by more than 5 % or keeps files, 2 bad input."
)


@options.with_settings("bench soak", size="360x800")
def command(
    given: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=256, help="Canned phones at work at a time.")] = 8,
    steps: Annotated[int, typer.Option("--steps", min=100, help="Steps of all phones together.")] = 20_000,
    early: Annotated[int, typer.Option("--early", min=10, help="The step with which the end is compared.")] = 2_000,
    as_json: options.AsJson = False,
) -> None:
    """Compare the memory and open files of each process early in a long run with those at its end."""
    from manyhands.deploy.benchmarks.soak.run import SoakLoad

    if early * 2 > steps:
        raise BadInput(f"--early {early}: at most half of --steps {steps}")
    flags = given()
    folder = flags.pop("out", None) or timed_folder("bench_soak")
    load = SoakLoad(load_settings(flags), phones, steps, early, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: SoakLoad, as_json: bool) -> int:
    from manyhands.deploy.benchmarks.soak.run import measure
    from manyhands.deploy.benchmarks.testbed import CANNED_SOURCES

    provenance = Provenance(CANNED_SOURCES, this_machine(), load.out)
    progress = text_console(stderr=True)
    figures = await measure(load, lambda line: progress.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "size": load.settings.virtual.size,
            "schedule": load.settings.episode.schedule,
        }
        rows = [
            {**row.model_dump(mode="json"), "group": row.group, "growth": row.growth, "steady": row.is_steady}
            for row in figures.rows
        ]
        said = {**figures.model_dump(mode="json"), "rows": rows, "steady": figures.is_steady}
        say_json({**said, "settings": settings, **provenance.as_json()})
    else:
        _show(text_console(), figures)
        provenance.print(text_console())
    return 0 if figures.is_steady else EXIT_FAILED


def _show(console: Console, figures: SoakFigures) -> None:
    rows = [
        (
            row.kind,
            f"{row.early_mib:.1f}",
            f"{row.late_mib:.1f}",
            f"{row.growth:+.1%}",
            f"{row.early_files:g}",
            f"{row.late_files:g}",
            "" if row.is_steady else "grows",
        )
        for row in figures.rows
    ]
    columns = ("process", f"MiB at {figures.early_steps}", f"MiB at {figures.steps}", "more", "files", "at the end", "")
    console.print(table("Resident memory and open files", columns, rows))
    changed = [f"{kind} {word}" for word, kinds in (("came", figures.came), ("went", figures.went)) for kind in kinds]
    console.print(
        f"\n{figures.steps} steps in {figures.seconds:.0f} s; at most {MOST_GROWTH:.0%} more is steady"
        + (f"; while it ran: {', '.join(changed)}" if changed else ""),
        soft_wrap=True,
    )
