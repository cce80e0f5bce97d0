"""``manyhands bench edge``: measure what a broker between a run and its phones adds to a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role

if TYPE_CHECKING:
    from manyhands.benchmarks.edge.figures import EdgeFigures
    from manyhands.benchmarks.edge.run import EdgeLoad

EXAMPLE = (
    "Example: manyhands bench edge --json. It needs an installed mosquitto. How to read it: docs/edge.md. Exit codes: "
    "0 all tasks verified, 1 some were not or it could not be measured, 2 bad input."
)


MODEL_S = 1.0
"""The least seconds of a model call, as with a real model. With faster calls, this machine's CPU would be the limit."""


@options.with_settings("bench edge")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="Virtual phones in all.")] = 4,
    sites: Annotated[int, typer.Option("--sites", min=1, max=16, help="Gateways that have them.")] = 2,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Ids of the everyday suite, with commas. Default: all.")
    ] = None,
    lossless: Annotated[bool, typer.Option("--lossless", help="Pictures without loss, instead of JPEG.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Play the everyday suite on virtual phones behind gateways and a broker with TLS, all on this machine."""
    from manyhands.benchmarks.edge.run import EdgeLoad
    from manyhands.benchmarks.testbed import everyday

    if sites > phones:
        raise BadInput(f"--sites {sites}: more than there are phones ({phones})")
    flags = read_settings()
    folder = flags.pop("out", None) or timed_folder("bench_edge")
    slower = flags.pop("rehearsal", {}).get("latency_s", {})
    flags["rehearsal"] = {"latency_s": {role.value: MODEL_S for role in Role} | slower}
    specs = everyday([] if tasks is None else tasks.split(","))
    load = EdgeLoad(load_settings(flags), specs, phones, sites, lossless, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: EdgeLoad, as_json: bool) -> int:
    from manyhands.benchmarks.edge.run import measure
    from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_SOURCE
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    console = text_console(stderr=as_json)
    model = REHEARSED_SOURCE if not load.settings.mllm_url else ", ".join(load.settings.mllm_url)
    provenance = Provenance({"phones": VIRTUAL_SOURCE, "model": model}, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "sites": load.sites,
            "size": load.settings.virtual.size,
            "lossless": load.lossless,
            "schedule": load.settings.episode.schedule,
            "latency_s": {role.value: seconds for role, seconds in load.settings.rehearsal.latency_s.items()},
        }
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        _show(console, load, figures)
        provenance.print(console)
    return 0 if figures.verified == figures.tasks else EXIT_FAILED


def _show(console: Console, load: EdgeLoad, figures: EdgeFigures) -> None:
    rows = [
        (one.method, str(one.calls), f"{one.ms_p50:.0f}", f"{one.site_ms_p50:.0f}", f"{one.added_ms_p50:.1f}")
        for one in figures.by_method
    ]
    console.print(table("Calls (ms, p50)", ("method", "calls", "in all", "at the site", "added"), rows))
    used = [
        (name, f"{one.cores:.3f}", f"{one.cpu_ms_per_step:.1f}", f"{one.rss_mb_first:.0f}", f"{one.rss_mb_last:.0f}")
        for name, one in figures.processes.items()
    ]
    console.print(table("Processes", ("", "cores", "CPU ms a step", "MB at first", "MB at last"), used))
    console.print(
        f"\n{figures.verified} of {figures.tasks} tasks verified in {figures.seconds:.0f} s"
        f"{': not ' + ', '.join(figures.unverified) if figures.unverified else ''}\n"
        f"a broker adds {figures.added_ms_p50:.1f} ms to a step (p50; p95 {figures.added_ms_p95:.1f}) and carries "
        f"{figures.bytes_per_step / 1000:.0f} kB, {figures.steps} steps on {load.phones} phones of "
        f"{load.settings.virtual.size}\n"
        f"{figures.requests} requests, {figures.repeats} repeated, {figures.refusals} refused, "
        f"{figures.malformed} messages malformed",
        soft_wrap=True,
    )
