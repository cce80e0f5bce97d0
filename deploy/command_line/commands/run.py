"""Define ``manyhands run``, which carries out a batch of tasks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import (
    EXIT_FAILED,
    carry_out,
    error_value,
    exit_code,
    own_name,
    print_error,
    say_json,
    text_console,
)
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError
from manyhands.protocol.runs.progress import RunProgress
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.runs.run_cipher import cipher_of
from manyhands.protocol.runs.run_summary import Repeated, RunSummary
from manyhands.protocol.tasks.build_files import find_builds
from manyhands.protocol.tasks.repeats import expand_groups, repeat_tasks, set_retries
from manyhands.protocol.tasks.task import TaskSpec, limit_steps, read_tasks, select, tasks_from_goals

if TYPE_CHECKING:  # the import takes a second
    from manyhands.deploy.fleet.fleet import Fleet

EXAMPLE = (
    'Example: manyhands run --goal "Turn on dark mode." --phones virtual:1 --mllm-url rehearsed. '
    "Exit codes: 0 all tasks done, 1 some not, 2 bad input, 130 stopped."
)

_LONGEST_NAME = 40
"""The most characters of a name that is made. A suite appends to it."""


@options.with_settings("run")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    tasks: Annotated[
        Path | None,
        typer.Argument(help="A YAML file of tasks.", show_default=False, rich_help_panel=options.TASKS),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option("--goal", help="A goal as a sentence; repeatable.", rich_help_panel=options.TASKS),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="Only the tasks with this id; repeatable.", rich_help_panel=options.TASKS),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", help="Only tasks with this tag; repeatable.", rich_help_panel=options.TASKS),
    ] = None,
    max_steps: options.MaxSteps = None,
    repeat: options.Repeat = None,
    group: options.Group = None,
    group_enough: options.GroupEnough = None,
    retries: options.Retries = None,
    inject: options.Inject = None,
    failed: options.FailedOf = None,
    junit: options.Junit = None,
    report: options.Report = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Carry out tasks on phones, in parallel."""
    # Help needs neither the display nor the libraries of profiles.
    from manyhands.deploy.command_line.display import tell_unused
    from manyhands.deploy.fleet.initial_memory import with_knowledge

    if (tasks is None) == (not goal):
        raise BadInput("give either a file of tasks or --goal")
    specs = read_tasks(tasks) if tasks else tasks_from_goals(goal or [])
    specs, repeated = with_knowledge(limit_steps(select(specs, task or [], tag or []), max_steps), inject, failed)
    specs = expand_groups(repeat_tasks(set_retries(specs, retries), repeat), group, group_enough)
    settings = name_run(load_settings(read_settings(), config), "" if tasks is None else tasks.stem)
    tell_unused(settings)
    runs = run_and_report if report else run_tasks
    carry_out(lambda: runs(settings, specs, as_json, telling(junit, report), repeated), as_json)


