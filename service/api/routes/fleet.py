"""Look at phones, their history, models and the service, change phones, and follow what happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from starlette.responses import Response

from manyhands.protocol.errors import CaptureFailed, PhoneLost
from manyhands.protocol.service.access import ListPage, TokenStatus
from manyhands.protocol.service.batches import BatchRequest, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.fleet import (
    AsideRequest,
    FigureSeries,
    LabelsRequest,
    ModelStatus,
    PhoneStatus,
    ReservationRequest,
    ServiceStatus,
    WallUpdate,
)
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Operator, Reader, Submitter, session_of
from manyhands.service.api.event_stream import EventStream, StreamSource
from manyhands.service.api.openapi import refusals, stream_of
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, Serial, Words
from manyhands.service.database.batches.batch_queries import BatchFilter, TaskFilter
from manyhands.service.database.event_repository import EventFilter

router = APIRouter(tags=["fleet"])


MOST_URGENT = 100
"""The priority of what a person wants to do by hand: it comes before all tasks that wait."""
_PICTURE = {
    200: {
        "description": "The screen.",
        "content": {"image/jpeg": {"schema": {"type": "string", "format": "binary", "description": "A JPEG."}}},
    },
    **MISSING,
}
LOGGED = tuple(kind for kind in EventKind if kind is not EventKind.TASK_STEP)
"""The events of a phone's log. Steps are too many for people, and are forgotten after an hour."""


