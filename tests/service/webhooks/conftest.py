"""Webhooks in a real database, a courier that can be killed, and a clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.webhooks import DeliveryPhase, DeliveryStatus, WebhookGrant, WebhookRequest
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.webhook_courier import CourierBounds, RetryPlan, WebhookCourier
from manyhands.service.webhook_post import MessagePost, make_secret
from tests.service.jumping_clock import JumpingClock


@dataclass
class WebhookBench:
    """Webhooks, events and a courier."""

    database: ServiceDatabase
    clock: JumpingClock
    courier: WebhookCourier | None = None

    def __post_init__(self) -> None:
        self.webhooks = WebhookRepository(self.database)
        self.events = EventRepository(self.database)
        self.batches = BatchRepository(self.database)

    @asynccontextmanager
    async def running(
        self,
        webhooks: WebhookRepository | None = None,
        deadline_s: float = 15.0,
        bounds: CourierBounds | None = None,
        plan: RetryPlan | None = None,
    ) -> AsyncIterator[None]:
        """Deliver. At the end the courier stops wherever it is, as if it were killed."""
        async with MessagePost(deadline_s) as post:
            self.courier = WebhookCourier(
                webhooks or self.webhooks, post, self.clock, plan, bounds, Random(3), poll_s=3600.0
            )
            task = asyncio.create_task(self.courier.run())
            try:
                yield
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def advance(self, seconds: float) -> None:
        """Let time pass. It stands still while a message is on its way."""
        assert self.courier is not None
        self.courier.wake()
        await self.clock.advance(seconds, lambda: self.courier is None or self.courier.in_flight == 0)

    async def make(self, url: str, *kinds: EventKind, tags: tuple[str, ...] = ()) -> WebhookGrant:
        request = WebhookRequest(url=url, kinds=kinds or (EventKind.PHONE_ASIDE,), tags=tags)
        return await self.webhooks.make(request, "ann", make_secret(), self.clock.now())

    async def tell(self, *phones: str, kind: EventKind = EventKind.PHONE_ASIDE) -> None:
        """Append an event for each phone."""
        events = [ServiceEvent(id=0, at=self.clock.now(), kind=kind, phone=phone) for phone in phones]
        await self.events.append(events)

    async def deliveries(self, webhook: str, phase: DeliveryPhase | None = None) -> list[DeliveryStatus]:
        return list((await self.webhooks.deliveries(webhook, phase, None, 1000)).items)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[WebhookBench]:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    yield WebhookBench(database, JumpingClock(1_800_000_000.0))
    await database.close()
