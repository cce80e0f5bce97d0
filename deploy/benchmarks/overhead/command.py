"""``manyhands bench overhead``: what a step costs in Manyhands' own processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from manyhands.deploy.benchmarks.overhead.figures import draw_overhead
from manyhands.deploy.benchmarks.overhead.run import Measured, OverheadLoad, measure
from manyhands.deploy.benchmarks.overhead.samples import Cost, Profile
from manyhands.deploy.benchmarks.plots import check_plots
from manyhands.deploy.benchmarks.provenance import Provenance, this_machine
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, fail, say_json, table, text_console
from manyhands.deploy.fleet.run_folder import timed_folder
from manyhands.deploy.fleet.sources import CANNED_PHONES_SOURCE, CANNED_SOURCE
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import ManyhandsError

EXAMPLE = (
    "Example: manyhands bench overhead --phones 8 --seconds 30 --profile. How to read it: docs/overhead.md. "
    "Exit codes: 0 measured, 1 it could not be, 2 bad input."
)
SOURCES = {
    "phones": CANNED_PHONES_SOURCE,
    "model": CANNED_SOURCE,
    "perception": "off; modelled as taking no time and finding nothing",
}
SHOWN = 8
"""Lines for each process; the JSON has more."""


@options.with_settings("bench overhead", size="360x800")
def command(
    given: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=256, help="Canned phones at work at a time.")] = 8,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long is measured.")] = 30.0,
    warm_up: Annotated[float, typer.Option("--warm-up", min=0, help="Seconds before that.")] = 10.0,
    profile: Annotated[
        bool, typer.Option("--profile", help="Sample stacks in every process, and show where the time goes.")
    ] = False,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure steps per second and CPU per step where phones, model and perception cost next to nothing."""
    try:
        check_plots(plot)
        flags = given()
        folder = flags.pop("out", None) or timed_folder("bench_overhead")
        settings = load_settings(flags)
    except ManyhandsError as error:
        fail(error, as_json)
    load = OverheadLoad(settings, phones, warm_up, seconds, profile, folder)
    carry_out(lambda: _run(load, plot, as_json), as_json)


async def _run(load: OverheadLoad, plot: Path | None, as_json: bool) -> int:
    machine = this_machine()
    console = text_console(stderr=as_json)
    measured = await measure(load, lambda line: console.print(line, markup=False))
    plots = draw_overhead(measured.figures, plot) if plot else ()
    provenance = Provenance(SOURCES, machine, load.out, plots)
    if as_json:
        say_json({**_as_json(load, measured), **provenance.as_json()})
    else:
        _show(console, load, measured)
        provenance.print(console)
    return 0


def _as_json(load: OverheadLoad, measured: Measured) -> dict[str, Any]:
    return {
        **measured.figures.model_dump(mode="json"),
        "profile": measured.profile.model_dump(mode="json") if measured.profile else None,
        "settings": {
            "phones": load.phones,
            "size": load.settings.virtual.size,
            "seconds": load.seconds,
            "warm_up_s": load.warm_up_s,
            "schedule": load.settings.episode.schedule,
            "profile": load.profile,
        },
    }


def _show(console: Console, load: OverheadLoad, measured: Measured) -> None:
    figures = measured.figures
    rows = [(share.group, share.kind, f"{share.cpu_ms_per_step:.2f}") for share in figures.by_process]
    console.print(table("CPU by process", ("group", "process", "ms per step"), rows))
    step = "" if figures.step_p50_ms is None else f"; a step takes {figures.step_p50_ms:.0f} ms (p50) on its phone"
    console.print(
        f"\n{figures.steps_per_s:.1f} steps per second, {figures.steps} in {figures.seconds:.1f} s on {load.phones} "
        f"phones of {load.settings.virtual.size}, schedule {load.settings.episode.schedule}{step}\n"
        f"{figures.cpu_ms_per_step:.1f} ms of CPU per step in Manyhands' own processes (driver and actors); beside "
        f"them {figures.ray_ms_per_step:.1f} ms in Ray's daemons, {figures.adb_ms_per_step:.1f} ms in the adb server, "
        f"{figures.stand_ins_ms_per_step:.1f} ms in the stand-ins",
        soft_wrap=True,
    )
    if measured.profile is not None:
        _show_profile(console, measured.profile)


def _show_profile(console: Console, profile: Profile) -> None:
    title = f"{profile.samples} stacks of working threads, one each {profile.interval_ms:g} ms; CPU ms per step"
    console.print(f"\n{title}", style="bold")
    console.print(_costs("Our functions, with what they call in libraries", profile.by_caller))
    console.print(_costs("Libraries, their own time", profile.by_library))
    for kind, costs in profile.by_process.items():
        console.print(_costs(f"{kind}: functions, their own time", costs[:SHOWN]))
    console.print()


def _costs(title: str, costs: Sequence[Cost]) -> Table:
    return table(title, ("ms", "where"), [(f"{cost.ms_per_step:.2f}", cost.name) for cost in costs])
