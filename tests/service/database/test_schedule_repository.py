"""Schedules are kept with their queues, and each due time is told of once."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.errors import UnknownItem
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.schedules import (
    MissedRule,
    MissedTimes,
    MissReason,
    OverlapRule,
    QueuedTime,
    ScheduleRequest,
)
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.schedule_repository import ScheduleRepository
from tests.service.database.work import AT


def nightly(**fields: Any) -> ScheduleRequest:
    check = {"source": "content://x/y", "holds": {"path": "a", "equals": 1}}
    batch = {"tasks": [{"id": "buy", "goal": "Buy milk.", "check": check}], "tags": ["night"]}
    return ScheduleRequest.model_validate({"name": "nightly", "when": "0 2 * * *", "batch": batch, **fields})


def missed(schedule: str, count: int = 1) -> MissedTimes:
    return MissedTimes(schedule=schedule, first=AT + 10, last=AT + 20, count=count, reason=MissReason.OUTAGE)


def due(number: int) -> QueuedTime:
    return QueuedTime(due=AT + number, taken_at=AT + number + 0.25)


async def test_a_schedule_is_found_as_it_was_made(database: ServiceDatabase) -> None:
    schedules = ScheduleRepository(database)
    asked = nightly(zone="Europe/Berlin", deadline_s=3600, missed="skip", overlap="cancel_old")
    made = await schedules.make(asked, "ann", AT)
    assert made == await schedules.schedule("s1")
    assert (made.id, made.owner, made.name, made.when, made.zone) == (
        "s1",
        "ann",
        "nightly",
        "0 2 * * *",
        "Europe/Berlin",
    )
    assert (made.deadline_s, made.missed, made.overlap) == (3600, MissedRule.SKIP, OverlapRule.CANCEL_OLD)
    assert made.batch == asked.batch
    assert (made.created_at, made.counted_from, made.settled_until) == (AT, AT, AT)
    assert (made.paused, made.queued, made.submitted, made.skipped, made.next_times) == (False, (), 0, 0, ())
    other = await schedules.make(nightly(paused=True), "bob", AT)
    page = await schedules.schedules(limit=1)
    assert page.items == (made,)
    assert (await schedules.schedules(page.next_cursor, 9)).items == (other,)
    assert await schedules.active() == (made,)


async def test_other_times_count_from_their_change(database: ServiceDatabase) -> None:
    schedules = ScheduleRepository(database)
    await schedules.make(nightly(), "ann", AT)
    renamed = await schedules.change("s1", nightly(name="weekly"), AT + 5)
    assert (renamed.name, renamed.counted_from, renamed.settled_until) == ("weekly", AT, AT)
    changed = await schedules.change("s1", nightly(when="every 15m"), AT + 6)
    assert (changed.counted_from, changed.settled_until, changed.created_at) == (AT + 6, AT + 6, AT)
    moved = await schedules.change("s1", nightly(when="every 15m", zone="Asia/Tokyo"), AT + 7)
    assert (moved.counted_from, moved.settled_until) == (AT + 7, AT + 7)


async def test_due_times_of_a_pause_are_forgotten(database: ServiceDatabase) -> None:
    schedules = ScheduleRepository(database)
    await schedules.make(nightly(), "ann", AT)
    paused = await schedules.set_paused("s1", True, AT + 5)
    assert (paused.paused, paused.settled_until) == (True, AT)
    assert await schedules.active() == ()
    resumed = await schedules.set_paused("s1", False, AT + 9)
    assert (resumed.paused, resumed.settled_until, resumed.counted_from) == (False, AT + 9, AT)
    assert (await schedules.set_paused("s1", False, AT + 11)).settled_until == AT + 9
    await schedules.change("s1", nightly(paused=True), AT + 12)
    assert (await schedules.change("s1", nightly(), AT + 13)).settled_until == AT + 13


async def test_a_due_time_is_submitted_once(database: ServiceDatabase) -> None:
    schedules, events = ScheduleRepository(database), EventRepository(database)
    seen = await schedules.make(nightly(), "ann", AT)
    assert await schedules.take_up(seen, AT + 30, [due(10), due(20)], [missed("s1", 3)], AT + 31)
    assert not await schedules.take_up(seen, AT + 40, [], [missed("s1")], AT + 41)  # another look came first
    await schedules.note_problem("s1", "the model is away")
    taken = await schedules.schedule("s1")
    assert (taken.settled_until, taken.queued, taken.skipped) == (AT + 30, (due(10), due(20)), 3)
    assert taken.problem == "the model is away"
    for _ in range(2):
        await schedules.note_submitted("s1", due(10), "b7", AT + 32)
    fired = await schedules.schedule("s1")
    assert (fired.queued, fired.submitted, fired.last_batch, fired.last_due) == ((due(20),), 1, "b7", AT + 10)
    assert fired.problem is None
    for _ in range(2):
        await schedules.note_dropped(due(20), missed("s1"), "the batch was refused", AT + 33)
    dropped = await schedules.schedule("s1")
    assert (dropped.queued, dropped.skipped, dropped.problem) == ((), 4, "the batch was refused")
    await schedules.take_up(dropped, AT + 50, [due(45)], [], AT + 51)
    await schedules.note_submitted("s1", due(45), None, AT + 52)
    assert (await schedules.schedule("s1")).last_batch == "b7"
    told = [
        (event.kind, event.batch, event.data.get("count"), event.data.get("due")) for event in await events.since(0, 9)
    ]
    assert told == [
        (EventKind.SCHEDULE_MISSED, None, 3, None),
        (EventKind.SCHEDULE_FIRED, "b7", None, AT + 10),
        (EventKind.SCHEDULE_MISSED, None, 1, None),
        (EventKind.SCHEDULE_FIRED, None, None, AT + 45),
    ]


@pytest.mark.parametrize("change", [nightly(when="every 15m"), nightly(zone="Asia/Tokyo"), nightly(paused=True)])
async def test_a_schedule_that_was_changed_meanwhile_is_looked_at_again(
    database: ServiceDatabase, change: ScheduleRequest
) -> None:
    schedules = ScheduleRepository(database)
    seen = await schedules.make(nightly(), "ann", AT)
    await schedules.change("s1", change, AT + 1)
    assert not await schedules.take_up(seen, AT + 30, [due(10)], [], AT + 31)
    assert (await schedules.schedule("s1")).queued == ()


async def test_a_removed_schedule_is_unknown(database: ServiceDatabase) -> None:
    schedules = ScheduleRepository(database)
    made = await schedules.make(nightly(), "ann", AT)
    await schedules.remove("s1", AT)
    for call in (
        schedules.schedule("s1"),
        schedules.remove("s1", AT),
        schedules.change("s1", nightly(), AT),
        schedules.set_paused("s1", True, AT),
        schedules.take_up(made, AT, [], [], AT),
        schedules.note_submitted("s1", due(1), "b1", AT),
        schedules.note_dropped(due(1), missed("s1"), None, AT),
        schedules.note_problem("s1", None),
        schedules.schedule("b1"),
    ):
        with pytest.raises(UnknownItem, match="schedule"):
            await call
    assert (await schedules.make(nightly(), "ann", AT)).id == "s2"
