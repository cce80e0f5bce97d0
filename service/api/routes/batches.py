"""Submit batches, look at them, and cancel, pause, resume and retry them."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from manyhands.protocol.errors import CallError, StoreError
from manyhands.protocol.service.access import AccessRole, ListPage, TokenStatus
from manyhands.protocol.service.batches import (
    BatchCheck,
    BatchMistake,
    BatchPhase,
    BatchRequest,
    BatchStatus,
    PriorityRequest,
    TaskStatus,
)
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Reader, Submitter, check_owner, check_tasks
from manyhands.service.api.openapi import refusals
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.request_body import BatchBody, CheckedBatchBody, JsonBody
from manyhands.service.api.text_types import (
    DEFAULT_LIMIT,
    BatchId,
    Cursor,
    IdempotencyKey,
    Limit,
    SearchText,
    Tag,
    Words,
)
from manyhands.service.batch_forecast import DeadlineForecast, preview_batch
from manyhands.service.database.batches.batch_queries import BatchFilter

router = APIRouter(tags=["batches"])
MISSING = refusals(ProblemKind.NOT_FOUND)
CHANGED = refusals(ProblemKind.NOT_FOUND, ProblemKind.CONFLICT)
_log = logging.getLogger(__name__)
Reason = Annotated[str | None, Query(description="Why, for people.", max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]


@router.post(
    "/batches",
    status_code=201,
    responses={
        200: {"model": BatchStatus, "description": "The batch was accepted before, with the same idempotency key."},
        **refusals(ProblemKind.CONFLICT),
    },
)
async def submit_batch(
    token: Submitter,
    context: Context,
    response: Response,
    request: Annotated[BatchRequest, Depends(BatchBody())],
    key: Annotated[
        IdempotencyKey | None,
        Header(
            alias="Idempotency-Key",
            description="A text that the client chooses for this batch. Sent again with the same body, also after a "
            "restart of the service, the batch exists once. With another body it is a conflict.",
        ),
    ] = None,
) -> BatchStatus:
    """Submit a batch of tasks.

    Once this is answered, the batch is stored, and no failure of the service loses it.
    """
    check_tasks(token, request.tasks)
    now = HOST_CLOCK.now()
    accepted, is_new = await context.parts.batches.accept(request, token.owner, key, now)
    if is_new:
        context.parts.fleet.wake()
        accepted = await DeadlineForecast(context.parts.batches, context.parts.fleet).warn(accepted, now)
    else:
        response.status_code = 200
    response.headers["Location"] = f"/api/v1/batches/{accepted.id}"
    return accepted


@router.post("/batches:check")
async def check_batch(
    token: Submitter,
    context: Context,
    checked_body: Annotated[BatchRequest | tuple[BatchMistake, ...], Depends(CheckedBatchBody())],
) -> BatchCheck:
    """Say what a submission would be answered, with all mistakes, and which selectors no phone fits. Store nothing."""
    if isinstance(checked_body, tuple):
        return BatchCheck(tasks=0, mistakes=checked_body)
    try:
        check_tasks(token, checked_body.tasks)
    except RequestRefused as refusal:
        return BatchCheck(tasks=0, mistakes=(BatchMistake(line=None, text=str(refusal.problem.detail)),))
    return await preview_batch(checked_body, token.owner, context.parts.batches, context.parts.fleet, HOST_CLOCK.now())


@router.get("/batches")
async def list_batches(
    _: Reader,
    context: Context,
    owner: Annotated[Words | None, Query(description="Only batches of this owner.")] = None,
    phase: Annotated[BatchPhase | None, Query(description="Only batches in this phase.")] = None,
    tag: Annotated[Tag | None, Query(description="Only batches with this tag.")] = None,
    schedule: Annotated[Words | None, Query(description="Only batches that this schedule submitted.")] = None,
    text: Annotated[
        SearchText | None, Query(description="Only batches whose id, name, owner or tags hold this text.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ListPage[BatchStatus]:
    """List batches, the newest first."""
    return await context.parts.batches.batches(BatchFilter(owner, phase, tag, schedule, text), cursor, limit)


@router.post("/batches:cancel")
async def cancel_batches(token: Submitter, context: Context, reason: Reason = None) -> list[BatchStatus]:
    """Cancel all batches that have not ended: one's own, and with the role `operate` everybody's. Return them.

    Schedules stay: what they submit later is carried out.
    """
    owner = None if token.role.allows(AccessRole.OPERATE) else token.owner
    open_batches = [
        batch for phase in (BatchPhase.OPEN, BatchPhase.PAUSED) for batch in await _all_batches(context, owner, phase)
    ]
    why = reason or f"{token.owner} cancelled all batches"
    for batch in open_batches:  # one transaction for each, so that others can write in between
        tasks = await context.parts.batches.cancel([batch.id], HOST_CLOCK.now(), why)
        await tell_fleet(context.parts.fleet.cancel(tasks, why))
    return [await context.parts.batches.batch(batch.id) for batch in open_batches]


async def _all_batches(context: RouteContext, owner: str | None, phase: BatchPhase) -> list[BatchStatus]:
    batches: list[BatchStatus] = []
    cursor: str | None = None
    while True:
        page = await context.parts.batches.batches(BatchFilter(owner=owner, phase=phase), cursor, 1000)
        batches += page.items
        cursor = page.next_cursor
        if cursor is None:
            return batches


@router.get("/batches/{batch}", responses=MISSING)
async def show_batch(_: Reader, context: Context, batch: BatchId) -> BatchStatus:
    """Show a batch."""
    return await context.parts.batches.batch(batch)


@router.post("/batches/{batch}:cancel", responses=CHANGED)
async def cancel_batch(token: Submitter, context: Context, batch: BatchId, reason: Reason = None) -> BatchStatus:
    """Cancel a batch: its waiting tasks end at once, its running ones as soon as they can."""
    await _check(token, context, batch)
    why = reason or f"{token.owner} cancelled the batch"
    tasks = await context.parts.batches.cancel([batch], HOST_CLOCK.now(), why)
    await tell_fleet(context.parts.fleet.cancel(tasks, why))
    return await context.parts.batches.batch(batch)


@router.post("/batches/{batch}:pause", responses=CHANGED)
async def pause_batch(token: Submitter, context: Context, batch: BatchId) -> BatchStatus:
    """Pause a batch: its waiting tasks get no phone until it is resumed. Running tasks go on to their end."""
    await _check(token, context, batch)
    await tell_fleet(context.parts.fleet.hold(await context.parts.batches.pause([batch], HOST_CLOCK.now())))
    return await context.parts.batches.batch(batch)


@router.post("/batches/{batch}:resume", responses=CHANGED)
async def resume_batch(token: Submitter, context: Context, batch: BatchId) -> BatchStatus:
    """Resume a paused batch."""
    await _check(token, context, batch)
    await tell_fleet(context.parts.fleet.release(await context.parts.batches.resume([batch], HOST_CLOCK.now())))
    return await context.parts.batches.batch(batch)


@router.post("/batches/{batch}:priority", responses=CHANGED)
async def prioritize_batch(
    token: Submitter,
    context: Context,
    batch: BatchId,
    request: Annotated[PriorityRequest, Depends(JsonBody(PriorityRequest))],
) -> BatchStatus:
    """Give a batch another priority. The change is added to the priority of each of its tasks.

    Waiting tasks of a higher priority get a phone first; running tasks go on.
    """
    await _check(token, context, batch)
    now = HOST_CLOCK.now()
    await tell_fleet(
        context.parts.fleet.prioritize(await context.parts.batches.set_priority(batch, request.priority, now))
    )
    status = await context.parts.batches.batch(batch)
    return await DeadlineForecast(context.parts.batches, context.parts.fleet).warn(status, now)


@router.post("/batches/{batch}:retry", status_code=201, responses=CHANGED)
async def retry_batch(token: Submitter, context: Context, batch: BatchId) -> list[TaskStatus]:
    """Submit those tasks of a batch once more that have ended, are not done, and may be tried again.

    Return the new tasks.
    """
    await _check(token, context, batch)
    failed = await context.parts.batches.failed_tasks(batch)
    if not failed:
        raise RequestRefused(ProblemKind.CONFLICT, f"{batch}: no task that failed may be tried again now")
    retries = await context.parts.batches.retry(failed, HOST_CLOCK.now())
    context.parts.fleet.wake()
    return list(retries)


async def tell_fleet(telling: Coroutine[Any, Any, None]) -> None:
    """Tell the fleet of a change that the database has. If the fleet does not answer, it is told later."""
    try:
        await telling
    except (CallError, StoreError) as error:
        _log.warning("the fleet does not answer; it learns later what clients changed: %s", error)


async def _check(token: TokenStatus, context: RouteContext, batch: str) -> None:
    check_owner(token, (await context.parts.batches.batch(batch)).owner, batch)
