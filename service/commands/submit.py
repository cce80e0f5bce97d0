"""Define ``manyhands submit``, which gives tasks to a service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.moments import read_moment
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.batches import MOST_TASKS, BatchRequest
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import limit_steps, read_tasks, select, tasks_from_goals
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.commands import options as service_options
from manyhands.service.commands.tables import batch_line, exit_code_of, follow_batch, misfit_lines

EXAMPLE = (
    'Example: manyhands submit --goal "Turn on dark mode." --phones "model=Pixel 8" --watch. Exit codes: 0 accepted '
    "(with --wait or --watch: all tasks done), 1 some were not done, or no service answers, 2 bad input."
)
_BATCH = "Batch"


def command(
    tasks: Annotated[
        Path | None, typer.Argument(help="A YAML file of tasks.", show_default=False, rich_help_panel=options.TASKS)
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
    group: options.Group = None,
    group_enough: options.GroupEnough = None,
    name: Annotated[str, typer.Option("--name", help="A name for people.", rich_help_panel=_BATCH)] = "",
    priority: Annotated[
        int,
        typer.Option("--priority", min=-100, max=100, help="Higher ones run first.", rich_help_panel=_BATCH),
    ] = 0,
    batch_tag: Annotated[
        list[str] | None,
        typer.Option("--batch-tag", help="A word to find the batch by; repeatable.", rich_help_panel=_BATCH),
    ] = None,
    phones: Annotated[
        str,
        typer.Option("--phones", metavar="SELECTOR", help="Which phones, by labels.", rich_help_panel=_BATCH),
    ] = "",
    deadline: Annotated[
        str | None,
        typer.Option(
            "--deadline",
            metavar="WHEN",
            help="When it must have ended: 2h, or 2026-01-02T18:00.",
            show_default=False,
            rich_help_panel=_BATCH,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            help="A key of your own. The same key and tasks again give the same batch.",
            show_default=False,
            rich_help_panel=_BATCH,
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all tasks have ended.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Wait, with the live display.")] = False,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Give tasks to a service. Once this returns, they are stored, and go on without you."""
    if (tasks is None) == (not goal):
        raise BadInput("give either a file of tasks or --goal")
    specs = read_tasks(tasks) if tasks else tasks_from_goals(goal or [])
    specs = limit_steps(select(specs, task or [], tag or []), max_steps)
    request = BatchRequest(
        tasks=expand_groups(specs, group, group_enough, MOST_TASKS),
        name=name,
        priority=priority,
        tags=tuple(batch_tag or ()),
        phones=phones,
        deadline=None if deadline is None else read_moment(deadline, "--deadline", HOST_CLOCK.now()),
    )
    carry_out(lambda: _submit(request, key, wait, watch, server, ca, as_json), as_json, service_options.ON_STOP)


async def _submit(
    request: BatchRequest,
    key: str | None,
    wait: bool,
    watch: bool,
    server: str | None,
    ca: Path | None,
    as_json: bool,
) -> int:
    console = text_console(stderr=as_json)
    async with service_options.open_client(server, ca) as client:
        batch = await client.submit_request(request, idempotency_key=key)
        misfits = await misfit_lines(client, batch)
        if watch or wait:
            console.print(batch_line(batch), soft_wrap=True)
        for line in misfits:
            text_console(stderr=True).print(line, soft_wrap=True, markup=False)
        if watch:
            return await follow_batch(client, batch.id, console, as_json)
        if wait:
            batch = await client.wait(batch)
    if as_json:
        say_json(batch.model_dump(mode="json"))
    else:
        console.print(batch_line(batch), soft_wrap=True)
        if not wait:
            console.print(f"Next: {own_name()} watch {batch.id}", soft_wrap=True)
    return exit_code_of(batch) if wait else 0
