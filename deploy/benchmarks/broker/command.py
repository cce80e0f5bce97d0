"""``manyhands bench broker``: measure what the messages of many phones cost a broker and gateways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.benchmarks.broker.figures import BrokerFigures
from manyhands.deploy.benchmarks.provenance import Provenance, this_machine
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_folder import timed_folder

if TYPE_CHECKING:
    from manyhands.deploy.benchmarks.broker.run import BrokerLoad

EXAMPLE = (
    "Example: manyhands bench broker --minutes 10. It needs an installed mosquitto. How to read it: docs/edge.md. "
    "Exit codes: 0 all was answered, 1 something was not or it could not be measured, 2 bad input."
)
SOURCES = {"phones": "canned: they do nothing, at once, and send bytes that are no pictures", "model": "none"}


def command(
    minutes: Annotated[float, typer.Option("--minutes", min=0.05, help="How long is measured.")] = 1.0,
    phones: Annotated[int, typer.Option("--phones", min=1, max=20_000, help="Phones in all.")] = 1000,
    sites: Annotated[int, typer.Option("--sites", min=1, max=50, help="Gateways that have them.")] = 4,
    commands: Annotated[float, typer.Option("--commands", min=0.1, help="Actions in a second.")] = 100.0,
    pictures: Annotated[float, typer.Option("--pictures", min=0.1, help="Pictures in a second.")] = 50.0,
    picture_bytes: Annotated[
        int, typer.Option("--picture-bytes", min=1000, max=8_000_000, help="Of each picture.")
    ] = 257_000,
    out: Annotated[Path | None, typer.Option("--out", help="Folder. Default: runs/<time>_bench_broker.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask real gateways with canned phones at a steady rate, behind a broker with TLS, all on this machine."""
    from manyhands.deploy.benchmarks.broker.run import BrokerLoad

    folder = (out or timed_folder("bench_broker")).resolve()
    load = BrokerLoad(phones, sites, commands, pictures, picture_bytes, 60 * minutes, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: BrokerLoad, as_json: bool) -> int:
    from manyhands.deploy.benchmarks.broker.run import measure

    console = text_console(stderr=as_json)
    provenance = Provenance(SOURCES, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "sites": load.sites,
            "commands_s": load.commands_s,
            "pictures_s": load.pictures_s,
            "picture_bytes": load.picture_bytes,
        }
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        _show(console, figures)
        provenance.print(console)
    return 0 if not figures.failed else EXIT_FAILED


def _show(console: Console, figures: BrokerFigures) -> None:
    rows = [
        (name, f"{one.cores:.2f}", f"{one.rss_mb_first:.0f}", f"{one.rss_mb_last:.0f}")
        for name, one in (("broker", figures.broker), ("gateways", figures.gateways))
    ]
    console.print(table("Processes", ("", "cores", "MB at first", "MB at last"), rows))
    waits = [
        (name, str(one.count), f"{one.p50:.1f}", f"{one.p95:.1f}", f"{one.most:.0f}")
        for name, one in (("actions", figures.commands), ("pictures", figures.pictures))
    ]
    console.print(table("Answers (ms)", ("", "count", "p50", "p95", "longest"), waits))
    console.print(
        f"\n{figures.failed} without an answer, {figures.repeats} repeated, {figures.malformed} malformed; "
        f"{figures.states_told} states told; {figures.bytes_in / figures.seconds / 1e6:.1f} MB/s came",
        soft_wrap=True,
    )
