"""Define ``manyhands schedules list`` and ``next``, which show schedules and their times; find a schedule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.moments import show_moment_in, show_seconds
from manyhands.deploy.command_line.output import carry_out, own_name, say_json, table, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.instants import to_iso
from manyhands.protocol.service.schedules import ScheduleStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.commands import options as service_options
from manyhands.service.commands.tables import schedule_table

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient


def list_schedules(
    server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """List the schedules of a service, each with its next time and its last batch."""
    carry_out(lambda: _list(server, ca, as_json), as_json)


async def _list(server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        schedules = [schedule async for schedule in client.schedules()]
    if as_json:
        say_json([schedule.model_dump(mode="json") for schedule in schedules])
        return 0
    console = text_console()
    if schedules:
        console.print(schedule_table(schedules))
    else:
        console.print(f"No schedule yet. Add one: {own_name()} schedules add --help")
    for line in _problems(schedules):
        console.print(line, soft_wrap=True)
    return 0


def _problems(schedules: list[ScheduleStatus]) -> Iterator[str]:
    for schedule in schedules:
        if schedule.problem:
            yield f"{schedule.id}: {schedule.problem}"
        if schedule.queued:
            yield f"{schedule.id}: {len(schedule.queued)} due, and not submitted yet"


def show_next(
    id: Annotated[
        str | None,
        typer.Argument(metavar="[SCHEDULE]", help="An id such as s3, or a name. Default: all.", show_default=False),
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the next times of a schedule, or of all schedules, each in the time zone of its schedule."""
    carry_out(lambda: _show_next(id, server, ca, as_json), as_json)


async def _show_next(id: str | None, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        schedules = [await find_schedule(client, id)] if id else [schedule async for schedule in client.schedules()]
    times = sorted(
        (at, schedule.id, schedule.name, schedule.zone) for schedule in schedules for at in schedule.next_times
    )
    if as_json:
        say_json(
            [
                {"at": at, "at_iso": to_iso(at), "schedule": id, "name": name, "zone": zone}
                for at, id, name, zone in times
            ]
        )
        return 0
    now = HOST_CLOCK.now()
    rows = [(show_moment_in(at, zone), f"in {show_seconds(at - now)}", id, name) for at, id, name, zone in times]
    if rows:
        text_console().print(table(None, ("when", "", "schedule", "name"), rows))
    paused = [schedule.id for schedule in schedules if schedule.paused]
    if paused or not rows:
        text_console().print(f"Paused: {', '.join(paused)}" if paused else "No schedule has a next time.")
    return 0


_CODES = "Exit codes: 0, 1 no service answers, 2 bad input."
SUBCOMMANDS = {
    "list": Subcommand(list_schedules, f"Example: manyhands schedules list --json. {_CODES}"),
    "next": Subcommand(show_next, f"Example: manyhands schedules next s3. {_CODES}"),
}


async def find_schedule(client: AsyncClient, name: str) -> ScheduleStatus:
    """Return the schedule with this id or, if there is none, the only one with this name.

    Raises BadInput, which lists the schedules that there are.
    """
    schedules = [schedule async for schedule in client.schedules()]
    for schedule in schedules:
        if schedule.id == name:
            return schedule
    named = [schedule for schedule in schedules if schedule.name == name]
    if len(named) == 1:
        return named[0]
    if named:
        raise BadInput(f"{name}: several schedules have this name; give an id: {_name_all(named)}")
    there = f"it has {_name_all(schedules)}" if schedules else "it has none yet"
    raise BadInput(f"{name}: the service has no such schedule; {there}")


def _name_all(schedules: list[ScheduleStatus]) -> str:
    return ", ".join(f"{schedule.id} ({schedule.name})" for schedule in schedules)
