"""Ask a site, again and again until it answers or the deadline passes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from manyhands.actors.clock import Clock
from manyhands.actors.edge.link import Link
from manyhands.actors.edge.settings import RepeatSettings
from manyhands.protocol.edge.messages import EdgeReply
from manyhands.protocol.edge.wire import Packed
from manyhands.protocol.errors import CallError, DeadlinePassed, LinkAway

R = TypeVar("R", bound=EdgeReply)


@dataclass(frozen=True, slots=True)
class Answer(Generic[R]):
    """Hold a reply, and when it was first asked for and when it came, in Unix seconds of our clock."""

    reply: R
    said_at: float
    """By the clock of the site."""
    asked_at: float
    came_at: float

    @property
    def site_s(self) -> float:
        """Return how long the site itself had it."""
        return max(0.0, self.said_at - self.reply.heard_at)


@dataclass(slots=True)
class _Question:
    answer: asyncio.Future[Answer[EdgeReply]]
    asked_at: float
    not_sent: str = ""
    """Why the broker did not take it, the last time."""


class Asker:
    """Keep the questions to one site that are under way.

    Each is sent again, byte for byte, after a pause that grows, and as soon as there is a reason to hope: the link
    connected again, or the site. The site does it once, however often it arrives.
    """

    def __init__(self, link: Link, settings: RepeatSettings, clock: Clock) -> None:
        self._link = link
        self._settings = settings
        self._clock = clock
        self._questions: dict[str, _Question] = {}
        self._hope = asyncio.Event()

    def take(self, reply: EdgeReply, said_at: float) -> None:
        """Take a reply; nobody waits any more for one that comes too late, or again."""
        question = self._questions.get(reply.answers)
        if question is not None and not question.answer.done():
            question.answer.set_result(Answer(reply, said_at, question.asked_at, self._clock.now()))

    def wake(self) -> None:
        """Have everything that waits sent again now."""
        self._hope.set()
        self._hope = asyncio.Event()

    def close(self) -> None:
        """Have everything that waits fail: nobody will answer it."""
        for question in self._questions.values():
            if not question.answer.done():
                question.answer.set_exception(CallError("the gateway is stopping"))

    async def ask(self, topic: str, request: Packed, deadline: float) -> Answer[EdgeReply]:
        """Return the answer. Raises DeadlinePassed once our clock is at ``deadline``."""
        question = _Question(asyncio.get_running_loop().create_future(), self._clock.now())
        self._questions[request.id] = question
        sending = asyncio.create_task(self._send(topic, request.data, question))
        try:
            left_s = max(0.0, deadline - self._clock.now())
            either: set[asyncio.Future[Any]] = {question.answer, sending}
            await asyncio.wait(either, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if question.answer.done():
                return question.answer.result()
            if sending.done():
                await sending  # a defect: it ends by none but that
            why = f": {question.not_sent}" if question.not_sent else ""
            raise DeadlinePassed(f"no answer by the deadline{why}")
        finally:
            del self._questions[request.id]
            sending.cancel()
            await asyncio.wait({sending})

    async def _send(self, topic: str, data: bytes, question: _Question) -> None:
        """Send a request until it is cancelled. What the broker has not accepted yet is not sent a second time."""
        pause, counts = self._settings.first_s, self._link.counts
        counts.requests += 1
        while True:
            hope = self._hope
            try:
                await self._link.publish(topic, data)
                question.not_sent = ""
            except LinkAway as error:
                question.not_sent = str(error)
            try:
                async with asyncio.timeout(pause):
                    await hope.wait()
            except TimeoutError:
                pause = min(2 * pause, self._settings.most_s)
            counts.repeats += 1
