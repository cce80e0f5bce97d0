"""A transaction that is cancelled at any moment leaves no lock behind."""

from __future__ import annotations

import asyncio

from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository


def aside(phone: str) -> ServiceEvent:
    return ServiceEvent(id=0, at=1.0, kind=EventKind.PHONE_ASIDE, phone=phone)


async def test_writers_go_on_after_one_was_cancelled_anywhere(database: ServiceDatabase) -> None:
    events = EventRepository(database)
    moments = range(0, 3000, 25)
    for moment in moments:
        writing = asyncio.create_task(events.append([aside("cancelled")]))
        for _ in range(moment):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await events.append([aside(f"p{moment}")])
    written = [one.phone for one in await events.since(0, 1000) if one.phone != "cancelled"]
    assert written == [f"p{moment}" for moment in moments]
