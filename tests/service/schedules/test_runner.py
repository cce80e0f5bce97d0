"""Schedules submit their batches: when they are due, each once, whatever happens meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from manyhands.protocol.errors import DatabaseAway
from manyhands.protocol.service.batches import BatchPhase
from manyhands.protocol.service.schedules import MissedRule, OverlapRule, ScheduleStatus
from manyhands.service.database.schedule_repository import ScheduleRepository
from manyhands.service.schedule_runner import with_next_times
from tests.service.jumping_clock import JumpingClock
from tests.service.schedules.conftest import BATCH, ScheduleBench, schedule_request

HOUR = 3600.0
DAY = 24 * HOUR
CHANGES = {
    ("Europe/Berlin", datetime(2026, 3, 29)): ["28 02:30+0100", "29 03:00+0200", "30 02:30+0200"],
    ("Europe/Berlin", datetime(2026, 10, 25)): ["24 02:30+0200", "25 02:30+0200", "26 02:30+0100"],
    ("America/New_York", datetime(2026, 3, 8)): ["07 02:30-0500", "08 03:00-0400", "09 02:30-0400"],
    ("America/New_York", datetime(2026, 11, 1)): ["31 01:30-0400", "01 01:30-0400", "02 01:30-0500"],
}
"""Zones, the days when their clocks change, and what a nightly schedule submits in the nights around."""


@pytest.mark.parametrize(("zone", "day"), CHANGES)
async def test_a_nightly_schedule_submits_once_in_each_night(bench: ScheduleBench, zone: str, day: datetime) -> None:
    nightly = CHANGES[zone, day]
    bench.clock = JumpingClock((day - timedelta(days=1)).replace(tzinfo=ZoneInfo(zone)).timestamp())
    line = f"30 {int(nightly[0][3:5])} * * *"
    made = await bench.schedules.make(schedule_request(line, zone=zone), "ann", bench.clock.now())
    promised = with_next_times(made, bench.clock.now(), 3).next_times
    async with bench.running():
        for _ in range(6):
            await bench.clock.advance(DAY / 2)
            await bench.end_batches()
    assert await bench.fired(zone) == nightly
    assert [one.submitted_at for one in await bench.submitted()] == list(promised)
    assert await bench.missed() == []


@pytest.mark.parametrize(("zone", "day"), CHANGES)
async def test_a_quarter_hourly_schedule_submits_in_each_quarter(
    bench: ScheduleBench, zone: str, day: datetime
) -> None:
    start, end = (at.replace(tzinfo=ZoneInfo(zone)).timestamp() for at in (day, day + timedelta(hours=5)))
    bench.clock = JumpingClock(start)
    request = schedule_request("*/15 * * * *", zone=zone, overlap=OverlapRule.CANCEL_OLD)
    await bench.schedules.make(request, "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(end - start)
    times = [one.submitted_at for one in await bench.submitted()]
    assert times == [start + count * HOUR / 4 for count in range(1, int((end - start) / HOUR * 4) + 1)]
    assert len(times) in (16, 24)


@pytest.mark.parametrize("rule", list(MissedRule))
async def test_a_night_in_which_the_service_was_down(bench: ScheduleBench, rule: MissedRule) -> None:
    start = datetime(2026, 3, 28, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    bench.clock = JumpingClock(start.timestamp())
    request = schedule_request("0 */2 * * *", zone="Europe/Berlin", missed=rule)
    await bench.schedules.make(request, "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(2 * HOUR)
    await bench.end_batches()
    bench.clock.jump(10.5 * HOUR)  # from 20:00 to 07:30: 22:00, 00:00, 03:00 for 02:00, 04:00 and 06:00 pass
    async with bench.running():
        await bench.clock.advance(60)
        await bench.end_batches()
        await bench.clock.advance(HOUR)
    late = ["29 06:00+0200"] if rule is MissedRule.ONCE else []
    assert await bench.fired("Europe/Berlin") == ["28 20:00+0100", *late, "29 08:00+0200"]
    assert await bench.missed() == [(4 if rule is MissedRule.ONCE else 5, "outage")]
    schedule = await bench.schedules.schedule("s1")
    assert (schedule.submitted, schedule.skipped) == (2 + len(late), 5 - len(late))


async def test_an_overlap_is_skipped(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h"), "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(3.5 * HOUR)
        await bench.end_batches()
        await bench.clock.advance(HOUR)
    assert [one.submitted_at for one in await bench.submitted()] == [1_800_000_000 + HOUR, 1_800_000_000 + 4 * HOUR]
    assert await bench.missed() == [(1, "overlap"), (1, "overlap")]


async def test_an_overlap_waits_for_the_last_batch(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h", overlap=OverlapRule.QUEUE), "ann", bench.clock.now())
    async with bench.running() as runner:
        await bench.clock.advance(3.5 * HOUR)
        schedule = await bench.schedules.schedule("s1")
        assert [one.due for one in schedule.queued] == [1_800_000_000 + 2 * HOUR, 1_800_000_000 + 3 * HOUR]
        for count in (2, 3):
            await bench.end_batches()
            runner.wake()
            await bench.clock.advance(0)
            assert len(await bench.submitted()) == count
    assert await bench.missed() == []
    assert (await bench.schedules.schedule("s1")).queued == ()


async def test_the_old_batch_is_cancelled_for_the_new_one(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h", overlap=OverlapRule.CANCEL_OLD), "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(HOUR)
        for group in await bench.batches.not_handed_over(10):
            await bench.batches.mark_handed_over(group.id, "runs/1")
        await bench.clock.advance(HOUR)
    first, second = await bench.submitted()
    assert first.phase is BatchPhase.CANCELLED
    assert second.phase is BatchPhase.OPEN
    assert bench.fleet.cancelled == ["b1.buy"]


async def test_what_passes_during_a_pause_is_forgotten(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h", paused=True), "ann", bench.clock.now())
    async with bench.running() as runner:
        await bench.clock.advance(5.5 * HOUR)
        assert await bench.submitted() == []
        resumed = await bench.schedules.set_paused("s1", False, bench.clock.now())
        runner.wake()
        assert with_next_times(resumed, bench.clock.now(), 1).next_times == (1_800_000_000 + 6 * HOUR,)
        await bench.clock.advance(HOUR)
    assert [one.submitted_at for one in await bench.submitted()] == [1_800_000_000 + 6 * HOUR]
    assert await bench.missed() == []


async def test_a_change_counts_from_then_on(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h"), "ann", bench.clock.now())
    async with bench.running() as runner:
        await bench.clock.advance(0.5 * HOUR)
        await bench.schedules.change("s1", schedule_request("every 10m"), bench.clock.now())
        runner.wake()
        await bench.clock.advance(1000)
        await bench.schedules.remove("s1", bench.clock.now())
        await bench.clock.advance(5 * HOUR)
    assert [one.submitted_at for one in await bench.submitted()] == [1_800_000_000 + 2400]


async def test_a_deadline_counts_from_the_due_time(bench: ScheduleBench) -> None:
    request = schedule_request("every 1h", deadline_s=1800.0, overlap=OverlapRule.QUEUE)
    await bench.schedules.make(request, "ann", bench.clock.now())
    async with bench.running() as runner:
        await bench.clock.advance(2.6 * HOUR)  # the second one waits for the first until its deadline is over
        await bench.end_batches()
        runner.wake()
        await bench.clock.advance(60)
    assert [one.deadline for one in await bench.submitted()] == [1_800_000_000 + HOUR + 1800]
    assert await bench.missed() == [(1, "deadline")]


async def test_a_schedule_without_a_time_zone_is_told_and_holds_up_no_other(bench: ScheduleBench) -> None:
    """Another machine may know fewer time zones than the one that stored the schedule."""
    schedule = await bench.schedules.make(schedule_request("every 1h"), "ann", bench.clock.now())
    good = await bench.schedules.make(schedule_request("every 2h", zone="Nowhere/Town"), "ann", bench.clock.now())
    bad = await bench.schedules.make(schedule_request("0 * * * *", zone="Nowhere/Town"), "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(2 * HOUR)
    found = await bench.schedules.schedule(bad.id)
    assert "no time zone 'Nowhere/Town'" in str(found.problem)
    shown = with_next_times(found.model_copy(update={"problem": None}), bench.clock.now())
    assert (shown.next_times, shown.problem) == ((), found.problem)
    assert {one.schedule for one in await bench.submitted()} == {schedule.id, good.id}


class UnsteadySchedules(ScheduleRepository):
    """A database that is away for the first few calls."""

    failures = 3

    async def active(self) -> list[ScheduleStatus]:
        if self.failures:
            self.failures -= 1
            raise DatabaseAway("the database does not answer")
        return list(await super().active())


async def test_the_runner_goes_on_once_the_database_is_back(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1h"), "ann", bench.clock.now())
    async with bench.running(UnsteadySchedules(bench.database)):
        await bench.clock.advance(HOUR)
    assert len(await bench.submitted()) == 1


async def test_batches_belong_to_the_schedules_owner(bench: ScheduleBench) -> None:
    await bench.schedules.make(schedule_request("every 1m"), "ann", bench.clock.now())
    async with bench.running():
        await bench.clock.advance(60)
    (batch,) = await bench.submitted()
    assert (batch.owner, batch.schedule, batch.tasks) == ("ann", "s1", len(BATCH.tasks))
