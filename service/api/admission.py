"""Bound how often and how much clients may ask: requests a second, requests and streams at once, bytes of bodies."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.settings import ServiceBounds

MOST_KEYS = 10_000
"""The most clients that are remembered. The one that was silent longest is forgotten first."""
BURST = 2.0
"""How many seconds' worth of requests may come at once."""


class RequestRate:
    """Let each client send a number of requests a second. A client that was silent may send more at once."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Allow ``per_second`` requests of each client."""
        self._per_second = per_second
        self._most = max(1.0, per_second * BURST)
        self._clock = clock
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(MOST_KEYS)
        """For each client, how many requests it may send now, and since when that number is right."""

    def seconds_to_wait(self, client: str) -> float:
        """Count a request. Return 0 if it may pass, or in how many seconds the client may ask again."""
        now = self._clock()
        allowance, since = self._left.get(client, (self._most, now))
        allowance = min(self._most, allowance + (now - since) * self._per_second)
        passes = allowance >= 1
        self._left[client] = (allowance - 1 if passes else allowance, now)
        return 0.0 if passes else (1 - allowance) / self._per_second


class OpenStreams:
    """Count the streams that are open, in all and for each token."""

    def __init__(self, most: int, most_of_token: int) -> None:
        """Allow ``most`` streams in all, and ``most_of_token`` of each token."""
        self._most = most
        self._most_of_token = most_of_token
        self._open: dict[str, list[tuple[Callable[[], None], str | None]]] = {}
        """The functions that end the streams of a token, each with the id of the stream's session, if it has one."""

    @property
    def is_full(self) -> bool:
        """Return whether no further stream may be opened by anybody."""
        return sum(map(len, self._open.values())) >= self._most

    def is_full_for(self, token: str) -> bool:
        """Return whether this token may open no further stream."""
        return len(self._open.get(token, ())) >= self._most_of_token

    @contextmanager
    def counted(self, token: str, end: Callable[[], None], session: str | None = None) -> Iterator[None]:
        """Count a stream of a token while the context is open. ``end`` ends the stream; ``session``: its session."""
        stream = (end, session)
        self._open.setdefault(token, []).append(stream)
        try:
            yield
        finally:
            self._open[token].remove(stream)
            if not self._open[token]:
                del self._open[token]

    def end_all_of(self, token: str, session: str | None = None) -> None:
        """End the streams of a token that was revoked, or those of one session that is over."""
        for end, of in tuple(self._open.get(token, ())):
            if session in (None, of):
                end()


STREAM_PATHS = frozenset({"/api/v1/events", "/api/v1/wall"})
"""Paths whose answers stay open. They are counted on their own."""


def client_address(scope: Scope) -> str:
    """Return the network address of a request's client; empty if the server does not tell."""
    client = scope.get("client")
    return "" if client is None else str(client[0])


def refuse_often(seconds: float, who: str) -> RequestRefused:
    """Return the refusal of a request that came too soon."""
    wait = max(1, math.ceil(seconds))
    return RequestRefused(
        ProblemKind.TOO_MANY, f"{who} sends too many requests; wait {wait} s", headers={"Retry-After": str(wait)}
    )


class RequestAdmission:
    """Pass on requests that are within the bounds, and refuse others."""

    def __init__(self, app: ASGIApp, bounds: ServiceBounds) -> None:
        """Stand before ``app``."""
        self._app = app
        self._bounds = bounds
        self._rate = RequestRate(bounds.address_rate)
        self._at_once = 0
        self._bytes = 0
        """The bytes of all bodies that are in memory."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises RequestRefused."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if seconds := self._rate.seconds_to_wait(client_address(scope)):
            raise refuse_often(seconds, "this address")
        self._check_length(scope)
        if scope["path"] in STREAM_PATHS:
            await self._app(scope, receive, send)
            return
        if self._at_once >= self._bounds.requests:
            raise RequestRefused(ProblemKind.BUSY, "too many requests at once; try again", headers={"Retry-After": "1"})
        body = _CountedBody(self, receive)
        self._at_once += 1
        try:
            await self._app(scope, body.receive, send)
        finally:
            self._at_once -= 1
            self._bytes -= body.bytes

    def _check_length(self, scope: Scope) -> None:
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length) > self._bounds.body_bytes:
            raise self.too_large()

    def too_large(self) -> RequestRefused:
        """Return the refusal of a body that is too large."""
        return RequestRefused(
            ProblemKind.TOO_LARGE,
            f"a body may have {self._bounds.body_bytes:,} bytes at most; send several requests",
        )

    def take(self, body: _CountedBody, size: int) -> None:
        """Count further bytes of a body. Raises RequestRefused."""
        if body.bytes + size > self._bounds.body_bytes:
            raise self.too_large()
        if self._bytes + size > self._bounds.bodies_bytes:
            raise RequestRefused(
                ProblemKind.BUSY, "too many large bodies at once; try again", headers={"Retry-After": "2"}
            )
        self._bytes += size
        body.bytes += size

    @property
    def body_s(self) -> float:
        """Return how many seconds a body may take."""
        return self._bounds.body_s


class _CountedBody:
    """Receive a body, and count its bytes as they come, because a client may state no length or a wrong one."""

    def __init__(self, admission: RequestAdmission, receive: Receive) -> None:
        self._admission = admission
        self._receive = receive
        self._is_whole = False
        self._until = asyncio.get_running_loop().time() + admission.body_s
        self.bytes = 0

    async def receive(self) -> Message:
        """Return the next message of the client. Raises RequestRefused."""
        if self._is_whole:  # what comes now is the client's leaving, however late
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise RequestRefused(ProblemKind.TOO_SLOW, "the body did not come in time; send it again") from None
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        self._admission.take(self, len(message.get("body", b"")))
        return message
