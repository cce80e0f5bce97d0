"""Events are numbered in the order in which they become visible; whoever follows them misses none."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventFilter, EventRepository
from tests.service.database.work import AT, begin, end, progress, request, result


def outage(serial: str, at: float = AT) -> ServiceEvent:
    return ServiceEvent(
        id=0, at=at, kind=EventKind.PHONE_AWAY, phone=serial, data={"reason": "unplugged", "n": [1, None]}
    )


async def test_events_are_read_as_they_were_appended(database: ServiceDatabase) -> None:
    events = EventRepository(database)
    assert await events.last_id() == 0
    await events.append([outage("p1"), outage("p2", AT + 1)])
    await events.append([])
    first, second = await events.since(0, 9)
    assert (first.phone, first.at, first.data) == ("p1", AT, {"reason": "unplugged", "n": [1, None]})
    assert first.id < second.id == await events.last_id()
    assert await events.since(first.id, 9) == (second,)
    assert await events.since(0, 1) == (first,)
    assert await events.since(second.id, 9) == ()
    assert await events.since(10**30, 9) == ()
    assert await events.since(-(10**30), 10**30) == (first, second)
    assert await events.since(0, 9, EventFilter(batch="b\0", task="\ud800")) == ()


async def test_filters_choose_events(database: ServiceDatabase) -> None:
    batches, events = BatchRepository(database), EventRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    await batches.accept(request("a"), "bob", None, AT)
    await begin(batches, "b2.a", "e1", "p1", AT)
    await events.append([outage("p1")])

    async def found(**chosen: object) -> list[str]:
        return [event.kind.value for event in await events.since(0, 9, EventFilter(**chosen))]  # type: ignore[arg-type]

    assert await found(batch="b1") == ["batch.accepted"]
    assert await found(batch="b2") == ["batch.accepted", "task.began"]
    assert await found(task="b2.a") == ["task.began"]
    assert await found(phone="p1") == ["task.began", "phone.away"]
    assert await found(phone="p1", kinds=(EventKind.PHONE_AWAY, EventKind.BATCH_ACCEPTED)) == ["phone.away"]


async def test_steps_are_forgotten_and_nothing_else(database: ServiceDatabase) -> None:
    batches, events = BatchRepository(database), EventRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    await begin(batches, "b1.a", "b1.a-1", "p1", AT)
    for step in range(1, 5):
        await batches.record_progress([progress("b1.a", step)], AT + step)
    last = await events.last_id()
    assert await events.forget_steps(AT + 3) == 2
    assert [event.at for event in await events.since(0, 9) if event.kind is EventKind.TASK_STEP] == [AT + 3, AT + 4]
    assert await events.forget_steps(AT + 99) == 2
    assert [event.kind.value for event in await events.since(0, 9)] == ["batch.accepted", "task.began"]
    await end(batches, result("b1.a"))
    assert min(event.id for event in await events.since(2, 9)) > last  # a forgotten number is not used again


async def test_numbers_are_not_used_again_after_a_restart(url: str) -> None:
    database = await ServiceDatabase.open(url)
    batches = BatchRepository(database)
    await batches.accept(request("a"), "ann", None, AT)
    await begin(batches, "b1.a", "b1.a-1", "p1", AT)
    await batches.record_progress([progress("b1.a", 1)], AT)
    last = await EventRepository(database).last_id()
    await EventRepository(database).forget_steps(AT + 1)
    await database.close()
    database = await ServiceDatabase.open(url)
    events = EventRepository(database)
    await events.append([outage("p1")])
    assert await events.last_id() > last
    await database.close()


async def test_those_who_wait_wake_with_the_next_event(database: ServiceDatabase) -> None:
    events = EventRepository(database)
    assert not await events.wait(0, 0.01)
    waits = [asyncio.create_task(events.wait(0, 60)) for _ in range(20)]
    await asyncio.sleep(0)
    await BatchRepository(database).accept(request("a"), "ann", None, AT)
    assert all(await asyncio.gather(*waits))
    assert await events.wait(0, 60)
    assert not await events.wait(await events.last_id(), 0.01)


async def test_a_transaction_that_fails_wakes_nobody(database: ServiceDatabase) -> None:
    events = EventRepository(database)

    async def fail() -> None:
        async with database.write() as change:
            await change.append([outage("p1")])
            raise RuntimeError("meanwhile")

    with pytest.raises(RuntimeError, match="meanwhile"):
        await fail()
    assert not await events.wait(0, 0.01)
    assert await events.since(0, 9) == ()


async def test_a_follower_gets_each_event_of_many_writers_once_and_in_order(url: str) -> None:
    """Two services' worth of connections write at once; numbers must not become visible out of turn."""
    databases = [await ServiceDatabase.open(url) for _ in range(2)]
    follower = EventRepository(databases[0])
    count = 60

    async def write(number: int) -> None:
        await EventRepository(databases[number % 2]).append([outage(f"p{number}"), outage(f"q{number}")])

    async def follow() -> list[ServiceEvent]:
        seen: list[ServiceEvent] = []
        while len(seen) < 2 * count:
            last = seen[-1].id if seen else 0
            new = await follower.since(last, 7)
            seen += new
            if not new:
                await follower.wait(last, 0.05)
        return seen

    seen, *_ = await asyncio.gather(follow(), *(write(number) for number in range(count)))
    assert [event.id for event in seen] == sorted({event.id for event in seen})
    assert {event.phone for event in seen} == {f"{kind}{number}" for number in range(count) for kind in "pq"}
    for database in databases:
        await database.close()
