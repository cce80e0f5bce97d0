"""``manyhands run``: carry out a batch of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import RunDisplay, phone_lines, summary_table, tell_unused
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, own_name, say_json, text_console
from manyhands.deploy.fleet.knowledge import with_knowledge
from manyhands.deploy.fleet.tasks import limited, read_tasks, tasks_from_goals
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs import Repeated, RunSummary
from manyhands.protocol.tasks import TaskSpec, select
from manyhands.protocol.wording import counted

if TYPE_CHECKING:  # it takes a second to import
    from manyhands.deploy.fleet.fleet import Fleet

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
    inject: options.Inject = None,
    failed: options.FailedOf = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out tasks on phones, in parallel."""
    if (tasks is None) == (not goal):
        raise BadInput("give either a file of tasks or --goal")
    chosen = read_tasks(tasks) if tasks else tasks_from_goals(goal or [])
    chosen, repeated = with_knowledge(limited(select(chosen, task or [], tag or []), max_steps), inject, failed)
    settings = load_settings(given(), config)
    tell_unused(settings)
    carry_out(lambda: run_tasks(settings, chosen, as_json, repeated=repeated), as_json)


def tell(console: Console, folder: Path, summary: RunSummary, as_json: bool) -> None:
    """Print the table of a run, or its summary as JSON."""
    if as_json:
        say_json({"out": str(folder), **summary.model_dump(mode="json")})
        return
    console.print()
    console.print(summary_table(summary))
    console.print(f"Run folder: {folder}\nNext: {own_name()} report {folder}", soft_wrap=True)


Tell = Callable[[Console, Path, RunSummary, bool], None]
"""Reports a run that is over; the last argument asks for JSON."""


async def run_tasks(
    settings: FleetSettings,
    tasks: Sequence[TaskSpec],
    as_json: bool,
    tell: Tell = tell,
    repeated: Repeated | None = None,
) -> int:
    """Run a batch with a live display, tell what came of it, and return the exit code."""
    # Ray and the readers take a second to import: not before the input was found to be good.
    from manyhands.deploy.fleet.fleet import Fleet
    from manyhands.deploy.fleet.knowledge import check_memory, starting_memory

    check_memory(settings.memory, settings.episode.profile)
    starting_memory(settings.tips, settings.shortcuts)
    console = text_console(stderr=as_json)
    console.print(f"Starting: {counted(len(tasks), 'task')}")
    return await watch(Fleet(settings), lambda fleet: fleet.run_batch(tasks, repeated), console, as_json, tell)


async def watch(
    closed: Fleet,
    carry_out: Callable[[Fleet], Awaitable[object]],
    console: Console,
    as_json: bool,
    tell: Tell = tell,
) -> int:
    """Open a fleet and have tasks carried out with a live display, tell of them, and return the exit code."""
    async with closed as fleet:
        for line in phone_lines(fleet.phones):
            console.print(line, soft_wrap=True, markup=False)
        if fleet.metrics is not None:
            console.print(f"Metrics: {fleet.metrics.url}", soft_wrap=True, markup=False)
        display = RunDisplay(console, fleet.progress)
        shown = asyncio.create_task(display.run())
        stopped = False
        try:
            await carry_out(fleet)
        except asyncio.CancelledError:
            stopped = True
            raise
        finally:
            shown.cancel()
            await asyncio.gather(shown, return_exceptions=True)
            display.finish(await fleet.progress())
            summary = await asyncio.to_thread(fleet.summary)
            if stopped:
                console.print(
                    f"Stopped before the end; the phones are free again. {own_name()} resume {fleet.folder} goes on.",
                    soft_wrap=True,
                )
            tell(console, fleet.folder, summary, as_json)
    return 0 if all(row.is_done for row in summary.by_task) else EXIT_FAILED
