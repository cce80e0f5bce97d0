"""Keep the deliveries of events to webhooks: due ones, what came of attempts, and dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.webhooks import DeliveryPhase, DeliveryStatus
from manyhands.service.database.event_repository import read_event
from manyhands.service.database.row_numbers import read_page, write_id
from manyhands.service.database.schema import DELIVERIES, EVENTS, WEBHOOKS, TableQuery, TableRow
from manyhands.service.webhooks.interfaces import AttemptOutcome, DueDelivery

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
