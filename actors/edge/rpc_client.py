"""Send requests to a site, repeating each until its reply arrives or its deadline passes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.link import Link
from manyhands.protocol.edge.messages import EdgeReply
from manyhands.protocol.edge.wire import PackedMessage
from manyhands.protocol.errors import CallError, DeadlinePassed, LinkAway
from manyhands.protocol.utilities.backoff import Backoff

R = TypeVar("R", bound=EdgeReply)


@dataclass(frozen=True, slots=True)
class TimedReply(Generic[R]):
    """Hold a reply with the times when it was first requested and when it arrived, by our clock, in Unix seconds."""

    reply: R
    sent_at: float
    """When the site sent the reply, by the site's clock."""
    asked_at: float
    arrived_at: float

    @property
    def site_s(self) -> float:
        """Return the seconds that the site took."""
        return max(0.0, self.sent_at - self.reply.heard_at)


@dataclass(slots=True)
class _PendingRequest:
    reply: asyncio.Future[TimedReply[EdgeReply]]
    asked_at: float
    send_error: str = ""
    """The latest reason why the broker did not accept the request."""


class RpcClient:
    """Hold the pending requests to one site.

    Each request is sent again, byte for byte, with exponential backoff, and at once when the link or the site
    reconnects. The site executes it once, however often it arrives.
    """

    def __init__(self, link: Link, repeat: Backoff, clock: Clock) -> None:
        self._link = link
        self._repeat = repeat
        self._clock = clock
        self._pending: dict[str, _PendingRequest] = {}
        self._retry_now = asyncio.Event()

    def receive(self, reply: EdgeReply, sent_at: float) -> None:
        """Complete the request of a reply; ignore a late or repeated reply."""
        pending = self._pending.get(reply.answers)
        if pending is not None and not pending.reply.done():
            pending.reply.set_result(TimedReply(reply, sent_at, pending.asked_at, self._clock.now()))

    def resend_all(self) -> None:
        """Send all pending requests again now."""
        self._retry_now.set()
        self._retry_now = asyncio.Event()

    def fail_all(self) -> None:
        """Fail all pending requests with CallError."""
        for pending in self._pending.values():
            if not pending.reply.done():
                pending.reply.set_exception(CallError("the gateway is stopping"))

    async def call(self, topic: str, request: PackedMessage, deadline: float) -> TimedReply[EdgeReply]:
        """Send a packed request and return its reply. Raises DeadlinePassed at ``deadline``, by our clock."""
        pending = _PendingRequest(asyncio.get_running_loop().create_future(), self._clock.now())
        self._pending[request.id] = pending
        sending = asyncio.create_task(self._send(topic, request.data, pending))
        try:
            left_s = max(0.0, deadline - self._clock.now())
            either: set[asyncio.Future[Any]] = {pending.reply, sending}
            await asyncio.wait(either, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if pending.reply.done():
                return pending.reply.result()
            if sending.done():
                await sending  # sending ends only by an error, which this raises
            why = f": {pending.send_error}" if pending.send_error else ""
            raise DeadlinePassed(f"no answer by the deadline{why}")
        finally:
            del self._pending[request.id]
            sending.cancel()
            await asyncio.wait({sending})

    async def _send(self, topic: str, data: bytes, pending: _PendingRequest) -> None:
        """Send a request until cancelled. While the broker has not accepted a copy, no second copy is sent."""
        pauses, counts = self._repeat.pauses(), self._link.counts
        pause_s = next(pauses)
        counts.requests += 1
        while True:
            retry_now = self._retry_now
            try:
                await self._link.publish(topic, data)
                pending.send_error = ""
            except LinkAway as error:
                pending.send_error = str(error)
            try:
                async with asyncio.timeout(pause_s):
                    await retry_now.wait()
            except TimeoutError:
                pause_s = next(pauses)
            counts.repeats += 1
