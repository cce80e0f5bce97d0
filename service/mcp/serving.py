"""Serve the MCP tools: over standard input and output for one program, or over HTTP for programs on this machine."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from manyhands.protocol.errors import BadInput
from manyhands.service.client.async_client import AsyncClient
from manyhands.service.mcp.tools import make_server

HOST = "127.0.0.1"
PATH = "/mcp"
MOST_SESSIONS = 64


class TokenGate:
    """Pass on requests that carry the token of the service. Everybody on this machine can reach a port of it."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        """Stand before ``app``."""
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request without the token with 401."""
        credentials = Headers(scope=scope).get("authorization", "") if scope["type"] == "http" else None
        if credentials is not None and not hmac.compare_digest(credentials.encode(), self._expected):
            error = {"error": "send the token of the service: Authorization: Bearer TOKEN"}
            await JSONResponse(error, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def serve_stdio(client: AsyncClient) -> None:
    """Serve the program that started this process, until its end of standard input."""
    await make_server(client).run_stdio_async()


@asynccontextmanager
async def serving_http(client: AsyncClient, token: str, port: int) -> AsyncIterator[str]:
    """Serve programs on this machine while the context is open. Give the URL. Port 0 takes a free port.

    Raises BadInput for a port that is in use.
    """
    listener = _listen(port)
    bound_port = listener.getsockname()[1]
    # Pages in a browser reach this machine, too: only requests to these names are answered, and none from a page.
    names = [f"{host}:{bound_port}" for host in (HOST, "localhost")]
    app = make_server(client).streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(allowed_hosts=names, allowed_origins=[]),
        host=HOST,
    )
    config = uvicorn.Config(
        TokenGate(app, token), ws="none", lifespan="on", log_config=None, access_log=False, server_header=False
    )
    server = _QuietServer(config)
    served = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started and not served.done():  # noqa: ASYNC110 (the server has no event for it)
            await asyncio.sleep(0.01)
        yield f"http://{HOST}:{bound_port}{PATH}"
    finally:
        server.should_exit = server.force_exit = True
        await asyncio.gather(served, return_exceptions=True)
        listener.close()


class _QuietServer(uvicorn.Server):
    """Leave signals to the command."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise BadInput(f"--port {port}: cannot listen at {HOST}: {error.strerror or error}") from error
    return listener
