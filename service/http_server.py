"""Serve the HTTP application in the event loop of the service."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from manyhands.protocol.errors import BadInput
from manyhands.service.api.app import end_streams
from manyhands.service.api.connections import bounded_connections
from manyhands.service.api.settings import ServiceBounds

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
