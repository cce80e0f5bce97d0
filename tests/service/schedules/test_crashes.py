"""A service that is killed at any moment submits each due time once, and loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.batches import BatchRequest, BatchStatus
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.schedules import MissedTimes, OverlapRule, QueuedTime, ScheduleStatus
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from tests.service.schedules.conftest import ScheduleBench, schedule_request

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


async def test_a_batch_that_was_changed_after_it_was_submitted_stays_as_it_is(bench: ScheduleBench) -> None:
    """The process dies after the batch was submitted, and somebody changes the schedule before it runs again."""
    start = bench.clock.now()
    await bench.schedules.make(schedule_request("every 1m"), "ann", start)
    schedules = DyingSchedules(bench.database)
    schedules.fuse = Fuse(2)
    async with bench.running(schedules):
        moving = asyncio.create_task(bench.clock.advance(MINUTE))
        await asyncio.wait_for(schedules.fuse.is_blown.wait(), 60)
        moving.cancel()
    other = BatchRequest(tasks=(TaskSpec(id="sell", goal="Sell milk."),))
    await bench.schedules.change("s1", schedule_request("every 1m", batch=other), bench.clock.now())
    async with bench.running():
        await bench.clock.advance(1)
        await bench.end_batches()
        await bench.clock.advance(MINUTE)
    tasks = [one.id for one in (await bench.batches.tasks()).items]
    assert tasks == ["b1.buy", "b2.sell"]
    assert len(await bench.events(EventKind.SCHEDULE_FIRED)) == 2


class StrictBatches(BatchRepository):
    """Refuses everything, as a later version could."""

    async def accept(
        self, request: BatchRequest, owner: str, key: str | None, at: float, schedule: str | None = None
    ) -> tuple[BatchStatus, bool]:
        raise BadInput("tasks must be longer")


async def test_a_refused_batch_is_told_and_not_tried_again(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h"), "ann", bench.clock.now())
    async with bench.running(batches=StrictBatches(bench.database)):
        await bench.clock.advance(60 * MINUTE + 1)
    schedule = await bench.schedules.schedule("s1")
    assert (schedule.queued, schedule.submitted, schedule.skipped) == ((), 0, 1)
    assert "tasks must be longer" in str(schedule.problem)
    assert await bench.missed() == [(1, "refused")]
