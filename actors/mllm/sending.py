"""One call's attempts: at which server, how often, and when the next may help."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Mapping

import openai

from actors.mllm.answers import (
    TOO_BUSY,
    ChatCompletion,
    advice,
    priority_refused,
    read_completion,
    retried,
    retry_after_s,
)
from actors.mllm.bodies import wire_body, without_priority
from actors.mllm.pool import Server, ServerPool
from actors.mllm.trace import Trace
from actors.mllm.transport import Transport
from actors.mllm.watch import Watch
from protocol.errors import ModelRefused, ModelUnreachable
from protocol.messages import CallContext

_FIRST_DELAY_S = 0.25
_LONGEST_DELAY_S = 8.0
_log = logging.getLogger(__name__)


class Sender:
    """Sends a call until one attempt is answered, no further one is allowed, or it would come after the deadline."""

    def __init__(self, transport: Transport, pool: ServerPool, watch: Watch, max_attempts: int) -> None:
        self._transport = transport
        self._pool = pool
        self._watch = watch
        self._max_attempts = max_attempts

    async def send(self, trace: Trace, images: Mapping[str, bytes], route: str, context: CallContext) -> ChatCompletion:
        """Raises ModelRefused, ModelUnreachable, both with the call."""
        given = trace.request
        bodies: dict[bool, bytes] = {}
        while True:
            server = self._pool.pick(route, time.monotonic())
            schedules = server.schedules
            trace.server = server.url
            trace.request = given if schedules else without_priority(given)
            if schedules not in bodies:
                bodies[schedules] = wire_body(trace.request, images)
            trace.attempts += 1
            asked_at = time.monotonic()
            try:
                with self._pool.using(server):
                    body = await self._transport.post(server.url, bodies[schedules], context)
            except openai.APIError as error:
                if priority_refused(error) and "priority" in trace.request:
                    self._without_priorities(server)
                    trace.attempts -= 1
                    continue
                await self._failed(server, error, asked_at, trace, context.deadline)
                continue
            self._pool.answered(server, asked_at)
            try:
                return read_completion(server.url, body)
            except ModelRefused as error:
                raise ModelRefused(str(error), calls=trace.failed(str(error))) from None

    def _without_priorities(self, server: Server) -> None:
        if server.schedules:
            _log.warning(
                "%s does not schedule by priority (--scheduling-policy priority); it is asked without", server.url
            )
        server.schedules = False

    async def _failed(
        self, server: Server, error: openai.APIError, asked_at: float, trace: Trace, deadline: float
    ) -> None:
        """Returns when another attempt may be made. Raises ModelRefused, ModelUnreachable."""
        said = self._transport.said(server.url, error)
        if not retried(error):
            self._pool.answered(server, asked_at)
            message = said + advice(said)
            raise ModelRefused(message, calls=trace.failed(message)) from error
        status = error.status_code if isinstance(error, openai.APIStatusError) else None
        wait = retry_after_s(error)
        if status in TOO_BUSY:
            self._watch.refused()
            self._pool.refused(server, time.monotonic(), wait)
        else:
            self._pool.broke(server, time.monotonic())
        if status != 429:  # 503: a full queue, or a dead engine
            self._watch.suspect(server)
        await self._before_next(trace, said, wait or 0.0, deadline)

    async def _before_next(self, trace: Trace, said: str, wait: float, deadline: float) -> None:
        """Waits before another attempt, not at all where another server is up. Raises ModelUnreachable."""
        delay = 0.0
        if not self._pool.any_up(time.monotonic()):
            delay = max(wait, delay_s(trace.attempts, random.random()))
        if trace.attempts >= self._max_attempts or time.time() + delay >= deadline:
            message = f"no answer after {trace.attempts} attempts; the last: {said}"
            raise ModelUnreachable(message, calls=trace.failed(message))
        if delay:
            await self._watch.until_back(delay)


def delay_s(attempt: int, draw: float) -> float:
    """Half to all of 0.25 s, doubled with each attempt up to 8 s; ``draw`` lies in [0, 1)."""
    full = min(_FIRST_DELAY_S * 2.0 ** min(attempt - 1, 16), _LONGEST_DELAY_S)
    return full * (1 + draw) / 2
