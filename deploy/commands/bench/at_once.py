"""``manyhands bench at-once``: many phones' screens through one perception actor."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from deploy import options
from deploy.bench.perceive_at_once import MOST, different_screens, measure_at_once
from deploy.commands.bench.footer import tell_footer
from deploy.output import EXIT_FAILED, carry_out, fail, say_json, table, text_console
from deploy.settings import FleetSettings, load_settings
from evaluation.bench.at_once import AtOnceFigures
from evaluation.bench.machine import Machine, this_machine
from protocol.errors import ManyhandsError

EXAMPLE = (
    "Example: manyhands bench at-once --screens 32 --workers 1. docs/perception.md says how to read it. Exit codes: 0 "
    "each screen was read both times, and alike; 1 one was not; 2 bad input."
)
MOST_READERS = 64
SOURCES = {
    "phones": "virtual, of eight sizes; each screen counts as one of a phone of its own, so all are read in full",
    "perception": "real, in this process: what one perception actor does; OpenCV pinned to one thread",
}


def command(
    screens: Annotated[int, typer.Option("--screens", min=1, max=MOST, help="Screens, each of another phone.")] = 32,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=MOST_READERS, help="Readers of the actor; as many as cores.")
    ] = None,
    wait_s: Annotated[
        float | None, typer.Option("--wait", min=0.01, help="Longest wait for a reader, in seconds (60).")
    ] = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Send many phones' screens to one perception actor: one at a time, and all at once.

    Its engines and batches are those of the settings' "perception".
    """
    try:
        settings = load_settings({"perception_threads": workers, "perception_wait_s": wait_s}, config)
    except ManyhandsError as error:
        fail(error, as_json)
    carry_out(lambda: _run(screens, settings, as_json), as_json)


async def _run(count: int, given: FleetSettings, as_json: bool) -> int:
    """Tells what was measured; the exit code."""
    machine = this_machine()
    settings = given.perception_settings(given.perception_threads or min(machine.cores, MOST_READERS))
    console = text_console(stderr=as_json)

    def say(line: str) -> None:
        console.print(line, markup=False, style="dim")

    say(f"drawing {count} screens")
    screens = await asyncio.to_thread(different_screens, count)
    figures = await measure_at_once(screens, settings, say)
    if as_json:
        say_json(
            {
                "figures": figures.model_dump(mode="json"),
                "settings": settings.model_dump(mode="json"),
                "sources": SOURCES,
                "machine": machine.model_dump(mode="json"),
            }
        )
    else:
        _tell(console, figures, machine)
    refused = figures.one_by_one.refused + figures.at_once.refused
    return EXIT_FAILED if figures.differing or refused else 0


def _tell(console: Console, figures: AtOnceFigures, machine: Machine) -> None:
    columns = ("", "all, s", "CPU, s", "wait p50, s", "wait p95, s", "answer p95, s", "refused")
    rows = [
        (
            name,
            *(
                f"{seconds:.2f}"
                for seconds in (
                    done.seconds,
                    done.cpu_seconds,
                    done.wait_p50_s,
                    done.wait_p95_s,
                    done.answer_p95_s,
                )
            ),
            str(done.refused),
        )
        for name, done in (("one at a time", figures.one_by_one), ("all at once", figures.at_once))
    ]
    console.print(table(f"{figures.screens} screens, {figures.workers} reader(s)", columns, rows))
    console.print()
    batches = "; ".join(
        f"{network}: {', '.join(f'{count} of {size}' for size, count in sizes.items())}"
        for network, sizes in figures.batches.items()
    )
    ratio = "not said, for screens were refused" if figures.ratio is None else f"{figures.ratio:.3f}"
    console.print(
        f"all at once by one at a time: {ratio}; screens that were not read alike: {figures.differing}\n"
        f"no wait may be longer than {figures.longest_wait_s:g} s\n"
        f"batches: {batches or 'none, one at a time is the best on this device'}",
        markup=False,
        soft_wrap=True,
    )
    tell_footer(console, SOURCES, machine)
