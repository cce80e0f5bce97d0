"""Serve the HTTP application over a canned fleet, in a process of its own, and print where it answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.actors.clock import RealClock
from manyhands.benchmarks.service.canned_fleet import CannedFleet, write_thumbnails
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.protocol.service.fleet import PhoneStatus
from manyhands.service.api.app import create_app
from manyhands.service.api.parts import ServiceParts
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.coordinator import Coordinator
from manyhands.service.database.audit_repository import AuditRepository
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.failure_repository import FailureRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.database.session_repository import SessionRepository
from manyhands.service.database.token_repository import TokenRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.fleet_keeper import FleetKeeper
from manyhands.service.http_server import serving

NO_BOUNDS = ServiceBounds(token_rate=1e6, address_rate=1e6, token_requests=10_000)
"""One client plays all clients, and must not be told to come more slowly."""


class CannedControl(FleetKeeper):
    """Shows the phones of a canned fleet to routes. It never opens a fleet."""

    canned: CannedFleet

    async def phones(self) -> Sequence[PhoneStatus]:
        """Return the canned phones."""
        return await self.canned.phones()


async def serve(folder: Path, phones: int) -> None:
    """Serve until this process is ended. The first line of standard output is JSON: ``url`` and ``token``."""
    clock = RealClock()
    database = await ServiceDatabase.open(str(folder / "service.db"))
    batches, events, tokens = BatchRepository(database), EventRepository(database), TokenRepository(database)
    token = await tokens.make(TokenRequest(owner="bench", role=AccessRole.OPERATE), clock.now())
    keeper = CannedControl(folder, FleetSettings(), batches, events)
    keeper.canned = CannedFleet(phones, write_thumbnails(folder))
    parts = ServiceParts(
        batches=batches,
        events=events,
        tokens=tokens,
        sessions=SessionRepository(database),
        failures=FailureRepository(database),
        audit=AuditRepository(database),
        schedules=ScheduleRepository(database),
        webhooks=WebhookRepository(database),
        fleet=keeper,
        runs=folder,
        bounds=NO_BOUNDS,
    )
    async with serving(create_app(parts), "127.0.0.1", 0, NO_BOUNDS) as url:
        print(json.dumps({"url": url, "token": token.secret}), flush=True)  # noqa: T201
        await Coordinator(batches, events, keeper.canned, clock).run()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
