"""Make, show, change, pause and remove schedules."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from manyhands.protocol.service.access import ListPage, TokenStatus
from manyhands.protocol.service.schedules import ScheduleRequest, ScheduleStatus, ScheduleTimes
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter, check_owner, check_tasks
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.request_body import ScheduleBody
from manyhands.service.api.routes.batches import CHANGED, MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, ScheduleId, Words
from manyhands.service.schedule_runner import check_times, foresee_times, with_next_times

router = APIRouter(tags=["schedules"])
Asked = Annotated[ScheduleRequest, Depends(ScheduleBody())]


@router.get("/schedules")
async def list_schedules(
    _: Reader, context: Context, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[ScheduleStatus]:
    """List schedules, the oldest first, each with its next times."""
    page = await context.parts.schedules.schedules(cursor, limit)
    now = HOST_CLOCK.now()
    return page.model_copy(update={"items": tuple(with_next_times(one, now) for one in page.items)})


@router.get("/schedules:times")
async def show_times(
    _: Reader,
    when: Annotated[Words, Query(description="An interval or a cron line, as a schedule has it.")],
    zone: Annotated[Words, Query(description="The time zone of the cron line, by its IANA name.")] = "UTC",
) -> ScheduleTimes:
    """Say when a schedule would submit, or why it would not. Store nothing."""
    return foresee_times(when, zone, HOST_CLOCK.now())


@router.post("/schedules", status_code=201)
async def make_schedule(token: Submitter, context: Context, request: Asked) -> ScheduleStatus:
    """Make a schedule. Its batches belong to the owner of the token. The first batch comes at the first due time."""
    check_times(request)
    check_tasks(token, request.batch.tasks)
    schedule = await context.parts.schedules.make(request, token.owner, HOST_CLOCK.now())
    return _changed(context, schedule)


@router.get("/schedules/{schedule}", responses=MISSING)
async def show_schedule(_: Reader, context: Context, schedule: ScheduleId) -> ScheduleStatus:
    """Show a schedule, with its next times."""
    return with_next_times(await context.parts.schedules.schedule(schedule), HOST_CLOCK.now())


@router.put("/schedules/{schedule}", responses=CHANGED)
async def change_schedule(token: Submitter, context: Context, schedule: ScheduleId, request: Asked) -> ScheduleStatus:
    """Replace all that a schedule asks for. Batches that it has submitted stay as they are."""
    await _check(token, context, schedule)
    check_times(request)
    check_tasks(token, request.batch.tasks)
    return _changed(context, await context.parts.schedules.change(schedule, request, HOST_CLOCK.now()))


@router.post("/schedules/{schedule}:pause", responses=CHANGED)
async def pause_schedule(token: Submitter, context: Context, schedule: ScheduleId) -> ScheduleStatus:
    """Let a schedule submit nothing until it is resumed."""
    await _check(token, context, schedule)
    return _changed(context, await context.parts.schedules.set_paused(schedule, True, HOST_CLOCK.now()))


@router.post("/schedules/{schedule}:resume", responses=CHANGED)
async def resume_schedule(token: Submitter, context: Context, schedule: ScheduleId) -> ScheduleStatus:
    """Let a paused schedule submit again, from its next time on."""
    await _check(token, context, schedule)
    return _changed(context, await context.parts.schedules.set_paused(schedule, False, HOST_CLOCK.now()))


@router.delete("/schedules/{schedule}", status_code=204, responses=CHANGED, response_class=Response)
async def remove_schedule(token: Submitter, context: Context, schedule: ScheduleId) -> None:
    """Remove a schedule. Batches that it has submitted go on."""
    await _check(token, context, schedule)
    await context.parts.schedules.remove(schedule, HOST_CLOCK.now())
    context.parts.schedules_changed()


async def _check(token: TokenStatus, context: RouteContext, schedule: str) -> None:
    check_owner(token, (await context.parts.schedules.schedule(schedule)).owner, schedule)


def _changed(context: RouteContext, schedule: ScheduleStatus) -> ScheduleStatus:
    context.parts.schedules_changed()
    return with_next_times(schedule, HOST_CLOCK.now())
