"""``manyhands bench perceive``: measure what reading only the changes costs, and compare it with a full reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.evaluation.run_folder import RunFolder

if TYPE_CHECKING:
    from manyhands.benchmarks.part_reading import EpisodeFigures, PerceiveLoad, ScreenRead

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
    read_settings: options.ReadGiven,
    run: Annotated[Path | None, typer.Option("--run", help="A run folder whose screens are read.")] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="Without --run: tasks of the everyday suite to play for screens; repeatable."),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget at the start of each episode what was read in those before.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare reading in part with reading in full: cost, and differences."""
    from manyhands.benchmarks.part_reading import TASKS, PerceiveLoad

    flags = read_settings()
    load = PerceiveLoad(
        run=RunFolder(run) if run else None,
        tasks=tuple(task or TASKS),
        forget=forget,
        adb_port=flags.get("adb_port"),
        out=flags.get("out") or timed_folder("bench_perceive"),
    )
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: PerceiveLoad, as_json: bool) -> int:
    from manyhands.benchmarks.part_reading import SETTINGS, episode_figures, measure

    machine, console = this_machine(), text_console(stderr=as_json)
    folder, screens = await measure(load, lambda line: console.print(line, markup=False, style="dim"))
    figures = episode_figures(screens)
    provenance = Provenance(SOURCES, machine, folder.path)
    if as_json:
        say_json(
            {
                "episode": figures.model_dump(mode="json"),
                "screens": [screen.model_dump(mode="json") for screen in screens],
                "settings": {
                    "tasks": load.tasks,
                    "forget": load.forget,
                    "perception": SETTINGS.model_dump(mode="json"),
                },
                "run": str(folder.path),
                **provenance.as_json(),
            }
        )
    else:
        _show(console, screens, figures)
        provenance.print(console)
    return 0


def _show(console: Console, screens: Sequence[ScreenRead], figures: EpisodeFigures) -> None:
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
