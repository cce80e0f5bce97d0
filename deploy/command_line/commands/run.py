"""``manyhands run``: carry out a batch of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import RunDisplay, phone_lines, summary_table
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, counted, own_name, say_json, text_console
from manyhands.deploy.fleet.tasks import limited, read_tasks, select, tasks_from_goals
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs import RunSummary
from manyhands.protocol.tasks import TaskSpec

EXAMPLE = (
    'Example: manyhands run --goal "Turn on dark mode." --phones virtual:1 --mllm-url rehearsed. '
    "Exit codes: 0 all tasks done, 1 some were not, 2 bad input."
)


@options.with_settings("run")
def command(
    given: options.ReadGiven,
    tasks: Annotated[Path | None, typer.Argument(help="A YAML file of tasks.", show_default=False)] = None,
    goal: Annotated[list[str] | None, typer.Option("--goal", help="A goal as a sentence; repeatable.")] = None,
    task: Annotated[list[str] | None, typer.Option("--task", help="Only the tasks with this id; repeatable.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only tasks with this tag; repeatable.")] = None,
    max_steps: options.MaxSteps = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out tasks on phones, in parallel."""
    if (tasks is None) == (not goal):
        raise BadInput("give either a file of tasks or --goal")
    chosen = read_tasks(tasks) if tasks else tasks_from_goals(goal or [])
    chosen = limited(select(chosen, task or [], tag or []), max_steps)
    settings = load_settings(given(), config)
    carry_out(lambda: run_tasks(settings, chosen, as_json), as_json)


async def run_tasks(settings: FleetSettings, tasks: Sequence[TaskSpec], as_json: bool) -> int:
    """Run a batch with a live display and return the exit code."""
    # Ray and the readers take a second to import: not before the input was found to be good.
    from manyhands.deploy.fleet.fleet import Fleet

    console = text_console(stderr=as_json)
    console.print(f"Starting: {counted(len(tasks), 'task')}")
    async with Fleet(settings) as fleet:
        for line in phone_lines(fleet.phones):
            console.print(line, soft_wrap=True, markup=False)
        if fleet.metrics is not None:
            console.print(f"Metrics: {fleet.metrics.url}", soft_wrap=True, markup=False)
        display = RunDisplay(console, fleet.progress)
        shown = asyncio.create_task(display.run())
        stopped = False
        try:
            await fleet.run_batch(tasks)
        except asyncio.CancelledError:
            stopped = True
            raise
        finally:
            shown.cancel()
            await asyncio.gather(shown, return_exceptions=True)
            display.finish(await fleet.progress())
            summary = await asyncio.to_thread(fleet.summary)
            if stopped:
                console.print("Stopped before the end; the phones are free again.")
            tell(console, fleet.folder, summary, as_json)
    return 0 if all(row.verified or _unchecked_success(row) for row in summary.by_task) else EXIT_FAILED


def tell(console: Console, folder: Path, summary: RunSummary, as_json: bool) -> None:
    """Print the table of a run, or its summary as JSON."""
    if as_json:
        say_json({"out": str(folder), **summary.model_dump(mode="json")})
        return
    console.print()
    console.print(summary_table(summary))
    console.print(f"Run folder: {folder}\nNext: {own_name()} report {folder}", soft_wrap=True)


def _unchecked_success(row: Any) -> bool:
    return row.verified is None and row.finished is Ending.FINISHED
