"""Look at tasks, and cancel, pause, resume and retry them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from manyhands.protocol.base import Ending
from manyhands.protocol.service.access import ListPage, TokenStatus
from manyhands.protocol.service.batches import PriorityRequest, TaskPhase, TaskStatus
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter, check_owner
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import CHANGED, MISSING, Reason, tell_fleet
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, SearchText, Tag, TaskId, Words
from manyhands.service.database.batches.batch_queries import TaskFilter

router = APIRouter(tags=["tasks"])


@router.get("/tasks", responses=MISSING)
async def list_tasks(
    _: Reader,
    context: Context,
    batch: Annotated[Words | None, Query(description="Only tasks of this batch.")] = None,
    owner: Annotated[Words | None, Query(description="Only tasks of this owner.")] = None,
    phase: Annotated[TaskPhase | None, Query(description="Only tasks in this phase.")] = None,
    tag: Annotated[Tag | None, Query(description="Only tasks with this tag of their own.")] = None,
    phone: Annotated[Words | None, Query(description="Only tasks that this phone has, or had last.")] = None,
    ending: Annotated[Ending | None, Query(description="Only tasks that ended so.")] = None,
    is_done: Annotated[bool | None, Query(description="Only tasks that are done, or only those that are not.")] = None,
    text: Annotated[
        SearchText | None,
        Query(description="Only tasks whose id, goal or phone holds this text, of the newest 100,000."),
    ] = None,
    newest_first: Annotated[bool, Query(description="Whether the list begins with the newest.")] = False,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ListPage[TaskStatus]:
    """List tasks in the order in which they were submitted, or in the opposite order."""
    return await context.parts.batches.tasks(
        TaskFilter(batch, owner, phase, tag, phone, ending, is_done, text), cursor, limit, newest_first=newest_first
    )


@router.get("/tasks/{task}", responses=MISSING)
async def show_task(_: Reader, context: Context, task: TaskId) -> TaskStatus:
    """Show a task."""
    return await context.parts.batches.task(task)


@router.post("/tasks/{task}:cancel", responses=CHANGED)
async def cancel_task(token: Submitter, context: Context, task: TaskId, reason: Reason = None) -> TaskStatus:
    """Cancel a task: it ends at once if it waits, otherwise as soon as it can. An ended task stays as it is."""
    await _check(token, context, task)
    why = reason or f"{token.owner} cancelled the task"
    tasks = await context.parts.batches.cancel([task], HOST_CLOCK.now(), why)
    await tell_fleet(context.parts.fleet.cancel(tasks, why))
    return await context.parts.batches.task(task)


@router.post("/tasks/{task}:pause", responses=CHANGED)
async def pause_task(token: Submitter, context: Context, task: TaskId) -> TaskStatus:
    """Pause a waiting task: it gets no phone until it is resumed. A running task goes on to its end."""
    await _check(token, context, task)
    await tell_fleet(context.parts.fleet.hold(await context.parts.batches.pause([task], HOST_CLOCK.now())))
    return await context.parts.batches.task(task)


@router.post("/tasks/{task}:resume", responses=CHANGED)
async def resume_task(token: Submitter, context: Context, task: TaskId) -> TaskStatus:
    """Resume a paused task."""
    await _check(token, context, task)
    await tell_fleet(context.parts.fleet.release(await context.parts.batches.resume([task], HOST_CLOCK.now())))
    return await context.parts.batches.task(task)


@router.post("/tasks/{task}:priority", responses=CHANGED)
async def prioritize_task(
    token: Submitter,
    context: Context,
    task: TaskId,
    request: Annotated[PriorityRequest, Depends(JsonBody(PriorityRequest))],
) -> TaskStatus:
    """Give a task another priority. While it waits, it gets a phone before tasks of a lower priority."""
    await _check(token, context, task)
    changed = await context.parts.batches.set_priority(task, request.priority, HOST_CLOCK.now())
    await tell_fleet(context.parts.fleet.prioritize(changed))
    return await context.parts.batches.task(task)


@router.post("/tasks/{task}:retry", status_code=201, responses=CHANGED)
async def retry_task(token: Submitter, context: Context, task: TaskId) -> TaskStatus:
    """Submit a task that has ended once more, as a new task of the same batch. Return the new task."""
    await _check(token, context, task)
    status = await context.parts.batches.task(task)
    if status.phase is not TaskPhase.ENDED:
        raise RequestRefused(ProblemKind.CONFLICT, f"{task} is {status.phase}; it can be retried once it has ended")
    retries = await context.parts.batches.retry([task], HOST_CLOCK.now())
    context.parts.fleet.wake()
    return retries[0]


async def _check(token: TokenStatus, context: RouteContext, task: str) -> None:
    status = await context.parts.batches.task(task)
    check_owner(token, (await context.parts.batches.batch(status.batch)).owner, task)
