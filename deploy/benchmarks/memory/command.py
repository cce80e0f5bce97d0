"""``manyhands bench memory``: measure how long a large memory takes to read and search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.benchmarks.memory.figures import RESIDENT_MIB, memory_figures, rows
from manyhands.deploy.benchmarks.provenance import Provenance, this_machine
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_folder import timed_folder

EXAMPLE = (
    "Example: manyhands bench memory --times 500 --json. Exit codes: 0 within all limits, 1 something is beyond its "
    "limit, 2 bad input."
)
SOURCES = {"lessons": "made up: 500 tips and 60 shortcuts, English and Chinese; goals of ten tasks of everyday.yaml"}


def command(
    times: Annotated[int, typer.Option(min=20, max=100_000, help="How often each call is made.")] = 200,
    out: Annotated[Path | None, typer.Option(help="A folder for the memory.", show_default=False)] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure reading and searching a memory of 500 tips and 60 shortcuts, and the memory that its process uses."""
    carry_out(lambda: _run(times, out or timed_folder("bench_memory"), as_json), as_json)


async def _run(times: int, folder: Path, as_json: bool) -> int:
    from manyhands.deploy.benchmarks.memory.run import measure

    provenance = Provenance(SOURCES, this_machine(), folder)
    figures = memory_figures(await measure(folder, times))
    if as_json:
        say_json({**figures.model_dump(mode="json"), "settings": {"times": times}, **provenance.as_json()})
    else:
        console = text_console()
        title = f"{figures.tips} tips and {figures.shortcuts} shortcuts; ms"
        console.print(table(title, ("call", "p50", "p95", "p95 at most"), rows(figures)))
        said = f"\nthe memory service's process has {figures.resident_mib:.0f} MiB; it may have {RESIDENT_MIB:.0f}"
        for line in (said, *(f"beyond its limit: {one}" for one in figures.beyond)):
            console.print(line, markup=False, soft_wrap=True)
        provenance.print(console)
    return EXIT_FAILED if figures.beyond else 0
