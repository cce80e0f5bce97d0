"""A proxy before a model server that remembers whose request each was."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import unquote

import aiohttp
from aiohttp import web

from manyhands.actors.mllm.client.transport import EPISODE_HEADER, STEP_HEADER, TRACE_HEADER
from tests.deploy.telemetry.traces.http_thread import served
from tests.deploy.telemetry.traces.otlp_receiver import free_port


class StepRequest(NamedTuple):
    """What the headers of a request say."""

    episode: str
    step: int
    traceparent: str


class RecordingProxy:
    """Forwards all requests to a model server."""

    def __init__(self, model: str) -> None:
        """``model``: the URL of its API."""
        self._port = free_port()
        self._base = model.removesuffix("/v1")
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self.requests: list[StepRequest] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{path:.*}", self._forward)
        app.cleanup_ctx.append(self._with_session)
        with served(app, self._port):
            yield

    async def _with_session(self, _: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as self._session:
            yield

    async def _forward(self, request: web.Request) -> web.Response:
        told = request.headers
        if TRACE_HEADER in told:
            self.requests.append(StepRequest(unquote(told[EPISODE_HEADER]), int(told[STEP_HEADER]), told[TRACE_HEADER]))
        passed = {name: value for name, value in told.items() if name.lower() not in ("host", "content-length")}
        async with self._session.request(
            request.method, self._base + request.path_qs, headers=passed, data=await request.read()
        ) as answer:
            body = await answer.read()
            return web.Response(
                status=answer.status, body=body, headers={"content-type": answer.headers["content-type"]}
            )
