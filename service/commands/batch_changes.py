"""Define the commands that change batches and tasks of a service, such as ``manyhands cancel`` and ``priority``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadUsage
from manyhands.protocol.service.batches import BatchStatus, TaskStatus
from manyhands.service.commands import options as service_options
from manyhands.service.commands.tables import batch_line, ended_line, task_line

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient

    Changed = Sequence[BatchStatus | TaskStatus]
    Change = Callable[[AsyncClient, str], Awaitable[Changed]]

Ids = Annotated[
    list[str],
    typer.Argument(metavar="BATCH|TASK...", help="For example b17, or b17.buy.", show_default=False),
]

OptionalIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="BATCH|TASK...", help="For example b17, or b17.buy.", show_default=False),
]


def cancel(
    ids: OptionalIds = None,
    is_all: Annotated[
        bool,
        typer.Option("--all", help="All batches that have not ended: yours, as an operator everybody's."),
    ] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why, for people.", show_default=False)] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Cancel batches or tasks of a service: waiting ones end at once, running ones after their present action."""

    async def change(client: AsyncClient, id: str) -> Changed:
        if service_options.is_task(id):
            return [await client.cancel_task(id, reason=reason)]
        return [await client.cancel(id, reason=reason)]

    def begin() -> Coroutine[Any, Any, int]:
        if is_all == bool(ids):
            raise BadUsage("give batches or tasks, such as b17, or --all")
        if is_all:
            return _cancel_all(reason, server, ca, as_json)
        return _change(ids or (), change, server, ca, as_json, verb="cancel")

    carry_out(begin, as_json)


async def _cancel_all(reason: str | None, server: str | None, ca: Path | None, as_json: bool) -> int:
    """Cancel all batches, and say which schedules will submit others."""
    async with service_options.open_client(server, ca) as client:
        batches = await client.cancel_all(reason=reason)
        schedules = [schedule.id async for schedule in client.schedules() if not schedule.paused]
    if as_json:
        say_json([batch.model_dump(mode="json") for batch in batches])
        return 0
    for batch in batches:
        text_console().print(batch_line(batch), soft_wrap=True)
    if not batches:
        text_console().print("no batch is open")
    if schedules:
        text_console().print(f"Schedules go on: manyhands schedules pause {' '.join(schedules)}", soft_wrap=True)
    return 0


def pause(
    ids: Ids, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Pause batches or tasks of a service: what waits gets no phone, what runs goes on to its end."""

    async def change(client: AsyncClient, id: str) -> Changed:
        return [await (client.pause_task(id) if service_options.is_task(id) else client.pause(id))]

    carry_out(lambda: _change(ids, change, server, ca, as_json, verb="pause"), as_json)


def priority(
    ids: Ids,
    to: Annotated[int, typer.Option("--to", min=-100, max=100, help="Higher ones run first.", show_default=False)],
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Give batches or tasks of a service another priority. What waits moves in the queue; what runs goes on."""

    async def change(client: AsyncClient, id: str) -> Changed:
        if service_options.is_task(id):
            return [await client.prioritize_task(id, to)]
        return [await client.prioritize(id, to)]

    carry_out(lambda: _change(ids, change, server, ca, as_json), as_json)


def retry(
    ids: Ids, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Carry out again what has ended: a task, or those tasks of a batch that are not done. Each gets a new id."""

    async def change(client: AsyncClient, id: str) -> Changed:
        return [await client.retry_task(id)] if service_options.is_task(id) else await client.retry(id)

    carry_out(lambda: _change(ids, change, server, ca, as_json), as_json)


async def resume_paused(ids: Sequence[str], server: str | None, ca: Path | None, as_json: bool) -> int:
    """Let paused batches or tasks of a service go on."""

    async def change(client: AsyncClient, id: str) -> Changed:
        return [await (client.resume_task(id) if service_options.is_task(id) else client.resume(id))]

    return await _change(ids, change, server, ca, as_json, verb="resume")


async def _change(
    ids: Sequence[str], change: Change, server: str | None, ca: Path | None, as_json: bool, verb: str = ""
) -> int:
    """Change each batch or task, and print what it is then. An error leaves the rest unchanged.

    ``verb``: says what was asked of those that had ended before.
    """
    changed: list[BatchStatus | TaskStatus] = []
    async with service_options.open_client(server, ca) as client:
        for id in ids:
            new = await change(client, id)
            changed += new
            for one in () if as_json else new:
                line = batch_line(one) if isinstance(one, BatchStatus) else task_line(one)
                text_console().print(line, soft_wrap=True)
                if verb and (ended := ended_line(one, verb)):
                    text_console().print(ended, soft_wrap=True)
    if as_json:
        say_json([one.model_dump(mode="json") for one in changed])
    return 0


_CODES = "Exit codes: 0 (also where it had ended), 1 no service answers, 2 bad input."
SUBCOMMANDS = {
    "cancel": Subcommand(
        cancel, f'Example: manyhands cancel b17 b18.buy --reason "wrong shop"; manyhands cancel --all. {_CODES}'
    ),
    "pause": Subcommand(pause, f"Example: manyhands pause b17. {_CODES} A run without a service: manyhands control."),
    "priority": Subcommand(priority, f"Example: manyhands priority b17 --to 10. {_CODES}"),
    "retry": Subcommand(retry, f"Example: manyhands retry b17. {_CODES}"),
}
