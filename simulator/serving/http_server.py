"""The HTTP door of a model server that stands in for vLLM: its address, its small pages, and counts of requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from manyhands.protocol.errors import BadInput

MAX_BODY_BYTES = 64 * 2**20

Complete = Callable[[web.Request], Awaitable[web.StreamResponse]]
"""Answers one chat completion. Raises Refused."""


class Refused(Exception):
    """A request that is answered with an error: an HTTP status and OpenAI's kind of error."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class ModelDoor:
    """Listens from ``start`` to ``stop``. A client that hangs up ends its request at once, which counts as aborted."""

    def __init__(
        self, model: str, host: str, port: int, complete: Complete, figures: Callable[[], Mapping[str, float]]
    ) -> None:
        """``port`` 0 takes a free one. ``figures``: what /metrics tells, by the metric's name."""
        self.model = model
        self.host = host
        self.port = port
        self.counts: Counter[str] = Counter()
        """``requests`` that came and those that were ``aborted``."""
        self._complete = complete
        self._figures = figures
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The base URL for clients, with the API's version."""
        return f"http://{self.host}:{self.port}/v1"

    async def start(self) -> None:
        """Raises BadInput where it cannot listen."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self.host, self.port).start()
        except OSError as error:
            where = f"{self.host}:{self.port}"
            raise BadInput(f"{self.model} cannot listen at {where}: {error.strerror or error}") from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _models(self, _: web.Request) -> web.Response:
        entry = {"id": self.model, "object": "model", "created": 0, "owned_by": "manyhands", "max_model_len": 262_144}
        return web.json_response({"object": "list", "data": [entry]})

    async def _health(self, _: web.Request) -> web.Response:
        return web.Response()

    async def _metrics(self, _: web.Request) -> web.Response:
        lines = [f'{name}{{model_name="{self.model}"}} {value}' for name, value in self._figures().items()]
        return web.Response(text="\n".join(lines) + "\n")

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        self.counts["requests"] += 1
        ended = False
        try:
            response = await self._complete(http)
            ended = True
            return response
        except Refused as error:
            ended = True
            body = {"message": str(error), "type": error.kind, "param": None, "code": error.status}
            return web.json_response({"error": body}, status=error.status)
        finally:
            if not ended:
                self.counts["aborted"] += 1
