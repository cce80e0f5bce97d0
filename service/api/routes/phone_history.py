"""Show what a phone shows and has done, and give it to a person."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from manyhands.protocol.errors import CaptureFailed, PhoneLost
from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.batches import BatchRequest, TaskPhase, TaskStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.tasks.selectors import selects
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, Serial
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
