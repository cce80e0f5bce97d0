"""Answer HTTP requests as vLLM does: list the model, tell health and metrics, and pass on chat completions."""

from __future__ import annotations

import json
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from manyhands.protocol.errors import BadInput
from manyhands.simulator.serving.capacity import Capacity
from manyhands.simulator.serving.made_tokens import MadeTokens
from manyhands.simulator.serving.settings import ServerSettings

MAX_BODY_BYTES = 64 * 2**20


class Refused(Exception):
    """Signal that a request is answered with an error: an HTTP status and OpenAI's type of error."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class ModelServer(ABC):
    """Listen while the context is open. If a client hangs up, its request ends at once and counts as aborted."""

    def __init__(self, model: str, settings: ServerSettings) -> None:
        self.model = model
        self.host = settings.host
        self.port = settings.port
        self._requests = self._aborted = 0
        self._prompt_tokens = self._cached_tokens = 0
        self._capacity = Capacity(settings.latency_s, settings.tokens_per_s, settings.max_running)
        self._runner: web.AppRunner

    @abstractmethod
    async def _complete(self, http: web.Request) -> web.StreamResponse:
        """Answer one chat completion. Raises Refused."""

    def _completion(
        self, model: str, text: str, finish: str, usage: Mapping[str, Any], tokens: MadeTokens | None = None
    ) -> web.Response:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        head = self._head(model, "chat.completion")
        if tokens is not None:
            choice |= tokens.fields() | tokens.weights
            head |= {"prompt_token_ids": tokens.prompt}
        return web.json_response({**head, "choices": [choice], "usage": usage})

    async def _stream(
        self,
        http: web.Request,
        model: str,
        parts: AsyncIterator[str],
        finish: str,
        usage: Mapping[str, Any],
        tokens: MadeTokens | None = None,
    ) -> web.StreamResponse:
        """Send a completion as server-sent events: each part of its text, then why it ended, then the usage.

        As in vLLM, the first event has the ids of the prompt, each has those of its part, and the last has the version
        of the weights.
        """
        head = self._head(model, "chat.completion.chunk")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)

        async def send(**fields: Any) -> None:
            await response.write(f"data: {json.dumps(head | fields)}\n\n".encode())

        if tokens is not None:
            await send(choices=[{"index": 0, "delta": {"content": ""}}], prompt_token_ids=tokens.prompt)
        sent = 0
        async for part in parts:
            ids = {} if tokens is None else tokens.fields(sent, sent + 1)
            sent += 1
            await send(choices=[{"index": 0, "delta": {"content": part}, "finish_reason": None, **ids}])
        rest = {} if tokens is None else tokens.fields(sent) | tokens.weights
        await send(choices=[{"index": 0, "delta": {}, "finish_reason": finish, **rest}])
        await send(choices=[], usage=usage)
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _head(self, model: str, kind: str) -> dict[str, Any]:
        id = f"chatcmpl-{uuid.uuid4().hex}"
        return {"id": id, "object": kind, "created": int(time.time()), "model": model or self.model}

    @property
    def url(self) -> str:
        """Return the base URL for clients, with the API's version."""
        return f"http://{self.host}:{self.port}/v1"

    async def __aenter__(self) -> Self:
        """Start to listen. Raises BadInput if the address cannot be used."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self.host, self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            where = f"{self.host}:{self.port}"
            raise BadInput(f"{self.model} cannot listen at {where}: {error.strerror or error}") from error
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _models(self, _: web.Request) -> web.Response:
        entry = {"id": self.model, "object": "model", "created": 0, "owned_by": "manyhands", "max_model_len": 262_144}
        return web.json_response({"object": "list", "data": [entry]})

    async def _health(self, _: web.Request) -> web.Response:
        return web.Response()

    async def _metrics(self, _: web.Request) -> web.Response:
        figures = {
            "vllm:num_requests_running": self._capacity.running,
            "vllm:num_requests_waiting": self._capacity.waiting,
            "vllm:prompt_tokens_total": self._prompt_tokens,
            "vllm:prompt_tokens_cached_total": self._cached_tokens,
            "vllm:generation_tokens_total": self._capacity.written,
            "stand_in_requests_total": self._requests,
            "stand_in_requests_aborted_total": self._aborted,
        }
        lines = [f'{name}{{model_name="{self.model}"}} {value}' for name, value in figures.items()]
        return web.Response(text="\n".join(lines) + "\n")

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        self._requests += 1
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
                self._aborted += 1


def usage_of(prompt: int, output: int, cached: int = 0) -> dict[str, Any]:
    """Return the ``usage`` of a completion in OpenAI's form."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
