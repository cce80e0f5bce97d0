"""Declare what the delivery of webhooks needs of the database. ``WebhookRepository`` provides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from manyhands.protocol.service.access import ListPage
from manyhands.protocol.service.events import ServiceEvent
from manyhands.protocol.service.webhooks import (
    DeliveryPhase,
    DeliveryStatus,
    WebhookGrant,
    WebhookRequest,
    WebhookStatus,
)

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


class WebhookStore(Protocol):
    """Keep webhooks and their deliveries. Each method is one transaction. Removed webhooks are unknown.

    Unknown ids raise the error that the database has for them.
    """

    async def make(self, request: WebhookRequest, owner: str, secret: str, at: float) -> WebhookGrant:
        """Keep a new webhook. Its cursor is the number of the last event so far."""
        ...

    async def change(self, webhook: str, request: WebhookRequest, at: float) -> WebhookStatus:
        """Replace what a webhook asks for. The secret and the cursor remain."""
        ...

    async def set_paused(self, webhook: str, paused: bool, at: float) -> WebhookStatus:
        """Pause or resume a webhook."""
        ...

    async def remove(self, webhook: str, at: float) -> None:
        """Remove a webhook and its deliveries."""
        ...

    async def webhook(self, webhook: str) -> WebhookStatus:
        """Return one webhook."""
        ...

    async def webhooks(self, cursor: str | None, limit: int) -> ListPage[WebhookStatus]:
        """Return a part of the list of webhooks, oldest first."""
        ...

    async def collect(self, at: float, most: int) -> int:
        """Make deliveries of the events behind each webhook's cursor, and move the cursors, in one transaction.

        Looks at ``most`` events for each webhook, in their order; returns how many were looked at in all. Leaves out
        webhooks that are paused or have MOST_WAITING deliveries that wait. A delivery has the id that
        ``signatures.message_id`` gives it, and its first attempt is due at once.
        """
        ...

    async def due(self, now: float, most: int) -> Sequence[DueDelivery]:
        """Return deliveries whose next attempt is due: ``most`` for each webhook, those longest due first.

        Leaves out paused webhooks.
        """
        ...

    async def next_due(self, after: float) -> float | None:
        """Return the earliest time later than ``after`` at which an attempt is due; None if there is none.

        Leaves out paused webhooks.
        """
        ...

    async def record(self, outcome: AttemptOutcome) -> None:
        """Store what came of an attempt, for the delivery and its webhook.

        Success sets ``last_delivered_at`` and clears ``failing_since`` and ``problem``; failure sets ``problem``, and
        ``failing_since`` if it is None. After a recovery, the next attempts of all deliveries of the webhook that wait
        are due at once. Does nothing if the webhook or delivery is gone.
        """
        ...

    async def give_up(self, webhook: str, created_before: float, at: float, problem: str) -> int:
        """Make dead letters of all deliveries of a webhook that wait and were created before a moment."""
        ...

    async def deliveries(
        self, webhook: str, phase: DeliveryPhase | None, cursor: str | None, limit: int
    ) -> ListPage[DeliveryStatus]:
        """Return a part of the list of a webhook's deliveries, by the numbers of their events."""
        ...

    async def send_again(self, webhook: str, deliveries: Sequence[str], at: float) -> int:
        """Let dead letters wait for an attempt that is due at once; all of the webhook's if none is named.

        Clears ``first_attempt_at`` and sets ``created_at`` to ``at``, so that they are tried for a day again. Returns
        how many there were. Ids that are unknown or not dead are left out.
        """
        ...

    async def forget_deliveries(self, before: float) -> int:
        """Delete deliveries that were accepted before a moment. Dead letters remain."""
        ...
