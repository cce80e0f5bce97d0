"""Find the events that webhooks are to be told of, and make deliveries of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.webhooks import DeliveryPhase
from manyhands.service.database.row_numbers import read_id
from manyhands.service.database.schema import BATCH_TAGS, DELIVERIES, EVENTS, WEBHOOKS, TableRow
from manyhands.service.webhooks.interfaces import MOST_WAITING
from manyhands.service.webhooks.signatures import message_id

_LAG = 200
"""How many events that a webhook does not ask for may follow its cursor. Moving the cursor costs a transaction."""
_OF_WORK = ("batch.", "task.")
"""How the kinds of events begin that a webhook's tags choose."""


async def open_webhooks(connection: AsyncConnection) -> Sequence[TableRow]:
    """Return the webhooks that take further deliveries."""
    query = select(WEBHOOKS).where(WEBHOOKS.c.paused.is_(False), WEBHOOKS.c.waiting < MOST_WAITING)
    rows: Sequence[TableRow] = (await connection.execute(query.order_by(WEBHOOKS.c.number))).all()
    return rows


async def has_work(connection: AsyncConnection, most: int) -> bool:
    """Return whether any webhook has an event to deliver, or a cursor that should move."""
    for webhook in await open_webhooks(connection):
        events = await _next_events(connection, webhook, most)
        if len(events) >= min(_LAG, most) or await _select(connection, webhook, events):
            return True
    return False


async def make_deliveries(connection: AsyncConnection, webhook: TableRow, at: float, most: int) -> int:
    """Make deliveries of the events behind a webhook's cursor, and move it. Return how many events it passed."""
    events = await _next_events(connection, webhook, most)
    if not events:
        return 0
    event_ids = await _select(connection, webhook, events)
    if event_ids:
        rows: list[dict[str, Any]] = [
            {
                "webhook": webhook.number,
                "event": id,
                "id": message_id(webhook.secret, id),
                "phase": DeliveryPhase.WAITING.value,
                "created_at": at,
                "attempts": 0,
                "next_attempt_at": at,
            }
            for id in event_ids
        ]
        await connection.execute(insert(DELIVERIES), rows)
    values = {"cursor": events[-1].id, "waiting": WEBHOOKS.c.waiting + len(event_ids)}
    await connection.execute(update(WEBHOOKS).where(WEBHOOKS.c.number == webhook.number).values(values))
    return len(events)


async def _next_events(connection: AsyncConnection, webhook: TableRow, most: int) -> Sequence[TableRow]:
    query = select(EVENTS.c.id, EVENTS.c.kind, EVENTS.c.batch).where(EVENTS.c.id > webhook.cursor)
    rows: Sequence[TableRow] = (await connection.execute(query.order_by(EVENTS.c.id).limit(most))).all()
    return rows


async def _select(connection: AsyncConnection, webhook: TableRow, events: Sequence[TableRow]) -> Sequence[int]:
    """Return the ids of the events that a webhook asks for."""
    kinds, tags = set(json.loads(webhook.kinds)), json.loads(webhook.tags)
    of_kind = [event for event in events if event.kind in kinds]
    if not tags:
        return [event.id for event in of_kind]
    batches = {read_id("b", event.batch) for event in of_kind if event.batch and event.kind.startswith(_OF_WORK)}
    query = select(BATCH_TAGS.c.batch).where(BATCH_TAGS.c.batch.in_(batches), BATCH_TAGS.c.tag.in_(tags))
    tagged = set((await connection.execute(query)).scalars()) if batches else set()
    return [
        event.id
        for event in of_kind
        if not event.kind.startswith(_OF_WORK) or (event.batch and read_id("b", event.batch) in tagged)
    ]
