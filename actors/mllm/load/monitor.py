"""What the servers are up to, asked beside the requests: whether one that broke is well again, how long queues are."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from manyhands.actors.mllm.client.errors import ErrorStatus, RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.load.admission import Admission
from manyhands.actors.mllm.load.limiter import READ_EVERY_S, Limiter, Queue, read_queue
from manyhands.actors.mllm.load.pool import Server, ServerPool
from manyhands.actors.mllm.load.speculation import Load, Room

_TIMEOUT_S = 5.0
_FIRST_PROBE_S = 0.25
_LONGEST_PROBE_S = 5.0
GONE_S = 15.0
"""A server whose health has not answered for so long answers no call that it has, either."""
_FRESH_S = 3 * READ_EVERY_S + _TIMEOUT_S
"""Older readings of queues tell nothing of now: none are made while nothing is in flight."""
_log = logging.getLogger(__name__)


class Watch:
    """Keeps the pool's health, the admission's cap and the room up to date. ``start`` and ``stop`` it in one loop."""

    def __init__(self, pool: ServerPool, transport: Transport, admission: Admission, room: Room) -> None:
        self._pool = pool
        self._transport = transport
        self._admission = admission
        self._room = room
        self._limiter = Limiter(admission.cap)
        self._task: asyncio.Task[None] | None = None
        self._suspected = {server.url: asyncio.Event() for server in pool.servers}
        self._asked: dict[str, set[asyncio.Timeout]] = {server.url: set() for server in pool.servers}
        """Of each server, what ends the attempts that are there."""
        self._back = asyncio.Event()
        self._busy = asyncio.Event()
        self._queues: dict[str, Queue | None] = {}
        self._read_at = -math.inf
        self.heard_at = 0.0
        """When a server answered a call last, in Unix seconds."""
        self._silent: set[str] = set()
        """Servers that have no /metrics."""

    @property
    def queues(self) -> Mapping[str, Queue | None]:
        """Each server's queue when it was last read."""
        return self._queues

    def load(self, now: float) -> Load:
        """How things stand at the monotonic time ``now``; what servers said long ago is left out."""
        fresh = now - self._read_at < _FRESH_S
        return Load(
            in_flight=self._admission.in_flight,
            cap=self._admission.cap,
            waiting=self._admission.waiting,
            servers=[queue for queue in self._queues.values() if queue is not None] if fresh else (),
        )

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(_tell)

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def busy(self) -> None:
        """A request is in flight: the servers' queues are of interest."""
        self._busy.set()

    def refused(self) -> None:
        """A server has too much to do."""
        now = time.monotonic()
        self._limiter.refused(now)
        self._room.full(now)
        self._admission.resize(self._limiter.cap)

    def suspect(self, server: Server) -> None:
        """A server may be broken: it is asked for its health until that is good."""
        self._suspected[server.url].set()

    def answered(self, server: Server, asked_at: float) -> None:
        """A server answered a request that was sent at the monotonic time ``asked_at``."""
        self.heard_at = time.time()
        self._pool.answered(server, asked_at)
        self._back.set()

    @contextmanager
    def asking(self, server: Server, attempt: asyncio.Timeout) -> Iterator[None]:
        """Ends the attempt, by its timeout, once the server is gone."""
        self._asked[server.url].add(attempt)
        try:
            yield
        finally:
            self._asked[server.url].discard(attempt)

    async def until_back(self, limit_s: float) -> None:
        """Waits until some server is well again, at most ``limit_s``."""
        self._back.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._back.wait()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._read_queues())
            for server in self._pool.servers:
                group.create_task(self._nurse(server))

    async def _nurse(self, server: Server) -> None:
        suspected = self._suspected[server.url]
        while True:
            await suspected.wait()
            suspected.clear()
            for attempt in itertools.count():
                if await self._well(server):
                    break
                if time.monotonic() - server.out_since >= GONE_S:
                    self._give_up_attempts(server)
                full = min(_FIRST_PROBE_S * 2.0 ** min(attempt, 16), _LONGEST_PROBE_S)
                await asyncio.sleep(full * (1 + random.random()) / 2)

    async def _well(self, server: Server) -> bool:
        """Whether there is no more to ask of a server's health."""
        try:
            await self._transport.get_beside(server.url, "/health", _TIMEOUT_S)
        except RequestFailed as error:
            if isinstance(error, ErrorStatus) and error.status < 500:
                self._pool.has_no_health(server)
                self._back.set()
                return True
            server.said = str(error)
            self._pool.sick(server, time.monotonic())
            return False
        if server.out:  # one that only cools off has said for how long
            self._pool.well(server)
            self._back.set()
        return True

    def _give_up_attempts(self, server: Server) -> None:
        attempts, self._asked[server.url] = self._asked[server.url], set()
        for attempt in attempts:
            attempt.reschedule(asyncio.get_running_loop().time())

    async def _read_queues(self) -> None:
        while True:
            if not self._admission.in_flight:
                self._busy.clear()
                await self._busy.wait()
            asked = [server.url for server in self._pool.servers if server.url not in self._silent]
            self._queues = dict(zip(asked, await asyncio.gather(*map(self._queue, asked)), strict=True))
            self._read_at = time.monotonic()
            self._limiter.read(self._queues.values(), self._read_at)
            self._admission.resize(self._limiter.cap)
            self._room.see(self.load(self._read_at), self._read_at)
            await asyncio.sleep(READ_EVERY_S)

    async def _queue(self, url: str) -> Queue | None:
        try:
            queue = read_queue(await self._transport.get_beside(url, "/metrics", _TIMEOUT_S))
        except ErrorStatus as error:
            if error.status < 500:
                self._silent.add(url)
            return None
        except RequestFailed:  # it does not answer: hung, perhaps, with calls that would wait for it for long
            self._suspected[url].set()
            return None
        if queue is None:
            self._silent.add(url)
        return queue


def _tell(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("the watch over the model servers has ended: health is no longer asked", exc_info=task.exception())
