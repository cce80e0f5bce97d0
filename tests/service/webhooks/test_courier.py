"""Events reach their receivers: at least once, also after an outage, and nobody waits for a receiver that fails."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from aiohttp import web

from manyhands.protocol.errors import DatabaseAway
from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.events import EventKind
from manyhands.protocol.service.webhooks import DeliveryPhase, WebhookMessage, WebhookRequest
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.service.database.deliveries import AttemptOutcome
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.webhook_courier import DAY_S, CourierBounds, RetryPlan
from tests.service.webhooks.conftest import WebhookBench
from tests.service.webhooks.receiver import Receiver, answer_with, hang

HOUR = 3600.0
SELDOM = RetryPlan(Backoff(first_s=5, longest_s=2 * HOUR, jitter=0.5))
"""Attempts so seldom that a day of them takes little time."""


def phones(receiver: Receiver) -> list[str | None]:
    """The phones of the events that a receiver got, in order."""
    return [WebhookMessage.model_validate_json(one.body).data.phone for one in receiver.messages]


async def test_a_receiver_is_told_of_each_event_once(bench: WebhookBench) -> None:
    await bench.tell("before")
    async with Receiver() as receiver, bench.running():
        webhook = await bench.make(receiver.url)
        await bench.tell(*(f"p{count}" for count in range(30)))
        await bench.tell("q", kind=EventKind.PHONE_BACK)
        await bench.advance(1)
    assert sorted(map(str, phones(receiver))) == sorted(f"p{count}" for count in range(30))
    status = await bench.webhooks.webhook(webhook.id)
    assert (status.waiting, status.dead, status.problem) == (0, 0, None)


async def test_an_hour_of_a_dead_receiver_loses_no_event(bench: WebhookBench) -> None:
    async with Receiver() as receiver, bench.running():
        webhook = await bench.make(receiver.url)
        await bench.tell("first")
        await bench.advance(1)
        await receiver.go_down()
        told = ["first"]
        for minute in range(60):
            told.append(f"p{minute}")
            await bench.tell(told[-1])
            await bench.advance(60)
        status = await bench.webhooks.webhook(webhook.id)
        assert status.waiting == 60
        assert status.failing_since is not None
        assert "cannot be reached" in str(status.problem)
        attempts = sum(one.attempts for one in await bench.deliveries(webhook.id, DeliveryPhase.WAITING))
        assert attempts < 40  # one probe at a time, ever more seldom
        await receiver.come_up()
        await bench.advance(600)
        status = await bench.webhooks.webhook(webhook.id)
    assert sorted(map(str, phones(receiver))) == sorted(told)
    assert len({one.id for one in receiver.messages}) == len(told)
    assert (status.waiting, status.dead, status.failing_since) == (0, 0, None)


async def test_an_event_has_the_same_id_in_every_attempt(bench: WebhookBench) -> None:
    async with Receiver(answer_with(500)) as receiver, bench.running():
        await bench.make(receiver.url)
        await bench.tell("p")
        await bench.advance(60)
        receiver.answer = answer_with(200)
        await bench.advance(600)
    assert len(receiver.messages) > 3
    assert len({(one.id, one.body) for one in receiver.messages}) == 1
    assert len({one.headers["webhook-timestamp"] for one in receiver.messages}) == len(receiver.messages)


async def test_after_a_day_a_dead_letter_is_left_and_can_be_sent_again(bench: WebhookBench) -> None:
    async with Receiver(answer_with(500)) as receiver, bench.running(plan=SELDOM):
        webhook = await bench.make(receiver.url)
        await bench.tell("p", "q")
        await bench.advance(DAY_S + 5 * HOUR)
        dead = await bench.deliveries(webhook.id, DeliveryPhase.DEAD)
        assert [one.http_status for one in dead] == [500, 500]
        assert (await bench.webhooks.webhook(webhook.id)).dead == 2
        asked = len(receiver.messages)
        await bench.advance(5 * HOUR)
        assert len(receiver.messages) == asked
        receiver.answer = answer_with(200)
        assert await bench.webhooks.send_again(webhook.id, [dead[0].id], bench.clock.now()) == 1
        await bench.advance(1)
        assert [one.id for one in receiver.messages[asked:]] == [dead[0].id]
        assert await bench.webhooks.send_again(webhook.id, [], bench.clock.now()) == 1
        await bench.advance(1)
    status = await bench.webhooks.webhook(webhook.id)
    assert (status.waiting, status.dead) == (0, 0)


async def test_a_message_that_a_receiver_refuses_does_not_hold_up_the_next(bench: WebhookBench) -> None:
    async def refuse_some(request: web.Request) -> web.StreamResponse:
        return web.Response(status=400 if b"poison" in await request.read() else 204)

    async with Receiver(refuse_some) as receiver, bench.running():
        webhook = await bench.make(receiver.url)
        for count in range(10):
            await bench.tell("poison" if count == 3 else f"p{count}")
            await bench.advance(30)
        waiting = await bench.deliveries(webhook.id, DeliveryPhase.WAITING)
    counts = Counter(phones(receiver))
    assert [one.http_status for one in waiting] == [400]
    assert {name: count for name, count in counts.items() if name != "poison"} == {
        f"p{count}": 1 for count in range(10) if count != 3
    }


async def test_receivers_that_hang_hold_up_nobody_else(bench: WebhookBench) -> None:
    most = 4
    bounds = CourierBounds(messages=most, messages_each=2)
    async with Receiver(hang) as stuck, Receiver() as healthy, bench.running(deadline_s=0.3, bounds=bounds):
        for _ in range(most + 2):
            await bench.make(stuck.url)
        await bench.make(healthy.url)
        await bench.tell("p")
        await bench.advance(5)
        assert phones(healthy) == ["p"]
        # Now it is known which ones fail: they share half of the places, and the healthy one comes first.
        bench.clock.jump(600)
        await bench.tell("q")
        assert bench.courier is not None
        bench.courier.wake()
        while phones(healthy) != ["p", "q"]:
            assert bench.courier.in_flight <= most // 2 + 1
            await asyncio.sleep(0)


async def test_a_receiver_gets_few_messages_at_a_time(bench: WebhookBench) -> None:
    at_once = most = 0

    async def count(request: web.Request) -> web.StreamResponse:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1
        return web.Response()

    async with Receiver(count) as receiver, bench.running():
        await bench.make(receiver.url)
        await bench.tell(*(f"p{count}" for count in range(20)))
        await bench.advance(1)
    assert len(receiver.messages) == 20
    assert most <= CourierBounds().messages_each


async def test_a_receiver_that_is_gone_is_paused(bench: WebhookBench) -> None:
    async with Receiver(answer_with(410)) as receiver, bench.running():
        webhook = await bench.make(receiver.url)
        await bench.tell("p")
        await bench.advance(HOUR)
        status = await bench.webhooks.webhook(webhook.id)
        assert status.paused
        assert "410" in str(status.problem)
        assert len(receiver.messages) == 1
        receiver.answer = answer_with(200)
        await bench.tell("q")
        await bench.webhooks.set_paused(webhook.id, False, bench.clock.now())
        await bench.advance(60)
    assert set(phones(receiver)) == {"p", "q"}


async def test_a_receiver_may_ask_for_a_longer_wait(bench: WebhookBench) -> None:
    async with Receiver(answer_with(429, Retry_After="1800")) as receiver, bench.running():
        await bench.make(receiver.url)
        await bench.tell("p")
        await bench.advance(1790)
        assert len(receiver.messages) == 1
        await bench.advance(20)
        assert len(receiver.messages) == 2


async def test_events_of_batches_are_chosen_by_tags(bench: WebhookBench) -> None:
    async with Receiver() as receiver, bench.running():
        await bench.make(receiver.url, EventKind.BATCH_ACCEPTED, EventKind.PHONE_ASIDE, tags=("nightly", "smoke"))
        tasks = (TaskSpec(id="buy", goal="Buy milk."),)
        for tags in ((), ("nightly",), ("daily",), ("smoke", "daily")):
            await bench.batches.accept(BatchRequest(tasks=tasks, tags=tags), "ann", None, bench.clock.now())
        await bench.tell("p")
        await bench.advance(1)
    found: list[Any] = [WebhookMessage.model_validate_json(one.body).data for one in receiver.messages]
    assert {one.batch or one.phone for one in found} == {"b2", "b4", "p"}


async def test_a_killed_courier_repeats_only_what_it_had_begun(bench: WebhookBench) -> None:
    async with Receiver() as receiver:
        await bench.make(receiver.url)
        await bench.tell(*(f"p{count}" for count in range(40)))
        begun = 0
        for _ in range(8):
            async with bench.running():
                assert bench.courier is not None
                bench.courier.wake()
                known = len(receiver.messages)
                while len(receiver.messages) < known + 3:
                    await asyncio.sleep(0.001)
                begun += bench.courier.in_flight
        async with bench.running():
            await bench.advance(60)
        counts = Counter(one.id for one in receiver.messages)
    assert len(counts) == 40
    assert sum(counts.values()) - 40 <= begun


class UnsteadyWebhooks(WebhookRepository):
    """A database that is away when the outcomes of the first few attempts are to be stored."""

    failures = 3

    async def record(self, outcome: AttemptOutcome) -> None:
        if self.failures:
            self.failures -= 1
            raise DatabaseAway("the database does not answer")
        await super().record(outcome)


async def test_what_cannot_be_stored_is_sent_again_later(bench: WebhookBench) -> None:
    async with Receiver() as receiver, bench.running(UnsteadyWebhooks(bench.database)):
        webhook = await bench.make(receiver.url)
        await bench.tell("p")
        await bench.advance(120)
    assert 1 < len(receiver.messages) <= 4
    assert len({one.id for one in receiver.messages}) == 1
    assert [one.phase for one in await bench.deliveries(webhook.id)] == [DeliveryPhase.DELIVERED]


async def test_a_removed_webhook_gets_nothing_more(bench: WebhookBench) -> None:
    async with Receiver(answer_with(500)) as receiver, bench.running():
        webhook = await bench.make(receiver.url)
        await bench.tell("p")
        await bench.advance(1)
        await bench.webhooks.remove(webhook.id, bench.clock.now())
        await bench.tell("q")
        await bench.advance(HOUR)
        assert len(receiver.messages) == 1


async def test_a_changed_address_is_used_for_what_waits(bench: WebhookBench) -> None:
    async with Receiver() as old, Receiver() as new, bench.running():
        await old.go_down()
        webhook = await bench.make(old.url)
        await bench.tell("p")
        await bench.advance(1)
        request = WebhookRequest(url=new.url, kinds=(EventKind.PHONE_ASIDE,))
        await bench.webhooks.change(webhook.id, request, bench.clock.now())
        await bench.advance(60)
    assert phones(new) == ["p"]
