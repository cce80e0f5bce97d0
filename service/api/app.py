"""Make the HTTP application of a service. Run as a program, print an ``openapi.json`` with the data of reports, too."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manyhands.protocol.episode_report import EpisodeReport, StepCalls
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.run_report import DifferenceReport, RunReport
from manyhands.service.api.admission import RequestAdmission
from manyhands.service.api.audit_log import AuditLog, AuditWriter
from manyhands.service.api.authentication import TokenAuthentication
from manyhands.service.api.openapi import describe_api
from manyhands.service.api.parts import RouteContext, ServiceParts
from manyhands.service.api.problems import ErrorBoundary, answer_error
from manyhands.service.api.routes import ROUTERS

PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""What a page of the service may load: its own styles and pictures, no script at all."""
_ALWAYS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_STORE_NOTHING = (b"cache-control", b"no-store")
_ONE_YEAR = (b"strict-transport-security", b"max-age=31536000")


class SecurityHeaders:
    """Add the headers to each answer, also to refusals. An answer's own Cache-Control stays."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_missing(message.get("headers", ()), scope)]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _missing(headers: Iterable[tuple[bytes, bytes]], scope: Scope) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    added = [(name.lower().encode(), value.encode()) for name, value in _ALWAYS.items()]
    added.append(_STORE_NOTHING)
    if scope.get("scheme") == "https":
        added.append(_ONE_YEAR)
    return [(name, value) for name, value in added if name not in there]


PREFIX = "/api/v1"
DESCRIPTION = (
    "Takes batches of goals in plain language, has a fleet of Android phones carry them out, and tells what becomes of "
    "them. Every request under `/api/` needs a token: `Authorization: Bearer SECRET`. "
    "A browser may send the cookie of a session instead, which `POST /api/v1/session` sets. A problem is answered as "
    "`application/problem+json` (RFC 9457)."
)


def create_app(parts: ServiceParts) -> FastAPI:
    """Return the application. While it is served, it reads events and writes the audit log in the background."""
    context = RouteContext.of(parts)
    audit = AuditWriter(parts.audit, parts.bounds.audit_entries)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for work in (audit.run(), context.feed.run(), context.wall.run(), context.figures.run()):
                await stack.enter_async_context(in_background(work))
            yield

    app = FastAPI(
        title="Manyhands",
        summary="A fleet of Android phones that takes work.",
        description=DESCRIPTION,
        version=importlib.metadata.version("manyhands"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        telemetry={"tracing": False, "metrics": False, "logs": False},
        exception_handlers={
            HTTPException: answer_error,
            RequestValidationError: answer_error,
            ManyhandsError: answer_error,
        },
    )
    app.state.context = context
    for router, prefix in ROUTERS:
        app.include_router(router, prefix=prefix)
    app.openapi = lambda: _described_once(app)  # type: ignore[method-assign]
    # What is added last stands outermost.
    app.add_middleware(TokenAuthentication, tokens=parts.tokens, sessions=parts.sessions, bounds=parts.bounds)
    app.add_middleware(RequestAdmission, bounds=parts.bounds)
    app.add_middleware(ErrorBoundary)
    app.add_middleware(AuditLog, writer=audit)
    app.add_middleware(SecurityHeaders)
    return app


def end_streams(app: FastAPI) -> None:
    """End all open streams in order, before the server stops."""
    context: RouteContext = app.state.context
    context.feed.close()
    context.wall.close()


@asynccontextmanager
async def in_background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run ``work`` while the context is open. Then cancel it, and wait for its end."""
    async with AsyncExitStack() as stack:
        task = asyncio.create_task(work)

        async def stop() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stack.push_async_callback(stop)
        yield


def _described_once(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = describe_api(app, (router for router, _ in ROUTERS))
    return app.openapi_schema


REPORT_DATA = (RunReport, EpisodeReport, StepCalls, DifferenceReport)
"""The data that a report loads from the disk. No route of the service needs to answer them."""


def describe_page_types() -> dict[str, Any]:
    """Return the content of ``openapi.json``, with one more path for each type of ``REPORT_DATA``."""
    data = APIRouter()
    for kind in REPORT_DATA:
        data.add_api_route(f"/{kind.__name__}", _answer_nothing, response_model=kind, name=kind.__name__)
    routers = [*ROUTERS, (data, "/report")]
    app = FastAPI(title="Manyhands", version="0", generate_unique_id_function=lambda route: route.name)
    for router, prefix in routers:
        app.include_router(router, prefix=prefix)
    return describe_api(app, (router for router, _ in routers))


def _answer_nothing() -> None:
    """Stand in for a request: the data are files."""


if __name__ == "__main__":
    json.dump(describe_page_types(), sys.stdout, indent=1)