def name_run(settings: FleetSettings, name: str) -> FleetSettings:
    """Return the settings with a name for the run, unless they have one. Characters that no name may have are left out.

    The run folder and the results for CI have this name.
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).lstrip("_.-")[:_LONGEST_NAME]
    if not plain or "name" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"name": plain})


def tell(
    console: Console,
    folder: Path,
    summary: RunSummary,
    as_json: bool,
    failure: ManyhandsError | None = None,
    report_follows: bool = False,
) -> None:
    """Print the table of a run, or its summary as one JSON value. ``failure``: the error that ended the run.

    ``report_follows``: the report is written next, so that nobody need be told how.
    """
    if as_json:
        say_json(summary_value(folder, summary, failure))
        return
    from manyhands.deploy.command_line.summary_table import summary_table

    console.print()
    console.print(summary_table(summary))
    cut_off = any(row.finished is Ending.CANCELLED for row in summary.by_task)
    console.print(f"Run folder: {folder}", soft_wrap=True)
    if cut_off or not report_follows:
        place = "" if cut_off or cipher_of(folder).is_plain else " --out DIR"
        console.print(f"Next: {own_name()} {'resume' if cut_off else 'report'} {folder}{place}", soft_wrap=True)
    if failure is not None:
        print_error(failure)


def summary_value(folder: Path, summary: RunSummary, failure: ManyhandsError | None) -> dict[str, Any]:
    """Return a run as a JSON object: its folder, its summary and, if an error ended it, that error."""
    value = {"out": str(folder), **summary.model_dump(mode="json")}
    return value if failure is None else {**value, **error_value(failure)}


async def _last_of(fleet: Fleet) -> RunProgress | None:
    try:
        return await fleet.progress()
    except CallError:  # the progress can be left out: the summary, which is made from journals, tells the same
        return None


def start_printer(console: Console, as_json: bool) -> Callable[[str], None]:
    """Return a function that prints what a fleet starts; with ``--json`` a function that prints nothing."""

    def print_line(line: str) -> None:
        if not as_json:
            console.print(line, soft_wrap=True, markup=False)

    return print_line


Tell = Callable[[Console, Path, RunSummary, bool, ManyhandsError | None], None]
"""Reports a run that has ended. Arguments: console, run folder, summary, whether to print JSON, the error if any."""


def telling(junit: Path | None, report_follows: bool = False) -> Tell:
    """Return ``tell``. If ``junit`` is given, return a function that also writes the results to that file, for CI.

    Raises BadInput if the folder of the file does not exist.
    """
    tell_all = partial(tell, report_follows=report_follows)
    if junit is None:
        return tell_all
    if not junit.parent.is_dir():
        raise BadInput(f"--junit {junit}: there is no folder {junit.parent}")

    def tell_and_write(
        console: Console, folder: Path, summary: RunSummary, as_json: bool, failure: ManyhandsError | None = None
    ) -> None:
        tell_all(console, folder, summary, as_json, failure)
        from manyhands.evaluation.formats.results import write_junit  # imported late: only this needs its library

        write_junit(folder, junit)

    return tell_and_write


async def run_tasks(
    settings: FleetSettings,
    tasks: Sequence[TaskSpec],
    as_json: bool,
    tell: Tell = tell,
    repeated: Repeated | None = None,
) -> int:
    """Run a batch with a live display, report the result by ``tell``, and return the exit code."""
    # Ray and the text readers take a second to import. So they are imported after the input was checked.
    from manyhands.actors.redaction.redactions import read_redactions
    from manyhands.deploy.fleet.fleet import Fleet
    from manyhands.deploy.fleet.initial_memory import check_memory, starting_memory
    from manyhands.deploy.fleet.model_servers.resolution import role_models

    check_memory(settings.memory, settings.episode.profile, bool(settings.encrypt_with))
    starting_memory(settings.tips, settings.shortcuts)
    if settings.redact is not None:
        read_redactions(settings.redact)
    role_models(settings)
    tasks = await asyncio.to_thread(find_builds, tasks)
    console = text_console(stderr=as_json)
    on_start = start_printer(console, as_json)
    on_start(f"Tasks: {len(tasks)}")
    closed = Fleet(settings, on_start=on_start, tasks=tasks)
    goals = {task.id: task.goal for task in tasks}
    return await watch(closed, lambda fleet: fleet.run_batch(tasks, repeated), console, as_json, tell, goals)


async def run_and_report(
    settings: FleetSettings,
    tasks: Sequence[TaskSpec],
    as_json: bool,
    tell: Tell = tell,
    repeated: Repeated | None = None,
) -> int:
    """Run a batch as ``run_tasks`` does. Then write the report, and print its address; with ``as_json`` on stderr."""
    from manyhands.deploy.command_line.commands.report import report_options
    from manyhands.evaluation.report.report_folder import write_report

    if settings.encrypt_with:
        raise BadInput("--report: a report in the run folder is not encrypted; write one later by report --out DIR")
    folders: list[Path] = []

    def tell_and_note(
        console: Console, folder: Path, summary: RunSummary, as_json: bool, failure: ManyhandsError | None = None
    ) -> None:
        tell(console, folder, summary, as_json, failure)
        folders.append(folder)

    code = await run_tasks(settings, tasks, as_json, tell_and_note, repeated)
    for folder in folders:
        with report_options(trim=False) as report_settings:
            report_files = await asyncio.to_thread(write_report, folder, report_settings)
        address = report_files.page.resolve().as_uri()
        text_console(stderr=as_json).print(f"Report: {address}", soft_wrap=True, markup=False)
    return code


async def watch(
    closed: Fleet,
    carry_out: Callable[[Fleet], Awaitable[Sequence[EpisodeResult]]],
    console: Console,
    as_json: bool,
    tell: Tell = tell,
    goals: Mapping[str, str] | None = None,
) -> int:
    """Open a fleet, run ``carry_out`` with a live display, report the result by ``tell``, and return the exit code.

    ``carry_out`` must return the results of all tasks. The exit code is 0 only if all of them are done; a group is done
    once it has enough rewards. ``goals``: the goals of tasks by their ids, as far as they are known.
    """
    from manyhands.actors.phones.secret_values import SecretUnavailable
    from manyhands.deploy.command_line.display import RunDisplay, phone_lines
    from manyhands.deploy.fleet.phones.phone_labels import SelectorMismatch

    results: Sequence[EpisodeResult] = ()
    async with closed as fleet:
        for line in phone_lines(fleet.phones):
            console.print(line, soft_wrap=True, markup=False)
        if fleet.metrics is not None:
            console.print(f"Metrics: {fleet.metrics.url}", soft_wrap=True, markup=False)
        if fleet.settings.otlp_endpoint is not None:
            console.print(f"Traces: to {fleet.settings.otlp_endpoint}", soft_wrap=True, markup=False)
        display = RunDisplay(console, fleet.progress, str(fleet.folder), goals)
        drawing = asyncio.create_task(display.run())
        stopped, has_begun = False, True
        failure: ManyhandsError | None = None
        try:
            results = await carry_out(fleet)
        except asyncio.CancelledError:
            stopped = True
            raise
        except (SelectorMismatch, SecretUnavailable):
            has_begun = False
            raise
        except ManyhandsError as error:
            failure = error  # the results so far and this error are printed together, as one JSON value
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)
            if has_begun:
                if (last := await _last_of(fleet)) is not None:
                    display.finish(last)
                summary = await asyncio.to_thread(fleet.summary)
                if stopped:
                    console.print(
                        f"Stopped before the end; the phones are free again. {own_name()} resume {fleet.folder} "
                        "goes on.",
                        soft_wrap=True,
                    )
                tell(console, fleet.folder, summary, as_json, failure)
    if failure is not None:
        return exit_code(failure)
    complete = {one.task for one in summary.groups if one.is_complete}
    grouped = {row.id for row in summary.by_task if row.repeat_of in complete}
    return 0 if all(result.is_done or result.task in grouped for result in results) else EXIT_FAILED
