"""Serve the HTTP application in the event loop of the service, and bound what clients can hold open."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from manyhands.protocol.errors import BadInput
from manyhands.service.api.app import end_streams
from manyhands.service.api.event_stream import ABORT
from manyhands.service.api.problems import MEDIA_TYPE, ProblemKind
from manyhands.service.api.settings import ServiceBounds

_KIND = ProblemKind.BUSY
_BODY = json.dumps(
    {
        "type": _KIND.uri,
        "title": _KIND.title,
        "status": _KIND.status,
        "detail": "too many connections are open; try again",
        "mistakes": [],
    }
).encode()
_REFUSAL = (
    f"HTTP/1.1 503 Service Unavailable\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(_BODY)}\r\n"
    "retry-after: 5\r\nconnection: close\r\n\r\n"
).encode() + _BODY


class BoundedConnection(H11Protocol):
    """Speak HTTP with one client, within the bounds of a service."""

    bounds: ClassVar[ServiceBounds] = ServiceBounds.model_construct()
    _idle: ClassVar[dict[BoundedConnection, None]] = {}
    """The connections of a server that had no request yet, or none since their last answer, the oldest first."""
    _at_address: ClassVar[Counter[str]] = Counter()
    """How many connections of a server each address has."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Take what the server gives each connection."""
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or refuse a connection that is too many."""
        super().connection_made(transport)
        self._address = "" if self.client is None else str(self.client[0])
        self._at_address[self._address] += 1
        self._idle[self] = None
        if not self._make_room():
            transport.write(_REFUSAL)
            transport.close()
            return
        self.app_state = {**self.app_state, ABORT: transport.abort}
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and stop all timers."""
        for timer in (self._head, self._stall):
            if timer is not None:
                timer.cancel()
        self._idle.pop(self, None)
        self._at_address[self._address] -= 1
        if not self._at_address[self._address]:
            del self._at_address[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, unless the connection is being closed."""
        if not self.transport.is_closing():
            super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request, for a bounded time."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._idle.pop(self, None)
            self._idle[self] = None
            self._await_head()

    def pause_writing(self) -> None:
        """Give a client that reads nothing a bounded time."""
        super().pause_writing()
        if self._stall is None:
            self._stall = self.loop.call_later(self.bounds.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> bool:
        """Close an idle connection if there are too many. Return False if none is idle."""
        is_address_full = self._at_address[self._address] > self.bounds.address_connections
        if not is_address_full and len(self.connections) <= self.bounds.connections:
            return True
        for oldest in self._idle:
            if is_address_full and oldest._address != self._address:
                continue
            if oldest._is_idle and oldest is not self and not oldest.transport.is_closing():
                oldest.transport.abort()
                return True
        return False

    def _await_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = self.loop.call_later(self.bounds.request_s, self._check_head)

    def _check_head(self) -> None:
        """Close the connection if no request is being answered: its head, or the rest of a body, takes too long."""
        if self._is_idle:
            self.transport.abort()


def bounded_connections(bounds: ServiceBounds) -> type[BoundedConnection]:
    """Return the class of a server's connections."""
    return type("_Connection", (BoundedConnection,), {"bounds": bounds, "_idle": {}, "_at_address": Counter()})


LAST_ANSWERS_S = 5
"""How many seconds answers may take to end when the service stops."""
BACKLOG = 2048
_SPARE_FILES = 512
"""How many files the service may open beside connections: databases, journals, pipes of the fleet."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Name the certificate and the private key of a service, as PEM files."""

    certificate: Path
    key: Path


@asynccontextmanager
async def serving(
    app: FastAPI, host: str, port: int, bounds: ServiceBounds, tls: TlsFiles | None = None
) -> AsyncIterator[str]:
    """Serve the application while the context is open. Give its URL. Port 0 takes a free port.

    Raises BadInput for an address at which it cannot listen, and for TLS files that cannot be used.
    """
    _allow_files(bounds.connections + _SPARE_FILES)
    listener = _listen(host, port)
    try:
        server = _EmbeddedServer(_configure(app, bounds, tls))
    except BaseException:
        listener.close()
        raise
    served = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started and not served.done():  # noqa: ASYNC110 (the server has no event for it)
            await asyncio.sleep(0.01)
        if served.done():
            served.result()
            raise BadInput(f"--port {port}: the HTTP server did not start")
        scheme = "http" if tls is None else "https"
        name = f"[{host}]" if ":" in host else host
        yield f"{scheme}://{name}:{listener.getsockname()[1]}"
    finally:
        end_streams(app)
        server.should_exit = True
        await asyncio.shield(asyncio.gather(served, return_exceptions=True))
        listener.close()


class _EmbeddedServer(uvicorn.Server):
    """Leave signals to the command, which stops the server together with the fleet."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _configure(app: FastAPI, bounds: ServiceBounds, tls: TlsFiles | None) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=bounded_connections(bounds),
        ws="none",
        lifespan="on",
        loop="none",
        log_config=None,
        log_level="error",  # what clients do wrong must not fill the log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=LAST_ANSWERS_S,
        h11_max_incomplete_event_size=bounds.heads_bytes,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise BadInput(f"--tls-cert, --tls-key: the files cannot be used: {error}") from error
    return config


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise BadInput(f"--host {host}: no such address: {error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise BadInput(f"--port {port}: cannot listen at {host}: {error.strerror or error}") from error
    return listener


def _allow_files(needed: int) -> None:
    """Let this process open enough files for its connections, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        if most < needed:
            _log.warning("the system allows %d open files; the service may need %d", most, needed)
