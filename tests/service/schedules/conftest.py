"""A service's database, a fleet that notes what it is told, and a runner that can be killed and started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from manyhands.protocol.service.batches import BatchPhase, BatchRequest, BatchStatus
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.schedules import ScheduleRequest
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventFilter, EventRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.schedule_runner import ScheduleRunner
from tests.service.jumping_clock import JumpingClock

BATCH = BatchRequest(tasks=(TaskSpec(id="buy", goal="Buy milk."),))


def schedule_request(when: str, **given: Any) -> ScheduleRequest:
    return ScheduleRequest(**{"name": "milk", "when": when, "batch": BATCH} | given)


@dataclass
class NotedFleet:
    """Notes which tasks it was told to cancel."""

    cancelled: list[str] = field(default_factory=list)

    async def cancel(self, tasks: Sequence[str], reason: str) -> None:
        self.cancelled += tasks


@dataclass
class ScheduleBench:
    """Schedules in a real database, and a clock."""

    database: ServiceDatabase
    clock: JumpingClock
    fleet: NotedFleet = field(default_factory=NotedFleet)

    def __post_init__(self) -> None:
        self.schedules = ScheduleRepository(self.database)
        self.batches = BatchRepository(self.database)

    @asynccontextmanager
    async def running(
        self, schedules: ScheduleRepository | None = None, batches: BatchRepository | None = None
    ) -> AsyncIterator[ScheduleRunner]:
        """Run schedules. At the end the runner stops wherever it is, as if it were killed."""
        runner = ScheduleRunner(
            schedules or self.schedules, batches or self.batches, self.fleet, self.clock, 7200.0, poll_s=600.0
        )
        task = asyncio.create_task(runner.run())
        try:
            yield runner
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def end_batches(self) -> None:
        """Have all batches end."""
        open_ones = [one.id for one in await self.submitted() if one.phase is BatchPhase.OPEN]
        if open_ones:
            await self.batches.cancel(open_ones, self.clock.now(), "the test has them end")

    async def submitted(self) -> list[BatchStatus]:
        """All batches, oldest first."""
        return sorted((await self.batches.batches(limit=1000)).items, key=lambda one: int(one.id[1:]))

    async def events(self, kind: EventKind) -> list[ServiceEvent]:
        return list(await EventRepository(self.database).since(0, 1000, EventFilter(kinds=(kind,))))

    async def fired(self, zone: str, schedule: str = "s1") -> list[str]:
        """The due times of a schedule whose batches were submitted, as the clocks of a zone show them."""
        found = [one.data for one in await self.events(EventKind.SCHEDULE_FIRED) if one.data["schedule"] == schedule]
        due = [datetime.fromtimestamp(float(str(data["due"])), ZoneInfo(zone)) for data in found]
        return [one.strftime("%d %H:%M%z") for one in due]

    async def missed(self) -> list[tuple[int, str]]:
        """How many due times passed without a batch, and why."""
        found = await self.events(EventKind.SCHEDULE_MISSED)
        return [(int(str(one.data["count"])), str(one.data["reason"])) for one in found]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[ScheduleBench]:
    database = await ServiceDatabase.open(str(tmp_path / "service.db"))
    yield ScheduleBench(database, JumpingClock(1_800_000_000.0))
    await database.close()