@router.get("/phones/{serial:path}/tasks")
async def list_phone_tasks(
    _: Reader, context: Context, serial: Serial, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[TaskStatus]:
    """List the tasks that a phone carries out, or carried out last, the newest first."""
    return await context.parts.batches.tasks(TaskFilter(phone=serial), cursor, limit, newest_first=True)


@router.get("/phones/{serial:path}/picture", responses=_PICTURE, response_class=Response)
async def show_picture(_: Reader, context: Context, serial: Serial) -> Response:
    """Send the screen of a phone as a JPEG, taken now, whether or not the phone has a task.

    The phone is only looked at: nothing on it changes. Of each phone, at most one picture a second is taken.
    """
    try:
        jpeg = await context.parts.fleet.picture(serial)
    except (PhoneLost, CaptureFailed) as error:
        raise RequestRefused(ProblemKind.BUSY, str(error), headers={"Retry-After": "5"}) from error
    return Response(jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.post("/phones/{serial:path}:take-over", status_code=201, responses=MISSING)
async def take_over_phone(token: Submitter, context: Context, serial: Serial) -> TaskStatus:
    """Give a phone to the asking person, as soon as the phone is free. Return the task that leases it.

    The task has one episode, which begins as taken over: `GET /episodes/ID/control` shows the screen, and
    `POST /episodes/ID/actions` acts. All of it is in the episode's journal. The phone gets other tasks again after
    `:hand-back`, or ten minutes without an action. Until the task has ended, asking again returns the same task.
    """
    if all(phone.serial != serial for phone in await context.parts.fleet.phones()):
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{serial}: the fleet has no such phone")
    phones = f"serial={serial}"
    if not _is_choosable(serial, phones):
        raise RequestRefused(ProblemKind.CONFLICT, f"{serial}: no selector can choose a phone with such a serial")
    task = TaskSpec(id="by-hand", goal=f"{token.owner} uses the phone.", by_hand=token.owner, phones=phones)
    request = BatchRequest(tasks=(task,), name=f"{serial} by hand", priority=MOST_URGENT)
    last = await _last_by_hand(context, request, token.owner)
    if last is not None and last.phase is not TaskPhase.ENDED:
        return last
    # Two requests at a time have the same key, so that one batch comes of them. Keys of clients have no blanks.
    key = f"{request.name} after {'' if last is None else last.id}"
    batch, _ = await context.parts.batches.accept(request, token.owner, key, HOST_CLOCK.now())
    context.parts.fleet.wake()
    return await context.parts.batches.task(f"{batch.id}.{task.id}")


def _is_choosable(serial: str, selector: str) -> bool:
    try:
        return selects(selector, {"serial": serial})
    except ValueError:
        return False


async def _last_by_hand(context: RouteContext, request: BatchRequest, owner: str) -> TaskStatus | None:
    """Return the newest task by which an owner has, or had, the phone of such a request."""
    batches = context.parts.batches
    page = await batches.batches(BatchFilter(owner=owner, text=request.name), None, 100)
    for batch in page.items:
        if batch.name == request.name:
            tries = await batches.tasks(TaskFilter(batch=batch.id), None, 1, newest_first=True)
            if tries.items[0].goal == request.tasks[0].goal:
                return tries.items[0]
    return None


@router.get("/phones/{serial:path}/log")
async def list_phone_events(
    _: Reader, context: Context, serial: Serial, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[ServiceEvent]:
    """List what happened to a phone, the newest first: its tasks, and when it was away or set aside."""
    return await context.parts.events.latest(EventFilter(phone=serial, kinds=LOGGED), cursor, limit)


LAST_NUMBER = 2**63 - 1
_EVENTS = stream_of(
    ServiceEvent,
    "Server-sent events. `id` is the number of the event, `data` the event. A comment comes at "
    "least every 15 s, with an `id` behind which the stream goes on. A client that reads too slowly is cut off; it "
    "may come back with `Last-Event-ID`.",
)
_WALL = stream_of(
    WallUpdate,
    "Server-sent events. The first has all phones, each later one the phones that changed. A comment comes at least "
    "every 15 s. A client that comes back gets all phones again.",
)


@router.get("/status")
async def show_status(_: Reader, context: Context) -> ServiceStatus:
    """Show how the service stands."""
    return await context.parts.fleet.status()


@router.get("/models")
async def list_models(_: Reader, context: Context) -> Sequence[ModelStatus]:
    """List the models of the fleet, one for each role."""
    return await context.parts.fleet.models()


@router.get("/phones")
async def list_phones(_: Reader, context: Context) -> Sequence[PhoneStatus]:
    """List the phones of the fleet."""
    return await context.parts.fleet.phones()


@router.get("/phones/{serial:path}", responses=MISSING)
async def show_phone(_: Reader, context: Context, serial: Serial) -> PhoneStatus:
    """Show a phone."""
    status = next((phone for phone in await context.parts.fleet.phones() if phone.serial == serial), None)
    if status is None:
        raise RequestRefused(ProblemKind.NOT_FOUND, f"{serial}: the fleet has no such phone")
    return status


@router.post("/phones/{serial:path}:aside", responses=MISSING)
async def set_phone_aside(
    _: Operator, context: Context, serial: Serial, request: Annotated[AsideRequest, Depends(JsonBody(AsideRequest))]
) -> PhoneStatus:
    """Set a phone aside: it gets no task until it is released. Its present task goes on to its end."""
    return await context.parts.fleet.set_aside(serial, request.reason)


@router.post("/phones/{serial:path}:release", responses=MISSING)
async def release_phone(_: Operator, context: Context, serial: Serial) -> PhoneStatus:
    """Release a phone that was set aside or reserved."""
    return await context.parts.fleet.release_phone(serial)


@router.post("/phones/{serial:path}:reserve", responses=MISSING)
async def reserve_phone(
    _: Operator,
    context: Context,
    serial: Serial,
    request: Annotated[ReservationRequest, Depends(JsonBody(ReservationRequest))],
) -> PhoneStatus:
    """Reserve a phone for the tasks of one owner, until a time."""
    if request.until <= HOST_CLOCK.now():
        raise RequestRefused(ProblemKind.INVALID, "the reservation ends in the past", ["until: must be in the future"])
    return await context.parts.fleet.reserve(serial, request.owner, request.until)


@router.post("/phones/{serial:path}:labels", responses=MISSING)
async def label_phone(
    _: Operator, context: Context, serial: Serial, request: Annotated[LabelsRequest, Depends(JsonBody(LabelsRequest))]
) -> PhoneStatus:
    """Replace the labels that people gave a phone."""
    return await context.parts.fleet.label(serial, request.labels)


@router.post("/phones/{serial:path}:attach", responses=refusals(ProblemKind.CONFLICT))
async def attach_phone(_: Operator, context: Context, serial: Serial) -> PhoneStatus:
    """Add a phone to the fleet. It gets tasks as soon as it can be reached."""
    return await context.parts.fleet.attach(serial)


@router.post("/phones/{serial:path}:detach", status_code=204, responses=MISSING, response_class=Response)
async def detach_phone(_: Operator, context: Context, serial: Serial) -> None:
    """Take a phone out of the fleet. The task that it carries out goes on to its end."""
    await context.parts.fleet.detach(serial)


@router.get("/events", responses={**_EVENTS, **refusals(ProblemKind.BUSY)}, response_class=Response)
async def follow_events(
    token: Reader,
    context: Context,
    request: Request,
    after: Annotated[
        int | None,
        Query(
            description="Begin behind the event with this number; 0 for all that are kept. The header `Last-Event-ID` "
            "comes before it. Without both, the stream begins now.",
            ge=0,
            le=LAST_NUMBER,
        ),
    ] = None,
    batch: Annotated[Words | None, Query(description="Only events of this batch.")] = None,
    task: Annotated[Words | None, Query(description="Only events of this task.")] = None,
    phone: Annotated[Words | None, Query(description="Only events of this phone.")] = None,
    kind: Annotated[list[EventKind] | None, Query(description="Only events of this kind; repeatable.")] = None,
    last: Annotated[
        int | None,
        Header(alias="Last-Event-ID", description="The number of the last event that the client saw.", ge=0),
    ] = None,
) -> EventStream:
    """Follow what happens, as server-sent events: each event once, in order, without gaps."""
    filters = EventFilter(batch, task, phone, tuple(kind or ()))
    begin = after if last is None else min(last, LAST_NUMBER)
    return open_stream(context, request, token, context.feed.subscribe(filters, begin))


@router.get("/figures")
async def show_figures(
    _: Reader,
    context: Context,
    after: Annotated[float, Query(description="Only points after this moment, in Unix seconds.")] = 0.0,
) -> FigureSeries:
    """Show the figures of the last hour: steps, tokens, queues of models, and the load of perception."""
    return context.figures.series(after)


@router.get("/wall", responses={**_WALL, **refusals(ProblemKind.BUSY)}, response_class=Response)
async def watch_wall(token: Reader, context: Context, request: Request) -> EventStream:
    """Watch all phones with their screens: first as they are, then what changes, at most once a second."""
    return open_stream(context, request, token, context.wall.subscribe())


def open_stream(context: RouteContext, request: Request, token: TokenStatus, source: StreamSource) -> EventStream:
    """Return the answer that sends what a source gives. Raises RequestRefused if too many streams are open."""
    session = session_of(request)
    return EventStream(
        source, context.streams, token.id, context.parts.bounds.heartbeat_s, None if session is None else session.id
    )
