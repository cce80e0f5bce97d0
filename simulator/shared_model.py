"""A model server whose capacity all requests share, in virtual time: what a GPU under vLLM does, as a rule of three.

A request is work: its prompt, then the tokens of its answer, one after another. The server does so much work a
second; running requests get equal parts of it, one that writes no more than its own top speed. What one cannot use
the others get, so the server never idles while something could go on (continuous batching with chunked prefill,
without preemption). Requests above ``max_running`` wait: the lowest priority number first, then first come.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from manyhands.protocol.base import Input

Phase = Literal["waiting", "reading", "writing", "done"]
_CLOSE = 1e-9
"""Work that is as good as done: floats."""
_TICK_S = 1e-6


class ServerSpeed(Input):
    """How fast a server is. Work is counted in output tokens."""

    tokens_per_s: float = Field(gt=0)
    """Of all requests together."""
    each_per_s: float = Field(default=60.0, gt=0)
    """What one request writes in a second at most, however few there are."""
    prompt_cost: float = Field(default=0.05, ge=0)
    """Work of a prompt's token against one of an answer."""
    max_running: int = Field(default=256, ge=1)


@dataclass(slots=True, eq=False)
class Request:
    """One request. ``prompt`` and ``output``: its tokens that are to be read and written."""

    prompt: int
    output: int
    priority: int = 0
    phase: Phase = "waiting"
    mark: float = 0.0
    """The level of its phase at which that is done."""
    begun: float = 0.0
    """The level of its phase when it began."""

    @property
    def answered(self) -> bool:
        """Whether there is nothing more to do about it; also once it was taken away."""
        return self.phase == "done"


@dataclass(slots=True)
class _Level:
    """Requests of one phase. All get the same, so each is done when what one has got reaches its mark."""

    got: float = 0.0
    """Work that a request which was there all the time has got."""
    rate: float = 0.0
    count: int = 0
    marks: list[tuple[float, int, Request]] = field(default_factory=list)
    """A heap; those that were taken away stay in it until they come to the top."""

    def first(self, phase: Phase) -> float:
        """The lowest mark; infinity without any."""
        while self.marks and self.marks[0][2].phase != phase:
            heapq.heappop(self.marks)
        return self.marks[0][0] if self.marks else math.inf


