"""Make the attempts of one call: at which server, how often, and when. Trace the call for its record.

While no server answers, a call makes no attempts. It waits until a server answers or its patience ends. A server that
is too busy (429, 503), or paused while it gets other weights, is no failure either: calls wait as long as it asks for.

A server that answers 500 is asked once more, before it is doubted and before another server is asked: vLLM answers 500
once when its two caches of pictures disagree, and then drops the stale entries. No other server has the prompt cached.
Each request holds the pictures' bytes, so the second one needs no cache.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from manyhands.actors.mllm.client.answers import (
    ChatCompletion,
    advice,
    read_completion,
    read_tokens,
    read_weights,
)
from manyhands.actors.mllm.client.errors import (
    SERVER_GONE,
    TOO_BUSY,
    BrokenOff,
    ErrorStatus,
    InvalidAnswer,
    NoAnswer,
    RequestFailed,
    TimedOut,
    TokensMissing,
)
from manyhands.actors.mllm.client.transport import STREAMED, Transport
from manyhands.actors.mllm.load.monitor import HealthMonitor
from manyhands.actors.mllm.load.pool import Server, ServerPool, bounded_wait_s
from manyhands.actors.mllm.request.bodies import asks_tokens, wire_body, without_priority
from manyhands.protocol.errors import ModelAway, ModelRefused, ModelUnreachable
from manyhands.protocol.messages import CallContext, CallTokens, ModelCall, Usage, WeightSpan
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun

_DELAYS = Backoff(first_s=0.25, longest_s=8.0, jitter=0.5)
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Trace:
    """Follow one call. ``queue_ms``: its time in our admission queue. The clock starts at its admission."""

    role: Role
    server: str
    """The server that was asked last."""
    request: dict[str, Any]
    """The body as sent, without its pictures."""
    reply_type: str
    repair: bool
    queue_ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    tokens: CallTokens | None = None
    weights: tuple[WeightSpan, ...] = ()
    attempts: int = 0
    """Attempts that reached a server."""
    refusals: int = 0
    """Those of them that a server refused as too busy or paused."""
    away: list[tuple[float, float]] = field(default_factory=list)
    """Times (begin and end) during which no server answered, or took requests, and the call waited."""
    met_outage: bool = False
    """Whether no server answered in one of them."""
    started_at: float = field(default_factory=HOST_CLOCK.now)
    _began: float = field(default_factory=time.perf_counter)

    def admitted(self, queue_ms: float) -> None:
        self.queue_ms = queue_ms
        self.started_at = HOST_CLOCK.now()
        self._began = time.perf_counter()

    @property
    def tries(self) -> int:
        """Return how many attempts count: those that no server refused as too busy or paused."""
        return self.attempts - self.refusals

    @property
    def latency_ms(self) -> float:
        """Return the time since admission in ms; 0 for a call that was never sent."""
        if self.attempts == 0:
            return 0.0
        return (time.perf_counter() - self._began) * 1000

    def call(self, reply: str | None, error: str | None) -> ModelCall:
        return ModelCall(
            role=self.role,
            server=self.server,
            request=self.request,
            reply=reply,
            error=error,
            usage=self.usage,
            started_at=self.started_at,
            latency_ms=self.latency_ms,
            queue_ms=self.queue_ms,
            attempts=max(1, self.attempts),
            reply_type=self.reply_type,
            repair=self.repair,
            away=tuple(self.away),
            is_busy=bool(self.away) and not self.met_outage,
            tokens=self.tokens,
            weights=self.weights,
        )

    def failed(self, error: str) -> tuple[ModelCall, ...]:
        return (self.call(None, error),)

    def unanswered(self, error: str) -> tuple[ModelCall, ...]:
        """Return the call if a server has begun with it, else nothing."""
        return self.failed(error) if self.tries else ()


class CallAttempts:
    """Send a call until an attempt is answered, no further attempt is allowed, or the next would miss the deadline."""

    def __init__(self, transport: Transport, pool: ServerPool, monitor: HealthMonitor, max_attempts: int) -> None:
        self._transport = transport
        self._pool = pool
        self._monitor = monitor
        self._max_attempts = max_attempts

    async def send(
        self,
        trace: Trace,
        images: Mapping[str, bytes],
        route: str,
        context: CallContext,
        tell: Callable[[str], None] | None = None,
    ) -> ChatCompletion:
        """Return the answer. With ``tell``, ask for a stream, and give ``tell`` each piece of the reply.

        If one server refuses the request, the others are asked, because they may accept it. Raises ModelRefused,
        ModelUnreachable, or ModelAway if no server answers or takes requests; each holds the call.
        """
        request = trace.request
        bodies: dict[tuple[bool, bool], bytes] = {}
        refused: dict[str, Server] = {}
        asked_again: set[str] = set()
        repeat_at: Server | None = None
        failures = 0
        while True:
            await self.until_any_answers(trace, context, refused)
            server, repeat_at = repeat_at, None
            if server is None or server.out:
                server = self._pool.pick(route, time.monotonic(), refused, images)
            schedules = server.schedules
            trace.server = server.url
            trace.request = request if schedules else without_priority(request)
            streams = tell is not None and server.streams
            form = schedules, streams
            if form not in bodies:
                bodies[form] = wire_body(trace.request | STREAMED if streams else trace.request, images)
            trace.attempts += 1
            asked_at = time.monotonic()
            try:
                body = await self._attempt(server, bodies[form], context, tell if streams else None)
                answer = read_completion(server.url, body)
                if answer.broken_off:
                    raise BrokenOff(f"{server.url} broke its reply off: it gets other weights")
                trace.tokens = read_tokens(server.url, answer) if asks_tokens(request) else None
                trace.weights = read_weights(answer)
            except RequestFailed as error:
                if isinstance(error, ErrorStatus) and error.priority_refused and "priority" in trace.request:
                    self._without_priorities(server)
                    trace.attempts -= 1
                    continue
                is_refused = isinstance(error, ErrorStatus) and not error.retried
                if streams and (is_refused or isinstance(error, TokensMissing)):
                    server.streams = False  # perhaps it refuses the stream alone, or streams no tokens
                    trace.attempts -= 1
                    continue
                if not error.retried:
                    refused[server.url] = server
                    self._refused(server, error, asked_at, trace, all_refused=len(refused) == len(self._pool.servers))
                    continue
                is_first_500 = isinstance(error, ErrorStatus) and error.status == 500 and server.url not in asked_again
                if is_first_500 and trace.tries < self._max_attempts:
                    asked_again.add(server.url)
                    server.last_failure = str(error)
                    repeat_at = server
                    continue
                if isinstance(error, BrokenOff) or (isinstance(error, ErrorStatus) and error.status in TOO_BUSY):
                    trace.refusals += 1
                    self._busy(server, error, asked_at)
                    continue
                failures += 1
                # If the connection failed, no server has seen the request. So the attempt does not count.
                trace.attempts -= isinstance(error, NoAnswer) and not error.is_sent
                await self._failed(server, error, trace, failures, context.deadline)
                continue
            self._monitor.answered(server, asked_at)
            self._pool.record_request(server, images)
            for other in refused.values():  # another server accepted the request, so these refused without reason
                self._pool.refused(other, time.monotonic())
            return answer

    async def until_any_answers(self, trace: Trace, context: CallContext, without: Collection[str] = ()) -> None:
        """Wait while the model is away: no server answers, or takes requests. If patience ends, raise ModelAway.

        ``without``: URLs of servers that are not asked.
        """
        if self.away_since(without) is None:
            return
        began = HOST_CLOCK.now()
        limit = context.deadline if context.patience_s is None else min(context.deadline, began + context.patience_s)
        is_busy = True
        while (since := self.away_since(without)) is not None and (left_s := limit - HOST_CLOCK.now()) > 0:
            is_busy = is_busy and self.is_busy(without)
            await self._monitor.until_back(min(left_s, self._pool.wait_s(time.monotonic(), without)))
        trace.away.append((began, HOST_CLOCK.now()))
        trace.met_outage = trace.met_outage or not is_busy
        if since is not None:
            raise ModelAway(self.away(), calls=trace.unanswered(self.away()), since=since, is_busy=is_busy)

    def away_since(self, without: Collection[str] = ()) -> float | None:
        """Return since when no server answers or takes requests, in Unix seconds; None if one may."""
        now = time.monotonic()
        since = self._pool.unavailable_since(now, without)
        return None if since is None else HOST_CLOCK.now() - (now - since)

    def is_busy(self, without: Collection[str] = ()) -> bool:
        """Return whether some server answers, be it that it is too busy or paused."""
        return any(not server.out for server in self._pool.servers if server.url not in without)

    def away(self) -> str:
        """Describe in a line why no server answers or takes requests."""
        what = "takes requests now" if self.is_busy() else "answers"
        return f"no model server {what}: {self._pool.why_away}"

    async def _attempt(
        self, server: Server, body: bytes, context: CallContext, tell: Callable[[str], None] | None
    ) -> str:
        """Return an answer's body.

        Raises RequestFailed. If the server fails its health checks before it answers, this is raised too.
        """
        try:
            async with asyncio.timeout(None) as limit:
                with self._pool.using(server), self._monitor.attempt_at(server, limit):
                    return await self._transport.post(server.url, body, context, tell)
        except TimeoutError as error:
            raise TimedOut(f"{server.url} did not answer in time") from error

    def _without_priorities(self, server: Server) -> None:
        if server.schedules:
            _log.warning(
                "%s does not schedule by priority (--scheduling-policy priority); requests are sent without", server.url
            )
        server.schedules = False

    def _refused(self, server: Server, error: RequestFailed, asked_at: float, trace: Trace, all_refused: bool) -> None:
        """Record a refusal. Return if another server may be asked; otherwise raise ModelRefused."""
        failure = server.last_failure = str(error)
        self._monitor.answered(server, asked_at)
        if all_refused or trace.tries >= self._max_attempts:
            message = failure + advice(failure)
            raise ModelRefused(message, calls=trace.failed(message)) from error

    def _busy(self, server: Server, error: RequestFailed, asked_at: float) -> None:
        """Record that a server is too busy, or paused. That is no failure."""
        server.last_failure = str(error)
        status, wait = (error.status, error.retry_after_s) if isinstance(error, ErrorStatus) else (None, None)
        self._monitor.refused()
        self._pool.busy(server, asked_at, time.monotonic(), wait)
        if status == 503:  # a full queue, a pause or a dead engine
            self._monitor.suspect(server)

    async def _failed(self, server: Server, error: RequestFailed, trace: Trace, failures: int, deadline: float) -> None:
        """Record a failure. Return when another attempt may be made; raise ModelUnreachable if none may be made."""
        failure = server.last_failure = str(error)
        status, wait = (error.status, error.retry_after_s) if isinstance(error, ErrorStatus) else (None, None)
        if isinstance(error, InvalidAnswer):  # its /health may still be good
            self._pool.refused(server, time.monotonic())
        elif status is not None and status not in SERVER_GONE:  # the request may be to blame, not the server
            self._pool.erred(server, time.monotonic())
        else:
            self._pool.failed(server, time.monotonic())
        self._monitor.suspect(server)
        if trace.tries >= self._max_attempts:
            raise _unreachable(trace, failure)
        # If all servers are out, the next attempt waits for a healthy one. If one cools off or is doubted, it is asked
        # again without a health check.
        if self._pool.away_since is None and not self._pool.any_sound(time.monotonic()):
            delay = max(bounded_wait_s(wait), _DELAYS.wait_s(failures))
            if HOST_CLOCK.now() + delay >= deadline:
                raise _unreachable(trace, failure)
            await self._monitor.until_back(delay)


def _unreachable(trace: Trace, failure: str) -> ModelUnreachable:
    message = f"no answer after {count_noun(trace.attempts, 'attempt')}; the last: {failure}"
    return ModelUnreachable(message, calls=trace.failed(message))
