"""Each event is delivered to the webhooks that ask for it, once, and is kept until it is accepted or given up."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import BadCursor, UnknownItem
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.service.webhooks import DeliveryPhase, WebhookRequest
from manyhands.service.database.batches.batch_repository import BatchRepository
from manyhands.service.database.deliveries import AttemptOutcome
from manyhands.service.database.engine import ServiceDatabase
from manyhands.service.database.event_repository import EventRepository
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.webhook_post import message_id
from tests.service.database.work import AT, begin, end, progress, request, result

SECRET = "whsec_c2VjcmV0"
WAITING, DELIVERED, DEAD = DeliveryPhase.WAITING, DeliveryPhase.DELIVERED, DeliveryPhase.DEAD


def hook(**fields: Any) -> WebhookRequest:
    return WebhookRequest.model_validate({"url": "https://example.org/hook", **fields})


async def end_batch(database: ServiceDatabase, *tags: str) -> str:
    """A batch of which one task is done and one has failed; its id."""
    batches = BatchRepository(database)
    made, _ = await batches.accept(request("a", "b", tags=tags), "ann", None, AT)
    await end(batches, result(f"{made.id}.a"))
    await end(batches, result(f"{made.id}.b", Ending.STEP_LIMIT))
    return made.id


def outcome(delivery: str, at: float, problem: str | None = None, **fields: Any) -> AttemptOutcome:
    phase = fields.pop("phase", DELIVERED if problem is None else WAITING)
    again = at + 60 if phase is WAITING else None
    return AttemptOutcome(
        delivery, fields.pop("webhook", "w1"), at, phase, again, fields.pop("status", None), problem, **fields
    )


async def test_a_webhook_is_found_as_it_was_made(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await end_batch(database)
    made = await webhooks.make(hook(name="chat", tags=["x"], kinds=["batch.ended"]), "ann", SECRET, AT)
    assert (made.id, made.secret, made.owner, made.name, made.tags) == ("w1", SECRET, "ann", "chat", ("x",))
    assert made.cursor == await EventRepository(database).last_id()
    found = await webhooks.webhook("w1")
    assert found.model_dump() == made.model_dump(exclude={"secret"})
    other = await webhooks.make(hook(), "bob", SECRET, AT)
    page = await webhooks.webhooks(limit=1)
    assert page.items == (found,)
    assert [one.id for one in (await webhooks.webhooks(page.next_cursor, 1)).items] == [other.id]
    changed = await webhooks.change("w1", hook(url="http://localhost:1/"), AT + 1)
    assert (changed.url, changed.tags, changed.cursor) == ("http://localhost:1/", (), made.cursor)
    assert await webhooks.collect(AT, 99) == 0  # earlier events are not sent


async def test_a_webhook_gets_the_events_that_it_asks_for(database: ServiceDatabase) -> None:
    webhooks, events = WebhookRepository(database), EventRepository(database)
    await webhooks.make(hook(), "ann", SECRET, AT)
    await webhooks.make(hook(kinds=["batch.ended", "schedule.fired"], tags=["night", "day"]), "ann", SECRET + "AA", AT)
    await end_batch(database, "night", "day")
    await end_batch(database, "shop")
    fired = ServiceEvent(id=0, at=AT, kind=EventKind.SCHEDULE_FIRED, batch="b2")
    await events.append([fired, ServiceEvent(id=0, at=AT, kind=EventKind.PHONE_ASIDE, phone="p1")])
    assert await webhooks.collect(AT + 30, 99) == 2 * await events.last_id()
    assert await webhooks.collect(AT + 30, 99) == 0
    due = await webhooks.due(AT + 30, 99)
    told = [(one.webhook, one.event.kind.value, one.event.batch) for one in due]
    assert told == [
        ("w1", "task.failed", "b1"),
        ("w1", "batch.ended", "b1"),
        ("w1", "task.failed", "b2"),
        ("w1", "batch.ended", "b2"),
        ("w1", "phone.aside", None),
        ("w2", "batch.ended", "b1"),
        ("w2", "schedule.fired", "b2"),
    ]
    assert [one.id for one in due] == [message_id(one.secret, one.event.id) for one in due]
    assert len({one.id for one in due}) == len(due)
    assert (due[0].url, due[0].secret, due[0].attempts) == ("https://example.org/hook", SECRET, 0)
    assert due[0].event in await events.since(0, 99)
    assert ((await webhooks.webhook("w1")).waiting, (await webhooks.webhook("w2")).waiting) == (5, 2)


async def test_events_without_interest_move_the_cursor_now_and_then(database: ServiceDatabase) -> None:
    webhooks, batches = WebhookRepository(database), BatchRepository(database)
    await webhooks.make(hook(), "ann", SECRET, AT)
    await batches.accept(request("a"), "ann", None, AT)
    await begin(batches, "b1.a", "b1.a-1", "p1", AT)
    assert await webhooks.collect(AT, 500) == 0
    for step in range(1, 4):
        await batches.record_progress([progress("b1.a", step)], AT)
    assert await webhooks.collect(AT, 5) == 5
    await end(batches, result("b1.a"))
    assert await webhooks.collect(AT, 500) == 2
    assert [one.event.kind.value for one in await webhooks.due(AT, 9)] == ["batch.ended"]


async def test_attempts_are_recorded_until_one_succeeds(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["batch.ended"]), "ann", SECRET, AT)
    await end_batch(database)
    await webhooks.collect(AT + 30, 99)
    (first,) = await webhooks.due(AT + 30, 9)
    assert await webhooks.next_due(AT + 29) == AT + 30
    assert await webhooks.next_due(AT + 30) is None
    await webhooks.record(outcome(first.id, AT + 31, "status 500", status=500))
    assert await webhooks.due(AT + 90, 9) == []
    assert await webhooks.next_due(AT + 31) == AT + 91
    (again,) = await webhooks.due(AT + 91, 9)
    assert (again.attempts, again.first_attempt_at, again.failing_since) == (1, AT + 31, AT + 31)
    failing = await webhooks.webhook("w1")
    assert (failing.waiting, failing.failing_since, failing.problem) == (1, AT + 31, "status 500")
    await webhooks.record(outcome(first.id, AT + 92, "no answer"))
    assert (await webhooks.webhook("w1")).failing_since == AT + 31
    await webhooks.record(outcome(first.id, AT + 153, status=204))
    (delivery,) = (await webhooks.deliveries("w1")).items
    assert (delivery.phase, delivery.attempts, delivery.ended_at, delivery.http_status) == (DELIVERED, 3, AT + 153, 204)
    assert (delivery.next_attempt_at, delivery.first_attempt_at, delivery.problem) == (None, AT + 31, "no answer")
    well = await webhooks.webhook("w1")
    assert (well.waiting, well.failing_since, well.problem, well.last_delivered_at) == (0, None, None, AT + 153)
    assert await webhooks.next_due(0) is None
    assert await webhooks.forget_deliveries(AT + 153) == 0
    assert await webhooks.forget_deliveries(AT + 154) == 1
    assert (await webhooks.deliveries("w1")).items == ()


async def test_after_an_outage_all_that_waits_is_due_at_once(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["task.failed", "batch.ended"]), "ann", SECRET, AT)
    await end_batch(database)
    await webhooks.collect(AT, 99)
    first, second = await webhooks.due(AT, 9)
    for one in (first, second):
        await webhooks.record(outcome(one.id, AT + 1, "no answer"))
    await webhooks.record(outcome(first.id, AT + 62, is_recovery=True))
    assert [one.id for one in await webhooks.due(AT + 62, 9)] == [second.id]
    assert [one.next_attempt_at for one in (await webhooks.deliveries("w1")).items] == [None, AT + 62]


async def test_a_paused_webhook_gets_nothing_before_its_pause_ends(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["batch.ended"]), "ann", SECRET, AT)
    await end_batch(database)
    await webhooks.collect(AT, 99)
    assert (await webhooks.set_paused("w1", True, AT)).paused
    await end_batch(database)
    assert await webhooks.collect(AT, 99) == 0
    assert await webhooks.due(AT, 9) == []
    assert await webhooks.next_due(0) is None
    await webhooks.set_paused("w1", False, AT)
    assert await webhooks.collect(AT, 99) > 0
    assert [one.event.batch for one in await webhooks.due(AT, 9)] == ["b1", "b2"]
    assert [one.event.batch for one in await webhooks.due(AT, 1)] == ["b1"]


async def test_dead_letters_are_kept_and_can_be_sent_again(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["task.failed", "batch.ended"]), "ann", SECRET, AT)
    await end_batch(database)
    await webhooks.collect(AT, 99)
    first, second = await webhooks.due(AT, 9)
    await webhooks.record(outcome(first.id, AT + 1, "no answer", phase=DEAD))
    assert await webhooks.give_up("w1", AT, AT + 2, "a day") == 0
    assert await webhooks.give_up("w1", AT + 1, AT + 2, "a day") == 1
    assert ((await webhooks.webhook("w1")).waiting, (await webhooks.webhook("w1")).dead) == (0, 2)
    dead = (await webhooks.deliveries("w1", DEAD)).items
    assert [(one.id, one.problem, one.ended_at) for one in dead] == [
        (first.id, "no answer", AT + 1),
        (second.id, "a day", AT + 2),
    ]
    await webhooks.record(outcome(second.id, AT + 3, "no answer"))  # the attempt was on its way
    assert (await webhooks.webhook("w1")).dead == 2
    assert await webhooks.forget_deliveries(AT + 99) == 0
    assert await webhooks.send_again("w1", [first.id, "msg_x_9"], AT + 50) == 1
    (waiting,) = (await webhooks.deliveries("w1", WAITING)).items
    assert (waiting.id, waiting.created_at, waiting.first_attempt_at, waiting.ended_at) == (
        first.id,
        AT + 50,
        None,
        None,
    )
    assert await webhooks.send_again("w1", [], AT + 51) == 1
    assert [one.id for one in await webhooks.due(AT + 51, 9)] == [first.id, second.id]
    await webhooks.record(outcome(second.id, AT + 52))
    assert ((await webhooks.webhook("w1")).waiting, (await webhooks.webhook("w1")).dead) == (1, 0)


async def test_deliveries_are_listed_in_parts(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["batch.ended"]), "ann", SECRET, AT)
    for _ in range(3):
        await end_batch(database)
    await webhooks.collect(AT, 99)
    page = await webhooks.deliveries("w1", limit=2)
    rest = await webhooks.deliveries("w1", cursor=page.next_cursor, limit=2)
    numbers = [one.event for one in (*page.items, *rest.items)]
    assert (len(numbers), numbers, rest.next_cursor) == (3, sorted(numbers), None)
    assert {one.kind for one in page.items} == {EventKind.BATCH_ENDED}
    with pytest.raises(BadCursor):
        await webhooks.deliveries("w1", cursor="x")


async def test_a_removed_webhook_is_unknown_and_so_are_its_deliveries(database: ServiceDatabase) -> None:
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(), "ann", SECRET, AT)
    await end_batch(database)
    await webhooks.collect(AT, 99)
    first, *_ = await webhooks.due(AT, 9)
    await webhooks.remove("w1", AT)
    await webhooks.record(outcome(first.id, AT))
    assert await webhooks.due(AT, 9) == []
    for call in (
        webhooks.webhook("w1"),
        webhooks.remove("w1", AT),
        webhooks.change("w1", hook(), AT),
        webhooks.set_paused("w1", True, AT),
        webhooks.give_up("w1", AT, AT, ""),
        webhooks.deliveries("w1"),
        webhooks.send_again("w1", [], AT),
        webhooks.webhook("s1"),
    ):
        with pytest.raises(UnknownItem, match="webhook"):
            await call
    assert (await webhooks.make(hook(), "ann", SECRET, AT)).id == "w2"


async def test_a_webhook_whose_receiver_is_slow_takes_no_more_than_its_bound(
    database: ServiceDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.service.database.deliveries.MOST_WAITING", 2)
    webhooks = WebhookRepository(database)
    await webhooks.make(hook(kinds=["batch.ended"]), "ann", SECRET, AT)
    for _ in range(4):
        await end_batch(database)
    assert await webhooks.collect(AT, 12) == 12
    assert await webhooks.collect(AT, 12) == 0
    assert (await webhooks.webhook("w1")).waiting == 2
    for one in await webhooks.due(AT, 9):
        await webhooks.record(outcome(one.id, AT))
    assert await webhooks.collect(AT, 12) == 8