class Sharing:
    """The server's arithmetic. Times are seconds of any clock and never go back."""

    def __init__(self, speed: ServerSpeed) -> None:
        self._speed = speed
        self._now = 0.0
        self._reading, self._writing = _Level(), _Level()
        self._queue: list[tuple[int, int, Request]] = []
        self._numbers = itertools.count()
        self._waiting = 0
        self.work_done = 0.0
        self.read = 0.0
        """Tokens of prompts so far, those of requests that were taken away included."""
        self.written = 0.0
        """Tokens of answers so far, likewise."""

    @property
    def running(self) -> int:
        return self._reading.count + self._writing.count

    @property
    def waiting(self) -> int:
        return self._waiting

    def rates(self) -> tuple[float, float]:
        """Work a second that each reading and each writing request gets."""
        return self._reading.rate, self._writing.rate

    def add(self, request: Request, now: float) -> None:
        """A request comes in. Call ``advance`` up to ``now`` first."""
        heapq.heappush(self._queue, (request.priority, next(self._numbers), request))
        self._waiting += 1
        self._admit()

    def remove(self, request: Request, now: float) -> None:
        """A request is taken away, whatever it is doing. Call ``advance`` up to ``now`` first."""
        if request.phase == "waiting":
            self._waiting -= 1
        elif request.phase == "reading":
            self._reading.count -= 1
            self._count_read(request, self._reading.got - request.begun)
        elif request.phase == "writing":
            self._writing.count -= 1
            self.written += self._writing.got - request.begun
        request.phase = "done"
        self._admit()

    def next_at(self) -> float:
        """When the next request ends a phase; infinity if none runs."""
        return min(
            (
                self._now + max(0.0, level.first(phase) - level.got) / level.rate
                for level, phase in self._levels()
                if level.count
            ),
            default=math.inf,
        )

    def advance(self, now: float) -> Iterator[Request]:
        """Work until ``now``, which lies no later than ``next_at``; the requests that are answered by then."""
        took = max(0.0, now - self._now)
        self._now = max(now, self._now)
        for level, _ in self._levels():
            level.got += level.rate * took
            self.work_done += level.rate * took * level.count
        done = list(self._passed(self._writing, "writing"))
        for request in self._passed(self._reading, "reading"):
            self.read += request.prompt
            self._enter(request, self._writing, "writing", request.output)
        # An answer without tokens is there with its prompt.
        done += self._passed(self._writing, "writing")
        for request in done:
            self.written += request.output
            request.phase = "done"
        if done:
            self._admit()
        else:
            self._share()
        return iter(done)

    def _levels(self) -> tuple[tuple[_Level, Phase], tuple[_Level, Phase]]:
        return (self._reading, "reading"), (self._writing, "writing")

    def _passed(self, level: _Level, phase: Phase) -> Iterator[Request]:
        while level.first(phase) <= level.got + _CLOSE * max(1.0, level.got):
            request = heapq.heappop(level.marks)[2]
            level.count -= 1
            yield request

    def _enter(self, request: Request, level: _Level, phase: Phase, work: float) -> None:
        request.phase, request.begun, request.mark = phase, level.got, level.got + work
        heapq.heappush(level.marks, (request.mark, next(self._numbers), request))
        level.count += 1

    def _admit(self) -> None:
        while self._queue and self.running < self._speed.max_running:
            request = heapq.heappop(self._queue)[2]
            if request.phase != "waiting":
                continue
            self._waiting -= 1
            self._enter(request, self._reading, "reading", request.prompt * self._speed.prompt_cost)
        self._share()

    def _share(self) -> None:
        """Equal parts; what writers cannot use goes to readers."""
        reading, writing, total = self._reading.count, self._writing.count, self._speed.tokens_per_s
        if not reading and not writing:
            return
        part = total / (reading + writing)
        self._writing.rate = min(part, self._speed.each_per_s)
        self._reading.rate = (total - self._writing.rate * writing) / reading if reading else 0.0

    def _count_read(self, request: Request, work: float) -> None:
        cost = self._speed.prompt_cost
        self.read += min(request.prompt, work / cost) if cost else request.prompt


class SharedModel:
    """A server in the running loop's time, which is meant to be a virtual one."""

    def __init__(self, speed: ServerSpeed) -> None:
        self._sharing = Sharing(speed)
        self._answers: dict[Request, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> int:
        return self._sharing.running

    @property
    def waiting(self) -> int:
        return self._sharing.waiting

    @property
    def read(self) -> float:
        return self._sharing.read

    @property
    def written(self) -> float:
        return self._sharing.written

    @property
    def work_done(self) -> float:
        """Output tokens' worth of work, in all."""
        return self._sharing.work_done

    async def answer(self, request: Request) -> None:
        """Returns when the answer is written. Cancelling this takes the request away at once."""
        loop = asyncio.get_running_loop()
        self._work()
        self._sharing.add(request, loop.time())
        self._answers[request] = loop.create_future()
        self._set_timer()
        try:
            await self._answers[request]
        finally:
            self._answers.pop(request, None)
            if not request.answered:
                self._work()
                if not request.answered:
                    self._sharing.remove(request, loop.time())
                self._set_timer()

    def _work(self) -> None:
        for request in self._sharing.advance(asyncio.get_running_loop().time()):
            answer = self._answers.get(request)
            if answer is not None and not answer.done():
                answer.set_result(None)

    def _due(self) -> None:
        self._timer = None
        self._work()
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = self._sharing.next_at()
        if at < math.inf:
            # A loop fires timers a clock's tick early, at a time that is then not the next one for ever.
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(at, loop.time() + _TICK_S), self._due)
