"""``manyhands bench overhead``: measure what a step costs in Manyhands' own processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine

if TYPE_CHECKING:
    from manyhands.benchmarks.overhead.run import OverheadFigures, OverheadLoad

EXAMPLE = (
    "Example: manyhands bench overhead --phones 8 --seconds 30. How to read it: docs/overhead.md. "
    "Exit codes: 0 measured, 1 it could not be, 2 bad input."
)


@options.with_settings("bench overhead", size="360x800")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=256, help="Canned phones at work at a time.")] = 8,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long is measured.")] = 30.0,
    warm_up: Annotated[float, typer.Option("--warm-up", min=0, help="Seconds before that.")] = 10.0,
    as_json: options.AsJson = False,
) -> None:
    """Measure steps per second and CPU per step with phones, model and perception that cost next to nothing."""
    from manyhands.benchmarks.overhead.run import OverheadLoad

    flags = read_settings()
    folder = flags.pop("out", None) or timed_folder("bench_overhead")
    load = OverheadLoad(load_settings(flags), phones, warm_up, seconds, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: OverheadLoad, as_json: bool) -> int:
    from manyhands.benchmarks.overhead.run import measure
    from manyhands.benchmarks.testbed import CANNED_SOURCES

    console = text_console(stderr=as_json)
    provenance = Provenance(CANNED_SOURCES, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "size": load.settings.virtual.size,
            "seconds": load.seconds,
            "warm_up_s": load.warm_up_s,
            "schedule": load.settings.episode.schedule,
        }
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        _show(console, load, figures)
        provenance.print(console)
    return 0


def _show(console: Console, load: OverheadLoad, figures: OverheadFigures) -> None:
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
