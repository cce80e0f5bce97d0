"""Refuse requests beyond the bounds before they are worked on: requests a second, requests at once, bytes of bodies."""

from __future__ import annotations

import asyncio
import math

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.service.api.problems import ProblemKind, RequestRefused
from manyhands.service.api.rates import RequestRate
from manyhands.service.api.settings import ServiceBounds

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
