"""Define ``manyhands schedules add``, ``pause``, ``resume`` and ``remove``: changes of a service's schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.moments import read_duration, show_moment_in
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.schedules import MissedRule, OverlapRule, ScheduleRequest, ScheduleStatus
from manyhands.protocol.tasks.task import read_tasks, tasks_from_goals
from manyhands.service.commands import options as service_options
from manyhands.service.commands.schedules.views import find_schedule

Ids = Annotated[list[str], typer.Argument(metavar="SCHEDULE...", help="Ids such as s3, or names.", show_default=False)]


def add(
    name: Annotated[str, typer.Argument(help="A name for people.", show_default=False)],
    tasks: Annotated[Path | None, typer.Argument(help="A YAML file of tasks.", show_default=False)] = None,
    goal: Annotated[list[str] | None, typer.Option("--goal", help="A goal as a sentence; repeatable.")] = None,
    when: Annotated[
        str, typer.Option("--when", help="every 15m (or h, d), or a cron line: minute hour day month weekday.")
    ] = "every 1d",
    zone: Annotated[str, typer.Option("--zone", help="The cron line's time zone, such as Europe/Berlin.")] = "UTC",
    priority: Annotated[int, typer.Option("--priority", min=-100, max=100, help="Higher batches run first.")] = 0,
    batch_tag: Annotated[
        list[str] | None, typer.Option("--batch-tag", help="A word to find the batches by; repeatable.")
    ] = None,
    phones: Annotated[str, typer.Option("--phones", metavar="SELECTOR", help="Which phones, by labels.")] = "",
    deadline: Annotated[
        str | None,
        typer.Option("--deadline", help="Each batch must have ended so long after it is due: 2h.", show_default=False),
    ] = None,
    missed: Annotated[
        MissedRule, typer.Option("--missed", help="After an outage: submit once for all missed times, or skip them.")
    ] = MissedRule.ONCE,
    overlap: Annotated[
        OverlapRule, typer.Option("--overlap", help="If the last batch has not ended: skip, queue, or cancel the old.")
    ] = OverlapRule.SKIP,
    paused: Annotated[bool, typer.Option("--paused", help="Submit nothing before it is resumed.")] = False,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Let a service submit tasks again and again."""
    if (tasks is None) == (not goal):
        raise BadInput("give either a file of tasks or --goal")
    request = ScheduleRequest(
        name=name,
        when=when,
        zone=zone,
        batch=BatchRequest(
            tasks=read_tasks(tasks) if tasks else tasks_from_goals(goal or []),
            name=name,
            priority=priority,
            tags=tuple(batch_tag or ()),
            phones=phones,
        ),
        deadline_s=None if deadline is None else read_duration(deadline, "--deadline"),
        missed=missed,
        overlap=overlap,
        paused=paused,
    )
    carry_out(lambda: _add(request, server, ca, as_json), as_json)


async def _add(request: ScheduleRequest, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        _say([await client.add_schedule(request)], as_json)
    return 0


def pause(
    ids: Ids, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Submit nothing for these schedules until they are resumed. Their batches go on."""
    carry_out(lambda: _pause(ids, True, server, ca, as_json), as_json)


def resume(
    ids: Ids, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Let paused schedules submit again, from their next times on."""
    carry_out(lambda: _pause(ids, False, server, ca, as_json), as_json)


async def _pause(ids: list[str], paused: bool, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        change = client.pause_schedule if paused else client.resume_schedule
        _say([await change((await find_schedule(client, id)).id) for id in ids], as_json)
    return 0


def remove(
    ids: Ids, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Remove schedules. The batches that they have submitted go on."""
    carry_out(lambda: _remove(ids, server, ca, as_json), as_json)


async def _remove(ids: list[str], server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        for id in ids:
            await client.remove_schedule((await find_schedule(client, id)).id)
    if as_json:
        say_json([{"id": id, "removed": True} for id in ids])
    else:
        text_console().print(f"Removed: {', '.join(ids)}", soft_wrap=True)
    return 0


def _say(changed: list[ScheduleStatus], as_json: bool) -> None:
    if as_json:
        say_json([schedule.model_dump(mode="json") for schedule in changed])
        return
    for schedule in changed:
        following = show_moment_in(next(iter(schedule.next_times), None), schedule.zone)
        state = f"paused ({schedule.zone})" if schedule.paused else f"next at {following}"
        text_console().print(f"{schedule.id} ({schedule.name}): {schedule.when}, {state}", soft_wrap=True)


_CODES = "Exit codes: 0, 1 no service answers, 2 bad input."
SUBCOMMANDS = {
    "add": Subcommand(
        add,
        f'Example: manyhands schedules add nightly tasks.yaml --when "0 2 * * MON-FRI" --zone Europe/Berlin. {_CODES}',
    ),
    "pause": Subcommand(pause, f"Example: manyhands schedules pause s3. {_CODES}"),
    "resume": Subcommand(resume, f"Example: manyhands schedules resume s3. {_CODES}"),
    "remove": Subcommand(remove, f"Example: manyhands schedules remove s3. {_CODES}"),
}
