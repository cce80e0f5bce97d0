"""Make, show, change, pause and remove webhooks, and look after what could not be delivered."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.webhooks import (
    DeliveryPhase,
    DeliveryStatus,
    ResendAnswer,
    ResendRequest,
    WebhookGrant,
    WebhookRequest,
    WebhookStatus,
)
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.service.api.authentication import Operator
from manyhands.service.api.parts import Context, RouteContext
from manyhands.service.api.request_body import JsonBody
from manyhands.service.api.routes.batches import MISSING
from manyhands.service.api.text_types import DEFAULT_LIMIT, Cursor, Limit, WebhookId
from manyhands.service.webhook_post import check_address, make_secret

router = APIRouter(tags=["webhooks"])
Asked = Annotated[WebhookRequest, Depends(JsonBody(WebhookRequest))]


@router.get("/webhooks")
async def list_webhooks(
    _: Operator, context: Context, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> ListPage[WebhookStatus]:
    """List webhooks, the oldest first."""
    return await context.parts.webhooks.webhooks(cursor, limit)


@router.post("/webhooks", status_code=201)
async def make_webhook(token: Operator, context: Context, request: Asked) -> WebhookGrant:
    """Make a webhook, which is told of later events. Its secret is shown in this answer alone."""
    _check(context, request)
    webhook = await context.parts.webhooks.make(request, token.owner, make_secret(), HOST_CLOCK.now())
    context.parts.webhooks_changed()
    return webhook


@router.get("/webhooks/{webhook}", responses=MISSING)
async def show_webhook(_: Operator, context: Context, webhook: WebhookId) -> WebhookStatus:
    """Show a webhook."""
    return await context.parts.webhooks.webhook(webhook)


@router.put("/webhooks/{webhook}", responses=MISSING)
async def change_webhook(_: Operator, context: Context, webhook: WebhookId, request: Asked) -> WebhookStatus:
    """Replace all that a webhook asks for. Its secret stays."""
    _check(context, request)
    changed = await context.parts.webhooks.change(webhook, request, HOST_CLOCK.now())
    context.parts.webhooks_changed()
    return changed


@router.post("/webhooks/{webhook}:pause", responses=MISSING)
async def pause_webhook(_: Operator, context: Context, webhook: WebhookId) -> WebhookStatus:
    """Send nothing until the webhook is resumed. What happens meanwhile is sent then."""
    return await context.parts.webhooks.set_paused(webhook, True, HOST_CLOCK.now())


@router.post("/webhooks/{webhook}:resume", responses=MISSING)
async def resume_webhook(_: Operator, context: Context, webhook: WebhookId) -> WebhookStatus:
    """Send again, beginning with what happened during the pause."""
    resumed = await context.parts.webhooks.set_paused(webhook, False, HOST_CLOCK.now())
    context.parts.webhooks_changed()
    return resumed


@router.delete("/webhooks/{webhook}", status_code=204, responses=MISSING, response_class=Response)
async def remove_webhook(_: Operator, context: Context, webhook: WebhookId) -> None:
    """Remove a webhook, with its deliveries and dead letters."""
    await context.parts.webhooks.remove(webhook, HOST_CLOCK.now())
    context.parts.webhooks_changed()


@router.get("/webhooks/{webhook}/deliveries", responses=MISSING)
async def list_deliveries(
    _: Operator,
    context: Context,
    webhook: WebhookId,
    phase: Annotated[
        DeliveryPhase | None, Query(description="Only deliveries in this phase: `dead` for dead letters.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> ListPage[DeliveryStatus]:
    """List the deliveries of a webhook, in the order of their events."""
    return await context.parts.webhooks.deliveries(webhook, phase, cursor, limit)


@router.post("/webhooks/{webhook}:resend", responses=MISSING)
async def resend_dead_letters(
    _: Operator,
    context: Context,
    webhook: WebhookId,
    request: Annotated[ResendRequest, Depends(JsonBody(ResendRequest))],
) -> ResendAnswer:
    """Send dead letters again."""
    count = await context.parts.webhooks.send_again(webhook, request.deliveries, HOST_CLOCK.now())
    context.parts.webhooks_changed()
    return ResendAnswer(deliveries=count)


def _check(context: RouteContext, request: WebhookRequest) -> None:
    """Refuse a numeric address at once to which nothing would be sent. Names are looked up before each message."""
    if context.parts.refuses_addresses:
        check_address(urlsplit(request.url).hostname or "")
