"""Define ``manyhands status`` and ``manyhands watch``, which show what a service does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.console import RenderableType

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.service.commands import options as service_options
from manyhands.service.commands.tables import (
    batch_line,
    batch_table,
    find_holds,
    follow_batch,
    misfit_lines,
    service_lines,
    task_details,
    task_table,
)

_SHOWN = 20
"""How many batches are shown if the command line names none, and asks for no other number."""


def status(
    id: Annotated[
        str | None, typer.Argument(metavar="[BATCH|TASK]", help="For example b17, or b17.buy.", show_default=False)
    ] = None,
    last: Annotated[int, typer.Option("--last", min=1, max=10_000, help="How many batches are shown.")] = _SHOWN,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the service and its latest batches, a batch and its tasks, or a task."""
    carry_out(lambda: _show(id, last, server, ca, as_json), as_json)


async def _show(id: str | None, last: int, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        if id is None:
            service = await client.status()
            batches = [batch async for batch in service_options.first_of(client.batches(), last)]
            value: dict[str, Any] = {"service": service, "batches": batches}
            blocks: list[RenderableType] = [*service_lines(service, client.server), batch_table(batches)]
        elif service_options.is_task(id):
            task = await client.task(id)
            holds = await find_holds(client, [task])
            value, blocks = {"task": task}, [task_table([task], holds), *task_details(task)]
        else:
            batch = await client.batch(id)
            tasks = [task async for task in client.tasks(batch=id)]
            value, blocks = (
                {"batch": batch, "tasks": tasks},
                [batch_line(batch), task_table(tasks, await find_holds(client, tasks))],
            )
            blocks += await misfit_lines(client, batch)
    if as_json:
        say_json(_plain(value))
    for one in () if as_json else blocks:
        text_console().print(one, soft_wrap=isinstance(one, str))
    return 0


def watch(
    id: Annotated[
        str | None, typer.Argument(metavar="[BATCH]", help="For example b17. Default: all work.", show_default=False)
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Show live what phones do for a batch, until it has ended; without a batch, for all work, until Ctrl-C."""
    carry_out(lambda: _watch(id, server, ca, as_json), as_json, service_options.ON_STOP)


async def _watch(id: str | None, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        if id is not None and service_options.is_task(id):
            id = (await client.task(id)).batch
        return await follow_batch(client, id, text_console(stderr=as_json), as_json)


def _plain(value: Any) -> Any:
    """Return a value without models, for JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


SUBCOMMANDS = {
    "status": Subcommand(status, "Example: manyhands status b17. Exit codes: 0, 1 no service answers, 2 bad input."),
    "watch": Subcommand(
        watch,
        "Example: manyhands watch b17. Ctrl-C ends the display only. Exit codes: 0 all tasks done, 1 some were not, "
        "2 bad input, 130 stopped by a signal.",
    ),
}
