"""Small model servers for tests: real HTTP, answers from a script, everything that arrives kept."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from manyhands.actors.mllm import ModelSettings


@dataclass(frozen=True)
class Say:
    """A chat completion with this text."""

    text: str | None
    usage: Mapping[str, Any] | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Fail:
    status: int
    message: str = "not now"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """An answer with any body."""

    body: str
    content_type: str = "text/html"
    status: int = 200


@dataclass(frozen=True)
class Stream:
    """A successful answer in pieces, until they end or the client hangs up."""

    pieces: Callable[[], Iterable[bytes]]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """No answer until the client hangs up."""


@dataclass(frozen=True)
class Drop:
    """The connection is closed without an answer."""


@dataclass(frozen=True)
class Hold:
    """The text, once the event is set."""

    until: asyncio.Event
    text: str


Answer = Say | Fail | Raw | Stream | Hang | Drop | Hold


@dataclass(frozen=True)
class Received:
    body: bytes
    headers: Mapping[str, str]

    @property
    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


class ModelServer:
    """Answers in the order of the script; its last answer is repeated."""

    def __init__(self, *script: Answer, models: tuple[str, ...] = ("stand-in",)) -> None:
        self.script = deque(script)
        self.models = models
        self.roots: dict[str, str] = {}
        """What is loaded under a name, for those names of which the page of models says it."""
        self.loading = 0
        """How many requests for the page of models are yet answered 503, because the model is loading."""
        self.models_text: str | None = None
        """What the page of models says in place of their names."""
        self.pages: dict[str, tuple[int, str]] = {}
        """Pages beside the API (/health, /metrics, /version): status and text; those not named are 404."""
        self.asked: Counter[str] = Counter()
        """How often each such page was asked for."""
        self.received: list[Received] = []
        self.arrived = asyncio.Event()
        self._arrival = asyncio.Event()
        self.hung_up = asyncio.Event()
        self.hung_up_at: float | None = None
        self.url = ""

    async def models_page(self, request: web.Request) -> web.Response:
        if self.loading:
            self.loading -= 1
            return web.json_response({"error": {"message": "Loading model"}}, status=503)
        if self.models_text is not None:
            return web.Response(text=self.models_text)
        listed = [{"id": name, "object": "model", "root": self.roots.get(name)} for name in self.models]
        return web.json_response({"object": "list", "data": listed})

    async def page(self, request: web.Request) -> web.Response:
        self.asked[request.path] += 1
        status, text = self.pages.get(request.path, (404, ""))
        return web.Response(status=status, text=text)

    async def next_arrival(self) -> None:
        """Returns at the next request, or at once where one has come since this was called last."""
        await asyncio.wait_for(self._arrival.wait(), 10)
        self._arrival.clear()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.received.append(Received(await request.read(), dict(request.headers)))
        self.arrived.set()
        self._arrival.set()
        answer = self.script.popleft() if len(self.script) > 1 else self.script[0]
        match answer:
            case Say():
                return web.json_response(completion(answer))
            case Fail():
                error = {"error": {"message": answer.message, "code": answer.status}}
                return web.json_response(error, status=answer.status, headers=dict(answer.headers))
            case Raw():
                return web.Response(text=answer.body, content_type=answer.content_type, status=answer.status)
            case Stream():
                return await _stream(request, answer)
            case Hold():
                await answer.until.wait()
                return web.json_response(completion(Say(answer.text)))
            case Drop():
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            case Hang():
                return await self._hang()

    async def _hang(self) -> web.StreamResponse:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.hung_up_at = asyncio.get_running_loop().time()
            self.hung_up.set()
            raise
        raise AssertionError("unreachable")


async def _stream(request: web.Request, answer: Stream) -> web.StreamResponse:
    response = web.StreamResponse(headers=dict(answer.headers))
    await response.prepare(request)
    for piece in answer.pieces():
        await response.write(piece)
    await response.write_eof()
    return response


def completion(answer: Say) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    return {
        "id": "1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
        "usage": answer.usage,
    }


@asynccontextmanager
async def serving(server: ModelServer, port: int = 0) -> AsyncIterator[ModelServer]:
    """The server on a free port of 127.0.0.1, or on ``port``."""
    app = web.Application(client_max_size=64 * 1024**2)
    app.router.add_get("/v1/models", server.models_page)
    app.router.add_post("/v1/chat/completions", server.complete)
    for path in ("/health", "/metrics", "/version"):
        app.router.add_get(path, server.page)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


def settings_for(*servers: ModelServer, **others: Any) -> ModelSettings:
    return ModelSettings.model_validate(
        {"urls": tuple(server.url for server in servers), "model": "stand-in", **others}
    )
