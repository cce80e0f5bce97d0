"""Batches are stored once, whole, and found again."""

from __future__ import annotations

import asyncio
import time

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadCursor, KeyReused, PhaseConflict, UnknownItem
from manyhands.protocol.service.batches import BatchPhase, BatchRequest, TaskPhase
from manyhands.protocol.service.events import EventKind
from manyhands.service.database.batches.batch_counts import TaskTotals
from manyhands.service.database.batches.batch_queries import BatchFilter, TaskFilter
from manyhands.service.database.batches.batch_repository import MOST_WRITTEN, BatchRepository
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from tests.service.database.work import AT, begin, end, request, result


async def test_a_batch_is_found_as_it_was_submitted(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    asked = request("buy", "sell", name="night", tags=("a", "a", "ü"), priority=60, phones="lab=north", deadline=AT + 9)
    made, is_new = await batches.accept(asked, "ann", None, AT)
    assert is_new
    assert made == await batches.batch(made.id)
    assert (made.id, made.name, made.owner, made.priority, made.tags) == ("b1", "night", "ann", 60, ("a", "a", "ü"))
    assert (made.phase, made.submitted_at, made.deadline, made.phones) == (BatchPhase.OPEN, AT, AT + 9, "lab=north")
    assert (made.tasks, made.waiting, made.running, made.done, made.failed) == (2, 2, 0, 0, 0)
    task = await batches.task("b1.buy")
    assert (task.batch, task.goal, task.phase, task.priority) == ("b1", "Do buy.", TaskPhase.WAITING, 60)
    assert task.ending is None


async def test_the_fleet_gets_tasks_with_all_that_their_batch_says(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    tasks = [
        {"id": "a", "goal": "Do a.", "priority": 70, "phones": "model=pixel", "hints": "Use search."},
        {"id": "a.2", "goal": "Do a.", "repeat_of": "a", "answer": {"schema": {"type": "integer"}}},
    ]
    await batches.accept(
        BatchRequest.model_validate({"tasks": tasks, "priority": 60, "phones": "lab=north"}), "ann", None, AT
    )
    (group,) = await batches.not_handed_over(10)
    first, second = group.tasks
    assert (group.id, group.batch, group.owner, group.paused, group.cancelled) == ("b1", "b1", "ann", (), {})
    assert (first.id, first.priority, first.phones) == ("b1.a", 100, "lab=north, model=pixel")
    assert first.hints == "Use search."
    assert (second.id, second.priority, second.repeat_of, second.phones) == ("b1.a.2", 60, "b1.a", "lab=north")
    assert second.answer is not None
    assert second.answer.schema_ == {"type": "integer"}


async def test_groups_are_offered_until_the_fleet_has_them(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    for name in ("a", "b", "c"):
        await batches.accept(request(name), "ann", None, AT)
    assert [group.id for group in await batches.not_handed_over(2)] == ["b1", "b2"]
    assert [group.id for group in await batches.not_handed_over(2)] == ["b1", "b2"]
    await batches.mark_handed_over("b1", "/runs/7")
    assert [group.id for group in await batches.not_handed_over(9)] == ["b2", "b3"]
    assert (await batches.batch("b1")).run == "/runs/7"
    assert (await batches.batch("b2")).run is None
    with pytest.raises(UnknownItem, match="b9"):
        await batches.mark_handed_over("b9", "/runs/7")


async def test_the_same_key_gives_the_first_batch_also_after_a_restart(url: str) -> None:
    asked = request("buy", each={"check": {"source": "content://x/y", "holds": {"path": "a", "equals": 1}}})
    for count in range(2):
        database = await ServiceDatabase.open(url)
        batches = BatchRepository(database)
        made, is_new = await batches.accept(asked, "ann", "key-1", AT + count)
        assert (made.id, made.submitted_at, is_new) == ("b1", AT, count == 0)
        with pytest.raises(KeyReused, match=r"'key-1' belongs to b1"):
            await batches.accept(request("sell"), "ann", "key-1", AT)
        await database.close()
    database = await ServiceDatabase.open(url)
    other, is_new = await BatchRepository(database).accept(asked, "bob", "key-1", AT)
    assert (other.id, is_new) == ("b2", True)
    await database.close()


async def test_checks_of_another_kind_make_another_body(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    check = {"source": "content://x/y", "holds": {"path": "a", "equals": 1}}
    await batches.accept(request("buy", each={"check": check}), "ann", "k", AT)
    with pytest.raises(KeyReused):
        await batches.accept(
            request("buy", each={"check": {**check, "holds": {"path": "a", "equals": 2}}}), "ann", "k", AT
        )


async def test_one_key_at_the_same_time_makes_one_batch(url: str) -> None:
    """Two processes' worth of connections, twenty requests at once."""
    databases = [await ServiceDatabase.open(url) for _ in range(2)]
    asked = request("buy", "sell")
    answers = await asyncio.gather(
        *(BatchRepository(databases[number % 2]).accept(asked, "ann", "k", AT + number) for number in range(20))
    )
    assert {made.id for made, _ in answers} == {"b1"}
    assert [is_new for _, is_new in answers].count(True) == 1
    assert len((await BatchRepository(databases[0]).batches()).items) == 1
    for database in databases:
        await database.close()


async def test_a_thousand_tasks_are_accepted_in_one_call(database: ServiceDatabase) -> None:
    """The service has two seconds for them; here ten times as much processor time, for slow machines."""
    asked = request(*(f"task-{number}" for number in range(1000)), each={"tags": ["nightly", "shop"]})
    began = time.process_time()
    made, _ = await BatchRepository(database).accept(asked, "ann", "k", AT)
    assert time.process_time() - began < 10
    assert (made.tasks, made.waiting) == (1000, 1000)


async def test_lists_are_read_in_parts_that_never_overlap(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    for number in range(7):
        await batches.accept(request(f"t{number}", "x"), "ann", None, AT + number)
    seen: list[str] = []
    cursor = None
    while True:
        part = await batches.batches(cursor=cursor, limit=3)
        seen += [batch.id for batch in part.items]
        await batches.accept(request("late"), "ann", None, AT)  # newer ones come before the first part
        cursor = part.next_cursor
        if cursor is None:
            break
    assert seen == ["b7", "b6", "b5", "b4", "b3", "b2", "b1"]
    first = await batches.tasks(limit=3)
    assert [task.id for task in first.items] == ["b1.t0", "b1.x", "b2.t1"]
    second = await batches.tasks(cursor=first.next_cursor, limit=2)
    assert [task.id for task in second.items] == ["b2.x", "b3.t2"]
    with pytest.raises(BadCursor, match="next_cursor"):
        await batches.tasks(cursor="b1")
    with pytest.raises(BadCursor):
        await batches.batches(cursor="YWZ0ZXIgMTIzNDU2Nzg5MDEyMzQ1Njc4OTA")
    assert len((await batches.tasks(limit=0)).items) == 1


async def test_filters_choose_what_fits_all_of_them(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("a", "b", tags=("x", "y"), each={"tags": ["t"]}), "ann", None, AT)
    await batches.accept(request("c", tags=("y",)), "bob", None, AT, "s1")
    await batches.accept(request("d"), "bob", None, AT)
    await begin(batches, "b1.a", "e1", "p1", AT)
    await end(batches, result("b1.a"))
    await begin(batches, "b2.c", "e2", "p2", AT)

    async def found(**chosen: object) -> list[str]:
        return [task.id for task in (await batches.tasks(TaskFilter(**chosen))).items]  # type: ignore[arg-type]

    async def found_batches(**chosen: object) -> list[str]:
        return [batch.id for batch in (await batches.batches(BatchFilter(**chosen))).items]  # type: ignore[arg-type]

    assert await found(batch="b1") == ["b1.a", "b1.b"]
    assert await found(owner="bob") == ["b2.c", "b3.d"]
    assert await found(phase=TaskPhase.WAITING) == ["b1.b", "b3.d"]
    assert await found(phase=TaskPhase.WAITING, owner="ann") == ["b1.b"]
    assert await found(tag="t") == ["b1.a", "b1.b"]
    assert await found(tag="t", is_done=True) == ["b1.a"]
    assert await found(phone="p2") == ["b2.c"]
    assert await found(ending=Ending.FINISHED) == ["b1.a"]
    assert await found(is_done=False) == []
    assert await found_batches(owner="bob") == ["b3", "b2"]
    assert await found_batches(tag="y") == ["b2", "b1"]
    assert await found_batches(tag="y", owner="ann") == ["b1"]
    assert await found_batches(schedule="s1") == ["b2"]
    assert await found_batches(phase=BatchPhase.ENDED) == []
    assert await found_batches(owner="nobody\0") == []
    with pytest.raises(UnknownItem, match="b9: the service has no such batch"):
        await found(batch="b9")


@pytest.mark.parametrize(
    "id",
    ["", "b", "b0", "b01", "b2", "t1", "b9999999999999999999", "b1;", "b1.", "17", "b1.\0", "b1.\ud800", "x" * 500],
)
async def test_ids_that_name_nothing_are_unknown(database: ServiceDatabase, id: str) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("buy"), "ann", None, AT)
    with pytest.raises(UnknownItem):
        await batches.batch(id)
    with pytest.raises(UnknownItem):
        await batches.task(id)
    with pytest.raises(UnknownItem):
        await batches.cancel([id], AT, "")


async def test_texts_that_postgresql_cannot_hold_are_mended(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    asked = BatchRequest.model_validate(
        {"tasks": [{"id": "a", "goal": "Buy\0milk.", "tags": ["t\0"]}], "name": "n\0", "tags": ["x\0", "x\ufffd"]}
    )
    made, _ = await batches.accept(asked, "ann", "k\0", AT)
    assert made.name == "n\ufffd"
    assert (await batches.task("b1.a")).goal == "Buy\ufffdmilk."
    assert [batch.id for batch in (await batches.batches(BatchFilter(tag="x\0"))).items] == ["b1"]
    assert not (await batches.accept(asked, "ann", "k\0", AT))[1]
    await begin(batches, "b1.a", "e1", "p\ud800", AT)
    assert (await batches.task("b1.a")).phone == "p?"


async def test_retries_that_are_stored_before_a_conflict_are_returned(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    ids = [f"t{number}" for number in range(MOST_WRITTEN + 1)]
    await batches.accept(request(*ids), "ann", None, AT)
    await batches.record_results([result(f"b1.{id}", Ending.STEP_LIMIT) for id in ids[:-1]])
    made = await batches.retry([f"b1.{id}" for id in ids], AT)
    assert [task.retry_of for task in made] == [f"b1.{id}" for id in ids[:-1]]


async def test_others_write_while_many_results_are_recorded(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    ids = [f"t{number}" for number in range(2 * MOST_WRITTEN + 1)]
    await batches.accept(request(*ids), "ann", None, AT)
    recording = asyncio.create_task(batches.record_results([result(f"b1.{id}", Ending.STEP_LIMIT) for id in ids]))
    await batches.accept(request("a"), "bea", None, AT)
    assert not recording.done()
    assert await recording == [f"b1.{id}" for id in ids]
    batch = await batches.batch("b1")
    assert (batch.phase, batch.waiting, batch.failed) == (BatchPhase.ENDED, 0, len(ids))


async def test_two_tries_of_a_task_are_not_asked_for_at_once(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    await batches.accept(request("buy"), "ann", None, AT)
    await end(batches, result("b1.buy", Ending.STEP_LIMIT))
    await batches.retry(["b1.buy"], AT)
    await end(batches, result("b1.buy.r2", Ending.STEP_LIMIT))
    with pytest.raises(PhaseConflict, match="at once"):
        await batches.retry(["b1.buy", "b1.buy.r2"], AT)


async def test_an_ended_task_can_be_asked_for_again(database: ServiceDatabase) -> None:
    batches, events = BatchRepository(database), EventRepository(database)
    await batches.accept(request("buy", "buy.r2", deadline=AT + 25), "ann", None, AT)
    for group in await batches.not_handed_over(9):
        await batches.mark_handed_over(group.id, "/runs/1")
    with pytest.raises(PhaseConflict, match=r"b1\.buy has not ended"):
        await batches.retry(["b1.buy"], AT)
    await end(batches, result("b1.buy", Ending.STEP_LIMIT))
    await end(batches, result("b1.buy.r2"))
    assert (await batches.batch("b1")).phase is BatchPhase.ENDED
    (again,) = await batches.retry(["b1.buy"], AT + 30)
    assert (again.id, again.retry_of, again.phase, again.goal) == ("b1.buy.r3", "b1.buy", TaskPhase.WAITING, "Do buy.")
    batch = await batches.batch("b1")
    assert (batch.phase, batch.ended_at, batch.tasks, batch.waiting) == (BatchPhase.OPEN, None, 3, 1)
    assert (batch.done, batch.failed, batch.retried) == (1, 0, 1)
    assert batch.deadline is None  # it has passed, and would end the task at once
    (group,) = await batches.not_handed_over(9)
    assert (group.id, group.batch, [task.id for task in group.tasks]) == ("b1+1", "b1", ["b1.buy.r3"])
    with pytest.raises(PhaseConflict, match=r"b1\.buy\.r3 has not ended"):
        await batches.retry(["b1.buy"], AT)
    await end(batches, result("b1.buy.r3"))
    (again,) = await batches.retry(["b1.buy.r3", "b1.buy.r3"], AT + 40)
    assert (again.id, again.retry_of) == ("b1.buy.r4", "b1.buy.r3")
    told = [
        (event.task, event.data["retry_of"])
        for event in await events.since(0, 99)
        if event.kind is EventKind.TASK_RETRIED
    ]
    assert told == [("b1.buy.r3", "b1.buy"), ("b1.buy.r4", "b1.buy.r3")]
    assert await batches.totals() == TaskTotals(waiting=1, running=0, ended=3)
    with pytest.raises(UnknownItem):
        await batches.retry(["b1.buy.r4", "b1.sell"], AT)


async def test_a_call_that_was_given_up_leaves_the_database_usable(database: ServiceDatabase) -> None:
    batches = BatchRepository(database)
    for turns in range(12):
        call = asyncio.create_task(batches.accept(request("a", "b"), "ann", f"k{turns}", AT))
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    made, _ = await batches.accept(request("a", "b"), "ann", "last", AT)
    stored = (await batches.batches(limit=99)).items
    assert stored[0] == made
    assert [(batch.tasks, batch.waiting) for batch in stored] == [(2, 2)] * len(stored)
