"""Keep the deliveries of events to webhooks: make them, and note what came of attempts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.webhooks import DeliveryPhase, DeliveryStatus
from manyhands.service.database.event_repository import read_event
from manyhands.service.database.row_numbers import read_id, read_page, write_id
from manyhands.service.database.schema import BATCH_TAGS, DELIVERIES, EVENTS, WEBHOOKS, TableQuery, TableRow
from manyhands.service.webhook_post import message_id

_LAG = 200
"""How many events that a webhook does not ask for may follow its cursor. Moving the cursor costs a transaction."""
_OF_WORK = ("batch.", "task.")
"""How the kinds of events begin that a webhook's tags choose."""

MOST_WAITING = 10_000
"""The most deliveries of a webhook that wait. Until there are fewer, later events wait in the table of events."""


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """Hold what one attempt needs."""

    id: str
    """The id of the message."""
    webhook: str
    url: str
    secret: str
    event: ServiceEvent
    attempts: int
    """How many attempts were made before."""
    first_attempt_at: float | None
    """When the first of them was made; None before."""
    failing_since: float | None
    """Since when all attempts of the webhook have failed; None if the last one succeeded."""


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """Hold what came of one attempt."""

    delivery: str
    """The id of the message."""
    webhook: str
    at: float
    phase: DeliveryPhase
    """WAITING if another attempt follows."""
    next_attempt_at: float | None = None
    http_status: int | None = None
    problem: str | None = None
    """Why the attempt failed; None if it succeeded."""
    is_recovery: bool = False
    """Whether the receiver answers again after an outage. Its other deliveries are then due at once."""


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


_WAITS = DELIVERIES.c.phase == DeliveryPhase.WAITING.value


async def find_due(connection: AsyncConnection, now: float, most: int) -> Sequence[DueDelivery]:
    """Return deliveries whose next attempt is due: ``most`` for each webhook, those longest due first."""
    awake = select(WEBHOOKS).where(WEBHOOKS.c.paused.is_(False), WEBHOOKS.c.waiting > 0)
    deliveries = []
    for webhook in (await connection.execute(awake.order_by(WEBHOOKS.c.number))).all():
        query: TableQuery = (
            select(DELIVERIES.c.id.label("message"), DELIVERIES.c.attempts, DELIVERIES.c.first_attempt_at, *EVENTS.c)
            .join(EVENTS, EVENTS.c.id == DELIVERIES.c.event)
            .where(DELIVERIES.c.webhook == webhook.number, DELIVERIES.c.next_attempt_at <= now)
            .order_by(DELIVERIES.c.next_attempt_at, DELIVERIES.c.event)
            .limit(most)
        )
        deliveries += [
            DueDelivery(
                id=row.message,
                webhook=write_id("w", webhook.number),
                url=webhook.url,
                secret=webhook.secret,
                event=read_event(row),
                attempts=row.attempts,
                first_attempt_at=row.first_attempt_at,
                failing_since=webhook.failing_since,
            )
            for row in (await connection.execute(query)).all()
        ]
    return deliveries


async def find_next(connection: AsyncConnection, after: float) -> float | None:
    """Return the earliest time later than ``after`` at which an attempt is due; None if there is none."""
    first = (
        select(func.min(DELIVERIES.c.next_attempt_at))
        .where(DELIVERIES.c.webhook == WEBHOOKS.c.number, DELIVERIES.c.next_attempt_at > after)
        .scalar_subquery()
        .label("first")
    )
    each = select(first).where(WEBHOOKS.c.paused.is_(False)).subquery()
    at: float | None = (await connection.execute(select(func.min(each.c.first)))).scalar_one()
    return at


