"""Keep webhooks: which addresses are told of which events, and how far they have been told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.webhooks import (
    DeliveryPhase,
    DeliveryStatus,
    WebhookGrant,
    WebhookRequest,
    WebhookStatus,
)
from manyhands.service.database import deliveries as delivery_table
from manyhands.service.database.deliveries import AttemptOutcome, DueDelivery, has_work, make_deliveries, open_webhooks
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.row_numbers import read_id, read_page, unknown_item, write_id
from manyhands.service.database.schema import DELIVERIES, EVENTS, WEBHOOKS, TableRow, dump_json


class WebhookRepository:
    """Keep webhooks and their deliveries. Every method may raise DatabaseAway.

    Methods that take the id of a webhook raise UnknownItem if there is none, except where they say otherwise.
    """

    def __init__(self, database: ServiceDatabase) -> None:
        self._database = database

    # ------------------------------------------------------------------------ webhooks
    async def make(self, request: WebhookRequest, owner: str, secret: str, at: float) -> WebhookGrant:
        """Keep a new webhook, which is told of later events."""
        fresh = {"owner": owner, "secret": secret, "created_at": at, "waiting": 0, "dead": 0}
        async with self._database.write() as change:
            last = (await change.connection.execute(select(func.max(EVENTS.c.id)))).scalar_one() or 0
            # Steps are forgotten: this process may know a later event than the table has.
            values = {**_columns_of(request), **fresh, "cursor": max(last, self._database.signal.last)}
            row = (await change.connection.execute(insert(WEBHOOKS).values(values).returning(*WEBHOOKS.c))).one()
        return WebhookGrant(secret=secret, **_status(row).model_dump())

    async def change(self, webhook: str, request: WebhookRequest, at: float) -> WebhookStatus:
        """Replace what a webhook asks for. The secret and the cursor remain."""
        async with self._database.write() as change:
            return await _update(change.connection, webhook, _columns_of(request))

    async def set_paused(self, webhook: str, paused: bool, at: float) -> WebhookStatus:
        """Pause or resume a webhook. What happens during the pause is sent afterwards."""
        async with self._database.write() as change:
            return await _update(change.connection, webhook, {"paused": paused})

    async def remove(self, webhook: str, at: float) -> None:
        """Remove a webhook and its deliveries."""
        async with self._database.write() as change:
            row = await _find(change.connection, webhook)
            await change.connection.execute(delete(DELIVERIES).where(DELIVERIES.c.webhook == row.number))
            await change.connection.execute(delete(WEBHOOKS).where(WEBHOOKS.c.number == row.number))

    async def webhook(self, webhook: str) -> WebhookStatus:
        """Return one webhook."""
        async with self._database.read() as connection:
            return _status(await _find(connection, webhook))

    async def webhooks(self, cursor: str | None = None, limit: int = 50) -> ListPage[WebhookStatus]:
        """Return a part of the list of webhooks, oldest first. Raises BadCursor."""
        async with self._database.read() as connection:
            return await read_page(connection, select(WEBHOOKS), WEBHOOKS.c.number, cursor, limit, _status)

    # ------------------------------------------------------------------------ deliveries
    async def collect(self, at: float, most: int) -> int:
        """Make deliveries of the events behind each webhook's cursor. Return how many events were passed in all.

        Looks at ``most`` events for each webhook. Leaves out webhooks that are paused or have too many deliveries. A
        few events that no webhook asks for are left for a later call, which returns 0 until then.
        """
        async with self._database.read() as connection:
            if not await has_work(connection, most):
                return 0
        async with self._database.write() as change:
            webhooks = await open_webhooks(change.connection)
            return sum([await make_deliveries(change.connection, webhook, at, most) for webhook in webhooks])

    async def due(self, now: float, most: int) -> Sequence[DueDelivery]:
        """Return deliveries whose next attempt is due: ``most`` for each webhook, those longest due first."""
        async with self._database.read() as connection:
            return await delivery_table.find_due(connection, now, most)

    async def next_due(self, after: float) -> float | None:
        """Return the earliest time later than ``after`` at which an attempt is due; None if there is none.

        Paused webhooks do not count.
        """
        async with self._database.read() as connection:
            return await delivery_table.find_next(connection, after)

    async def record(self, outcome: AttemptOutcome) -> None:
        """Store what came of an attempt. Do nothing if the webhook or the delivery is gone."""
        async with self._database.write() as change:
            await delivery_table.store_attempt(change.connection, read_id("w", outcome.webhook), outcome)

    async def give_up(self, webhook: str, created_before: float, at: float, problem: str) -> int:
        """Make dead letters of the deliveries that wait and were created before a moment. Return their number."""
        async with self._database.write() as change:
            row = await _find(change.connection, webhook)
            return await delivery_table.bury(change.connection, row.number, created_before, at, problem)

    async def deliveries(
        self, webhook: str, phase: DeliveryPhase | None = None, cursor: str | None = None, limit: int = 50
    ) -> ListPage[DeliveryStatus]:
        """Return a part of the list of a webhook's deliveries, by the numbers of their events. Raises BadCursor."""
        async with self._database.read() as connection:
            row = await _find(connection, webhook)
            return await delivery_table.list_deliveries(connection, row.number, phase, cursor, limit)

    async def send_again(self, webhook: str, deliveries: Sequence[str], at: float) -> int:
        """Let dead letters wait for an attempt that is due at once; all of them if none is named."""
        async with self._database.write() as change:
            row = await _find(change.connection, webhook)
            return await delivery_table.revive(change.connection, row.number, deliveries, at)

    async def forget_deliveries(self, before: float) -> int:
        """Delete deliveries that were accepted before a moment. Dead letters remain."""
        async with self._database.write() as change:
            return await delivery_table.forget(change.connection, before)


async def _find(connection: AsyncConnection, webhook: str) -> TableRow:
    query = select(WEBHOOKS).where(WEBHOOKS.c.number == read_id("w", webhook))
    row: TableRow | None = (await connection.execute(query)).one_or_none()
    if row is None:
        raise unknown_item("webhook", webhook)
    return row


async def _update(connection: AsyncConnection, webhook: str, values: dict[str, Any]) -> WebhookStatus:
    row = await _find(connection, webhook)
    statement = update(WEBHOOKS).where(WEBHOOKS.c.number == row.number).values(values).returning(*WEBHOOKS.c)
    return _status((await connection.execute(statement)).one())


def _columns_of(request: WebhookRequest) -> dict[str, Any]:
    return {
        "url": request.url,
        "kinds": dump_json([kind.value for kind in request.kinds]),
        "tags": dump_json(request.tags),
        "name": request.name,
        "paused": request.paused,
    }


def _status(row: TableRow) -> WebhookStatus:
    return WebhookStatus(
        id=write_id("w", row.number),
        owner=row.owner,
        url=row.url,
        kinds=tuple(EventKind(kind) for kind in json.loads(row.kinds)),
        tags=tuple(json.loads(row.tags)),
        name=row.name,
        paused=row.paused,
        created_at=row.created_at,
        cursor=row.cursor,
        waiting=row.waiting,
        dead=row.dead,
        last_delivered_at=row.last_delivered_at,
        failing_since=row.failing_since,
        problem=row.problem,
    )
