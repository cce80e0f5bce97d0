"""A service that is killed at any moment submits each due time once, and loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from manyhands.deploy.service.database.batch_repository import BatchRepository
from manyhands.deploy.service.database.schedule_repository import ScheduleRepository
from manyhands.protocol.service.batches import BatchRequest, BatchStatus
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.schedules import MissedTimes, OverlapRule, QueuedTime, ScheduleStatus
from tests.deploy.service.schedules.conftest import ScheduleBench, schedule_request

MINUTE = 60.0


class Fuse:
    """Counts calls of the database. The process does not survive the one with number ``last``."""

    def __init__(self, last: int) -> None:
        self.left = last
        self.is_blown = asyncio.Event()

    async def burn(self) -> None:
        if self.left == 0:
            self.is_blown.set()
            await asyncio.Event().wait()
        self.left -= 1


class DyingSchedules(ScheduleRepository):
    """Dies before or after a transaction."""

    fuse: Fuse

    async def take_up(
        self,
        seen: ScheduleStatus,
        settled_until: float,
        queued: Sequence[QueuedTime],
        missed: Sequence[MissedTimes],
        at: float,
    ) -> bool:
        await self.fuse.burn()
        done = await super().take_up(seen, settled_until, queued, missed, at)
        await self.fuse.burn()
        return done

    async def note_submitted(self, schedule: str, queued: QueuedTime, batch: str | None, at: float) -> None:
        await self.fuse.burn()
        await super().note_submitted(schedule, queued, batch, at)
        await self.fuse.burn()


class DyingBatches(BatchRepository):
    """Dies before or after a transaction."""

    fuse: Fuse

    async def accept(
        self, request: BatchRequest, owner: str, key: str | None, at: float, schedule: str | None = None
    ) -> tuple[BatchStatus, bool]:
        await self.fuse.burn()
        accepted = await super().accept(request, owner, key, at, schedule)
        await self.fuse.burn()
        return accepted


@pytest.mark.parametrize("overlap", list(OverlapRule))
@pytest.mark.parametrize("last", range(6))
@pytest.mark.parametrize("down_s", [0.0, 30.0])
async def test_a_kill_in_the_middle_of_a_submission(
    bench: ScheduleBench, overlap: OverlapRule, last: int, down_s: float
) -> None:
    start = bench.clock.now()
    await bench.schedules.make(schedule_request("every 1m", overlap=overlap, deadline_s=600), "ann", start)
    schedules, batches = DyingSchedules(bench.database), DyingBatches(bench.database)
    schedules.fuse = batches.fuse = Fuse(last)
    async with bench.running(schedules, batches):
        moving = asyncio.create_task(bench.clock.advance(MINUTE))
        await asyncio.wait_for(schedules.fuse.is_blown.wait(), 60)
        moving.cancel()
    bench.clock.jump(start + MINUTE + down_s - bench.clock.now())
    for minute in (1, 2, 3):
        async with bench.running() as runner:
            runner.wake()
            await bench.clock.advance(start + minute * MINUTE + down_s - bench.clock.now())
            await bench.end_batches()
    found: list[Any] = [one.data["due"] for one in await bench.events(EventKind.SCHEDULE_FIRED)]
    assert found == [start + MINUTE, start + 2 * MINUTE, start + 3 * MINUTE]
    assert len(await bench.submitted()) == 3
    assert await bench.missed() == []