async def store_attempt(connection: AsyncConnection, webhook: int, outcome: AttemptOutcome) -> None:
    """Store what came of an attempt, for the delivery and its webhook."""
    condition = (DELIVERIES.c.webhook == webhook, DELIVERIES.c.id == outcome.delivery)
    phase = (await connection.execute(select(DELIVERIES.c.phase).where(*condition))).scalar_one_or_none()
    if phase is None:
        return
    is_success = outcome.phase is DeliveryPhase.DELIVERED
    values: dict[str, Any] = {
        "attempts": DELIVERIES.c.attempts + 1,
        "first_attempt_at": func.coalesce(DELIVERIES.c.first_attempt_at, outcome.at),
        "http_status": outcome.http_status,
    }
    if outcome.problem is not None:
        values["problem"] = outcome.problem
    if is_success or phase == DeliveryPhase.WAITING.value:  # one that was given up meanwhile stays so, unless accepted
        has_ended = outcome.phase is not DeliveryPhase.WAITING
        values |= {
            "phase": outcome.phase.value,
            "next_attempt_at": None if has_ended else outcome.next_attempt_at,
            "ended_at": outcome.at if has_ended else None,
        }
    await connection.execute(update(DELIVERIES).where(*condition).values(values))
    if outcome.is_recovery:
        statement = update(DELIVERIES).where(DELIVERIES.c.webhook == webhook, _WAITS)
        await connection.execute(statement.values(next_attempt_at=outcome.at))
    health: dict[str, Any]
    if is_success:
        health = {"last_delivered_at": outcome.at, "failing_since": None, "problem": None}
    else:
        health = {"failing_since": func.coalesce(WEBHOOKS.c.failing_since, outcome.at), "problem": outcome.problem}
    await _recount(connection, webhook, health)


async def bury(connection: AsyncConnection, webhook: int, created_before: float, at: float, problem: str) -> int:
    """Make dead letters of the deliveries that wait and were created before a moment. Return their number."""
    statement = update(DELIVERIES).where(
        DELIVERIES.c.webhook == webhook, _WAITS, DELIVERIES.c.created_at < created_before
    )
    values = {"phase": DeliveryPhase.DEAD.value, "next_attempt_at": None, "ended_at": at, "problem": problem}
    count = (await connection.execute(statement.values(values))).rowcount
    await _recount(connection, webhook, {})
    return count


async def revive(connection: AsyncConnection, webhook: int, deliveries: Sequence[str], at: float) -> int:
    """Let dead letters wait for an attempt that is due at once; all of them if none is named. Return their number."""
    statement = update(DELIVERIES).where(
        DELIVERIES.c.webhook == webhook, DELIVERIES.c.phase == DeliveryPhase.DEAD.value
    )
    if deliveries:
        statement = statement.where(DELIVERIES.c.id.in_(deliveries))
    values = {
        "phase": DeliveryPhase.WAITING.value,
        "next_attempt_at": at,
        "created_at": at,
        "first_attempt_at": None,
        "ended_at": None,
    }
    count = (await connection.execute(statement.values(values))).rowcount
    await _recount(connection, webhook, {})
    return count


async def list_deliveries(
    connection: AsyncConnection, webhook: int, phase: DeliveryPhase | None, cursor: str | None, limit: int
) -> ListPage[DeliveryStatus]:
    """Return a part of the list of a webhook's deliveries, by the numbers of their events. Raises BadCursor."""
    query: TableQuery = (
        select(DELIVERIES, EVENTS.c.kind)
        .join(EVENTS, EVENTS.c.id == DELIVERIES.c.event)
        .where(DELIVERIES.c.webhook == webhook)
    )
    if phase is not None:
        query = query.where(DELIVERIES.c.phase == phase.value)
    return await read_page(connection, query, DELIVERIES.c.event, cursor, limit, _status, key="event")


async def forget(connection: AsyncConnection, before: float) -> int:
    """Delete deliveries that were accepted before a moment. Return their number."""
    statement = delete(DELIVERIES).where(
        DELIVERIES.c.phase == DeliveryPhase.DELIVERED.value, DELIVERIES.c.ended_at < before
    )
    return (await connection.execute(statement)).rowcount


async def _recount(connection: AsyncConnection, webhook: int, values: dict[str, Any]) -> None:
    """Count the deliveries of a webhook again. Store the counts, and further ``values`` of the webhook."""
    of_webhook = select(func.count()).select_from(DELIVERIES).where(DELIVERIES.c.webhook == webhook)
    counts = {
        "waiting": of_webhook.where(_WAITS).scalar_subquery(),
        "dead": of_webhook.where(DELIVERIES.c.phase == DeliveryPhase.DEAD.value).scalar_subquery(),
    }
    await connection.execute(update(WEBHOOKS).where(WEBHOOKS.c.number == webhook).values({**counts, **values}))


def _status(row: TableRow) -> DeliveryStatus:
    return DeliveryStatus(
        id=row.id,
        webhook=write_id("w", row.webhook),
        event=row.event,
        kind=EventKind(row.kind),
        phase=DeliveryPhase(row.phase),
        created_at=row.created_at,
        attempts=row.attempts,
        first_attempt_at=row.first_attempt_at,
        next_attempt_at=row.next_attempt_at,
        ended_at=row.ended_at,
        http_status=row.http_status,
        problem=row.problem,
    )
