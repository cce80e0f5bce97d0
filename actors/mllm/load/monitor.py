"""Monitor servers: ask for their health and queues, beside the requests."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial

from manyhands.actors.mllm.client.errors import ErrorStatus, RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.load.admission import READ_EVERY_S, Admission, Limiter, ServerQueue, read_queue
from manyhands.actors.mllm.load.pool import Server, ServerPool
from manyhands.actors.mllm.load.speculation import ClientLoad, SpeculationBudget
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_TIMEOUT_S = 5.0
_PROBES = Backoff(first_s=0.25, longest_s=5.0, jitter=0.5)
GONE_S = 15.0
"""If a server does not answer /health for so long, the attempts at that server are ended."""
_FRESH_S = 3 * READ_EVERY_S + _TIMEOUT_S
"""How long a reading of the queues is valid. No readings are made while nothing is in flight."""
logger = logging.getLogger(__name__)


class HealthMonitor:
    """Keep the pool's health, the cap and the speculation budget up to date. Start and stop it in one event loop."""

    def __init__(self, pool: ServerPool, transport: Transport, admission: Admission, budget: SpeculationBudget) -> None:
        self._pool = pool
        self._transport = transport
        self._admission = admission
        self._budget = budget
        self._limiter = Limiter(admission.cap)
        self._task: asyncio.Task[None] | None = None
        self._suspected = {server.url: asyncio.Event() for server in pool.servers}
        self._attempts: dict[str, set[asyncio.Timeout]] = {server.url: set() for server in pool.servers}
        """The timeouts of the attempts at each server. Their expiry ends these attempts."""
        self._back = asyncio.Event()
        self._busy = asyncio.Event()
        self._queues: dict[str, ServerQueue | None] = {}
        self._missing: dict[str, int] = {}
        """How many of our requests the figures of each server lacked at the last reading."""
        self._read_at = -math.inf
        self.heard_at = 0.0
        """When a server last answered a call, in Unix seconds."""
        self._without_metrics: set[str] = set()
        """Servers that have no /metrics page."""

    @property
    def queues(self) -> Mapping[str, ServerQueue | None]:
        """Return each server's queue as last read."""
        return self._queues

    def load(self, now: float) -> ClientLoad:
        """Return the load at the monotonic time ``now``. Leave out servers whose last reading is too old."""
        fresh = now - self._read_at < _FRESH_S
        return ClientLoad(
            in_flight=self._admission.in_flight,
            cap=self._admission.cap,
            waiting=self._admission.waiting,
            servers=[queue for queue in self._queues.values() if queue is not None] if fresh else (),
        )

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def request_started(self) -> None:
        """Start to read the servers' queues, because a request is in flight."""
        self._busy.set()

    def refused(self) -> None:
        """Lower the cap and stop speculation, because a server was too busy and refused a request."""
        now = time.monotonic()
        self._limiter.refused(now)
        self._budget.signal_overload(now)
        self._admission.resize(self._limiter.cap)

    def measured(self, slowness: float) -> None:
        """Adapt the cap to how many times the best latency some answers took."""
        self._limiter.answered(slowness, time.monotonic())
        self._admission.resize(self._limiter.cap)

    def suspect(self, server: Server) -> None:
        """Ask a server that may be broken for its health, repeatedly, until it answers that it is healthy."""
        self._suspected[server.url].set()

    def answered(self, server: Server, asked_at: float) -> None:
        """Record that a server answered a request that was sent at the monotonic time ``asked_at``."""
        self.heard_at = HOST_CLOCK.now()
        self._pool.answered(server, asked_at)
        self._back.set()

    @contextmanager
    def attempt_at(self, server: Server, attempt: asyncio.Timeout) -> Iterator[None]:
        """End the attempt by its timeout if the server fails its health checks meanwhile."""
        self._attempts[server.url].add(attempt)
        try:
            yield
        finally:
            self._attempts[server.url].discard(attempt)

    async def until_back(self, limit_s: float) -> None:
        """Wait until some server is healthy again, at most ``limit_s``."""
        self._back.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._back.wait()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_repeat("the queues", self._read_queues))
            for server in self._pool.servers:
                group.create_task(_repeat(server.url, partial(self._probe_when_suspected, server)))

    async def _probe_when_suspected(self, server: Server) -> None:
        suspected = self._suspected[server.url]
        while True:
            await suspected.wait()
            suspected.clear()
            for pause_s in _PROBES.pauses():
                if await self._is_healthy(server):
                    break
                if time.monotonic() - server.out_since >= GONE_S:
                    self._give_up_attempts(server)
                await asyncio.sleep(pause_s)

    async def _is_healthy(self, server: Server) -> bool:
        """Ask for a server's health. Return whether no more probes are needed."""
        try:
            await self._transport.get_beside(server.url, "/health", _TIMEOUT_S)
        except RequestFailed as error:
            if isinstance(error, ErrorStatus) and error.status < 500:
                self._pool.lacks_health_page(server)
                self._back.set()
                return True
            server.last_failure = str(error)
            self._pool.unhealthy(server, time.monotonic())
            return False
        was_out = server.out
        self._pool.healthy(server)
        if was_out:
            self._back.set()
        return True

    def _give_up_attempts(self, server: Server) -> None:
        attempts, self._attempts[server.url] = self._attempts[server.url], set()
        for attempt in attempts:
            attempt.reschedule(asyncio.get_running_loop().time())

    async def _read_queues(self) -> None:
        while True:
            if not self._admission.in_flight:
                for server in self._pool.servers:
                    server.others = 0  # nobody reads them meanwhile
                self._busy.clear()
                await self._busy.wait()
            servers = [server for server in self._pool.servers if server.url not in self._without_metrics]
            queues = await asyncio.gather(*map(self._queue, servers))
            self._queues = {server.url: queue for server, queue in zip(servers, queues, strict=True)}
            for server, queue in zip(servers, queues, strict=True):
                server.others = 0 if queue is None else queue.others(server.in_flight)
            self._read_at = time.monotonic()
            self._limiter.read(self._queues.values(), self._read_at)
            self._admission.resize(self._limiter.cap)
            self._budget.observe(self.load(self._read_at), self._read_at)
            await asyncio.sleep(READ_EVERY_S)

    async def _queue(self, server: Server) -> ServerQueue | None:
        url = server.url
        try:
            queue = read_queue(await self._transport.get_beside(url, "/metrics", _TIMEOUT_S))
        except ErrorStatus as error:
            if error.status < 500:
                self._without_metrics.add(url)
            return None
        except RequestFailed:  # the server may hang, and calls would wait long for it
            self._suspected[url].set()
            return None
        if queue is None:
            self._without_metrics.add(url)
            return None
        earlier, self._missing[url] = self._missing.get(url, 0), queue.missing(server.in_flight)
        return queue.with_own(server.in_flight, earlier)


async def _repeat(what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Run ``work`` for ever. Start it again after a defect, because otherwise servers would stay out."""
    while True:
        try:
            await work()
        except Exception:
            logger.exception("the health monitor has failed at %s, and begins again", what)
        await asyncio.sleep(READ_EVERY_S)
