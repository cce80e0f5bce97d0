"""Send webhooks their events: at least once, a bounded number at a time, until each delivery has ended.

A delivery is stored before its first attempt, and what came of each attempt afterwards. So a process that dies in
between repeats at most the attempts that it had begun; receivers know them by their ids.

While a receiver fails, it gets one message at a time, with waits that grow. Messages to others do not wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from manyhands.actors.clock import Clock
from manyhands.protocol.service.webhooks import DeliveryPhase
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.service.database.deliveries import AttemptOutcome, DueDelivery
from manyhands.service.database.webhook_repository import WebhookRepository
from manyhands.service.recurring_work import RecurringWork
from manyhands.service.webhook_post import MessagePost, PostAnswer, sign_message, write_body

log = logging.getLogger(__name__)
DAY_S = 86400.0
_WAITS = Backoff(first_s=5.0, longest_s=600.0, jitter=0.5)
EVENTS_AT_ONCE = 500
"""How many events are looked at for each webhook in one transaction."""
OUTAGE_S = 30.0
"""How long a receiver must have failed for its next success to count as the end of an outage."""
KEPT_S = 7 * DAY_S
"""How long deliveries that a receiver accepted are kept for people to look at."""


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """Say when a delivery that failed is tried again, and when it is given up."""

    backoff: Backoff = _WAITS
    """The waits, unless the receiver asks for longer ones."""
    longest_asked_s: float = 3600.0
    """The longest wait that a receiver can ask for (``Retry-After``)."""
    give_up_s: float = DAY_S
    """How long after its first attempt a delivery is given up."""

    def wait_s(self, failures: int, random: Random, asked_s: float | None = None) -> float:
        """Return how many seconds to wait after ``failures`` failures in a row (at least one)."""
        return max(self.backoff.wait_s(failures, random.random), min(asked_s or 0.0, self.longest_asked_s))

    def next_attempt(
        self, first_attempt_at: float, failures: int, now: float, random: Random, asked_s: float | None = None
    ) -> float | None:
        """Return when a delivery that failed now is tried again; None if it is given up."""
        end = first_attempt_at + self.give_up_s
        if now >= end:
            return None
        return min(now + self.wait_s(failures, random, asked_s), end)


@dataclass(frozen=True, slots=True)
class CourierBounds:
    """Bound how much is sent at a time."""

    messages: int = 32
    """To all receivers together. Those that fail now share half of it."""
    messages_each: int = 4
    """To each receiver."""


class WebhookCourier:
    """Deliver the events of a service to its webhooks."""

    def __init__(
        self,
        store: WebhookRepository,
        post: MessagePost,
        clock: Clock,
        plan: RetryPlan | None = None,
        bounds: CourierBounds | None = None,
        random: Random | None = None,
        poll_s: float = 1.0,
    ) -> None:
        """Look for events each ``poll_s``: they come in hundreds a second, and none is urgent."""
        self._store = store
        self._post = post
        self._clock = clock
        self._plan = plan or RetryPlan()
        self._bounds = bounds or CourierBounds()
        self._random = random or Random()
        self._work = RecurringWork("webhooks", self._send_due, clock, longest_wait_s=poll_s)
        self._attempts: dict[str, asyncio.Task[None]] = {}
        self._ended: set[str] = set()
        """Deliveries whose attempts ended while due deliveries were read: what was read of them is out of date."""
        self._in_flight: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._not_before: dict[str, float] = {}
        self._forget_at = 0.0

    @property
    def in_flight(self) -> int:
        """Return how many messages are on their way."""
        return len(self._attempts)

    def wake(self) -> None:
        """Look at once: a webhook was changed."""
        self._work.wake()

    async def run(self) -> None:
        """Deliver until cancelled."""
        try:
            await self._work.run()
        finally:
            for attempt in self._attempts.values():
                attempt.cancel()
            await asyncio.gather(*self._attempts.values(), return_exceptions=True)

    async def _send_due(self) -> float:
        """Begin the attempts that are due. Return when to look again."""
        now = self._clock.now()
        if now >= self._forget_at:
            await self._store.forget_deliveries(now - KEPT_S)
            self._forget_at = now + DAY_S / 24
        looked_at = await self._store.collect(now, EVENTS_AT_ONCE)
        due = defaultdict[str, list[DueDelivery]](list)
        self._ended.clear()
        for delivery in await self._store.due(now, self._bounds.messages_each):
            due[delivery.webhook].append(delivery)
        for deliveries in sorted(due.values(), key=lambda some: some[0].failing_since is not None):
            self._begin(deliveries, now)
        if looked_at:
            return now  # there may be more
        later = [at for at in self._not_before.values() if at > now]
        following = await self._store.next_due(now)
        return min([*later, *([] if following is None else [following])], default=float("inf"))

    def _begin(self, deliveries: Sequence[DueDelivery], now: float) -> None:
        """Begin attempts for one webhook, as many as the bounds allow."""
        webhook, is_failing = deliveries[0].webhook, deliveries[0].failing_since is not None
        if self._not_before.get(webhook, 0.0) > now:
            return
        each = 1 if is_failing else self._bounds.messages_each
        total = self._bounds.messages // 2 if is_failing else self._bounds.messages
        for delivery in deliveries:
            if self._in_flight[webhook] >= each or len(self._attempts) >= total:
                return
            if delivery.id not in self._attempts and delivery.id not in self._ended:
                self._in_flight[webhook] += 1
                self._attempts[delivery.id] = asyncio.create_task(self._attempt(delivery))

    async def _attempt(self, delivery: DueDelivery) -> None:
        """Make one attempt, and store what came of it."""
        try:
            now = self._clock.now()
            body = write_body(delivery.event)
            headers = sign_message(delivery.secret, delivery.id, body, now)
            answer = await self._post.send(delivery.url, headers, body, now)
            await self._record(delivery, answer, now)
        except Exception as error:  # noqa: BLE001 (else the same attempt would begin again at once, without end)
            log.warning("webhook %s: what came of %s is not stored: %s", delivery.webhook, delivery.id, error)
            self._put_off(delivery.webhook, None)
        finally:
            del self._attempts[delivery.id]
            self._ended.add(delivery.id)
            self._in_flight[delivery.webhook] -= 1
            self._work.wake()

    async def _record(self, delivery: DueDelivery, answer: PostAnswer, began_at: float) -> None:
        now, webhook, since = self._clock.now(), delivery.webhook, delivery.failing_since
        if answer.is_accepted:
            is_recovery = since is not None and now - since >= OUTAGE_S
            outcome = AttemptOutcome(
                delivery.id, webhook, now, DeliveryPhase.DELIVERED, None, answer.http_status, None, is_recovery
            )
            await self._store.record(outcome)
            self._failures.pop(webhook, None)
            self._not_before.pop(webhook, None)
            return
        first = began_at if delivery.first_attempt_at is None else delivery.first_attempt_at
        again = self._plan.next_attempt(first, delivery.attempts + 1, now, self._random, answer.asked_s)
        phase = DeliveryPhase.DEAD if again is None else DeliveryPhase.WAITING
        await self._store.record(
            AttemptOutcome(delivery.id, webhook, now, phase, again, answer.http_status, answer.problem)
        )
        self._put_off(webhook, answer.asked_s)
        if answer.is_gone:
            await self._store.set_paused(webhook, True, now)
        elif since is not None and now - since >= self._plan.give_up_s:
            problem = f"the receiver failed for a day; last: {answer.problem}"
            await self._store.give_up(webhook, now - self._plan.give_up_s, now, problem)

    def _put_off(self, webhook: str, asked_s: float | None) -> None:
        """Send a webhook nothing for a while, longer after each failure in a row.

        Attempts that were begun together count as one.
        """
        now = self._clock.now()
        if self._not_before.get(webhook, 0.0) > now and asked_s is None:
            return
        self._failures[webhook] += 1
        wait_s = self._plan.wait_s(self._failures[webhook], self._random, asked_s)
        self._not_before[webhook] = now + wait_s
