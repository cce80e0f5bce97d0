"""``manyhands bench perceive``: what reading only what changed costs, and how near it comes to reading in full."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from manyhands.deploy.benchmarks.perceive.figures import EpisodeFigures, episode_figures
from manyhands.deploy.benchmarks.perceive.run import SETTINGS, TASKS, Measured, PerceiveLoad, measure
from manyhands.deploy.benchmarks.provenance import Provenance, this_machine
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_folder import timed_folder
from manyhands.deploy.settings.fleet import VirtualOptions
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size

EXAMPLE = (
    "Example: manyhands bench perceive --run runs/20260102-101500_run. How to read it: docs/perception.md. "
    "Exit codes: 0 measured, 1 it could not be, 2 bad input."
)
SOURCES = {
    "phones": "virtual; the run's screens are those of whatever phones it had",
    "model": "none is asked here; a run made for this is played with the rehearsed model, a stand-in",
    "perception": "real, in this process; CPU times are of all its threads, OpenCV's pinned to one",
}
SHOWN = 12
"""Lines of the table of differences; the JSON has all."""


@options.with_settings("bench perceive")
def command(
    given: options.ReadGiven,
    run: Annotated[Path | None, typer.Option("--run", help="A run folder whose screens are read.")] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="Without --run: tasks of the everyday suite to play for screens; repeatable."),
    ] = None,
    sizes: Annotated[str, typer.Option("--sizes", help="Screens of a virtual phone; empty: none.")] = (
        "540x1200,1080x2400"
    ),
    threads: Annotated[str, typer.Option("--threads", help="Threads of the reader, for each size.")] = "1,2",
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget at the start of each episode what was read in those before.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure reading in part against reading in full: cost, and what differs."""
    flags = given()
    load = PerceiveLoad(
        run=RunFolder(run) if run else None,
        tasks=tuple(task or TASKS),
        sizes=tuple(_size(text) for text in sizes.split(",") if text),
        threads=_numbers(threads),
        forget=forget,
        adb_port=flags.get("adb_port"),
        out=flags.get("out") or timed_folder("bench_perceive"),
    )
    carry_out(lambda: _run(load, as_json), as_json)


def _numbers(text: str) -> tuple[int, ...]:
    """Read ``1,2`` as numbers. Raises BadInput."""
    parts = [part for part in text.split(",") if part]
    if not all(part.isdecimal() and 1 <= int(part) <= 64 for part in parts):
        raise BadInput(f"--threads {text}: write numbers from 1 to 64, e.g. 1,2")
    return tuple(int(part) for part in parts)


def _size(text: str) -> Size:
    """Read the size of a virtual phone. Raises BadInput."""
    try:
        width, height = VirtualOptions(size=text).size.split("x")
    except ValueError as error:
        raise BadInput(f"--sizes {text}: write width and height in pixels, e.g. 540x1200,1080x2400") from error
    if not 240 <= int(width) <= int(height):
        raise BadInput(f"--sizes {text}: a virtual phone is upright and at least 240 pixels wide")
    return Size(width=int(width), height=int(height))


async def _run(load: PerceiveLoad, as_json: bool) -> int:
    machine, console = this_machine(), text_console(stderr=as_json)
    found = await measure(load, lambda line: console.print(line, markup=False, style="dim"))
    figures = episode_figures(found.screens)
    provenance = Provenance(SOURCES, machine, found.run.path)
    if as_json:
        say_json(
            {
                "episode": figures.model_dump(mode="json"),
                "sizes": [item.model_dump(mode="json") for item in found.sizes],
                "screens": [screen.model_dump(mode="json") for screen in found.screens],
                "settings": {
                    "tasks": load.tasks,
                    "sizes": [f"{size.width}x{size.height}" for size in load.sizes],
                    "threads": load.threads,
                    "forget": load.forget,
                    "perception": SETTINGS.model_dump(mode="json"),
                },
                "run": str(found.run.path),
                **provenance.as_json(),
            }
        )
    else:
        _show(console, found, figures)
        provenance.print(console)
    return 0


def _show(console: Console, found: Measured, figures: EpisodeFigures) -> None:
    screens = found.screens
    columns = ("size", "threads", "full", "in part", "same rows", "decode", "full (clock)", "in part (clock)", "same")
    fields = ("full_cpu_ms", "part_cpu_ms", "same_rows_cpu_ms", "decode_cpu_ms", "full_ms", "part_ms", "unchanged_ms")
    rows = [
        (item.size, str(item.threads), *(f"{getattr(item, field):.1f}" for field in fields)) for item in found.sizes
    ]
    if rows:
        console.print(table("Pages of a virtual phone, median ms (CPU, unless on the clock)", columns, rows))
        console.print()
    differing = [screen for screen in screens if screen.missing or screen.added]
    lines = [
        (f"{screen.episode}:{screen.step}", screen.how, " / ".join(screen.missing), " / ".join(screen.added))
        for screen in sorted(differing, key=lambda screen: screen.texts.f1)[:SHOWN]
    ]
    if lines:
        title = f"Texts that differ, on {len(differing)} of {len(screens)} screens; the worst {len(lines)}"
        console.print(table(title, ("screen", "read", "only in full", "only in part"), lines))
        console.print()
    how = ", ".join(f"{count} {name}" for name, count in figures.by_how.items())
    console.print(
        f"{figures.screens} screens in the order in which they were shown: {how}\n"
        f"cost by a reading in full: median {figures.cost_ratio:.3f} ({figures.cost_ratio_undecoded:.3f} without "
        f"decoding), mean {figures.cost_ratio_mean:.3f}; {figures.part_ms:.0f} ms against {figures.full_ms:.0f} ms\n"
        f"texts: F1 {figures.text_f1:.4f}, the worst screen {figures.text_f1_worst:.2f}; icons: F1 "
        f"{figures.icon_f1:.4f}; rows read: median {figures.read_share:.0%}",
        markup=False,
        soft_wrap=True,
    )
