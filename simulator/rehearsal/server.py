"""An OpenAI-compatible chat-completions server in front of the rehearsed model."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from manyhands.simulator.capacity import Capacity, Place
from manyhands.simulator.rehearsal.model import RehearsedModel, Written
from manyhands.simulator.rehearsal.reader import OcrReader, ReaderLost, UnreadableImage
from manyhands.simulator.rehearsal.request import BadRequest, ModelRequest, parse_request
from manyhands.simulator.rehearsal.script import load_scripts
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.rehearsal.usage import PrefixCache, text_tokens
from manyhands.simulator.serving.http_server import ModelDoor, Refused

MODEL_NAME = "manyhands-rehearsed"
_CHUNK_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class _Reply:
    """What is sent to the client, whole or piece by piece."""

    identity: str
    text: str
    finish: str
    usage: dict[str, Any]


@asynccontextmanager
async def rehearse(settings: RehearsalSettings) -> AsyncIterator[RehearsalServer]:
    """A rehearsed model that listens at ``server.url`` until the block is left. Raises BadInput."""
    reader = OcrReader(settings.reader_processes, settings.cached_pages)
    server = RehearsalServer(settings, RehearsedModel(load_scripts(settings.scripts), reader, settings), reader)
    await reader.start()
    try:
        await server.start()
        yield server
    finally:
        await server.stop()
        await reader.stop()


class RehearsalServer:
    """The HTTP side: requests, streams, usage, counts. A client that hangs up ends its request at once."""

    def __init__(self, settings: RehearsalSettings, model: RehearsedModel, reader: OcrReader) -> None:
        self._settings = settings
        self._model = model
        self._reader = reader
        self._capacity = Capacity(settings.latency_s, settings.tokens_per_s, settings.max_running)
        self._prefixes = PrefixCache(settings.prefix_cache_tokens)
        self._prompt_tokens = self._cached_tokens = 0
        self._door = ModelDoor(MODEL_NAME, settings.host, settings.port, self._complete, self._figures)

    @property
    def url(self) -> str:
        """The base URL for clients, with the API's version."""
        return self._door.url

    @property
    def port(self) -> int:
        return self._door.port

    async def start(self) -> None:
        """Raises BadInput where it cannot listen."""
        await self._door.start()

    async def stop(self) -> None:
        await self._door.stop()

    def _figures(self) -> dict[str, float]:
        return {
            "vllm:num_requests_running": self._capacity.running,
            "vllm:num_requests_waiting": self._capacity.waiting,
            "vllm:prompt_tokens_total": self._prompt_tokens,
            "vllm:prompt_tokens_cached_total": self._cached_tokens,
            "vllm:generation_tokens_total": self._capacity.written,
            "rehearsal_requests_total": self._door.counts["requests"],
            "rehearsal_requests_aborted_total": self._door.counts["aborted"],
            "rehearsal_mistakes_total": self._model.mistakes_made,
            "rehearsal_images_read_total": self._reader.images_read,
            "rehearsal_images_remembered_total": self._reader.images_remembered,
            "rehearsal_model_cpu_seconds_total": round(self._reader.cpu_s + time.process_time(), 3),
        }

    # ------------------------------------------------------------------ completions
    async def _complete(self, http: web.Request) -> web.StreamResponse:
        try:
            return await self._answer(http)
        except (BadRequest, UnreadableImage) as error:
            raise Refused(str(error)) from error
        except ReaderLost as error:
            raise Refused(str(error), 500, "internal_error") from error

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        try:
            body = await http.json()
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}") from error
        request = parse_request(body, http.headers)
        async with self._capacity.place(request.priority) as place:
            written = await self._model.answer(request)
            text, finish = _cut(written, request.max_tokens)
            usage = self._usage(request, text)
            place.reply(request.role, usage["completion_tokens"])
            reply = _Reply(f"chatcmpl-{uuid.uuid4().hex}", text, finish, usage)
            if request.stream:
                return await self._stream(http, request, reply, place)
            await place.write(usage["completion_tokens"])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return web.json_response(
            _head(reply.identity, "chat.completion", request.model) | {"choices": [choice], "usage": usage}
        )

    async def _stream(
        self, http: web.Request, request: ModelRequest, reply: _Reply, place: Place
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(http)
        head = _head(reply.identity, "chat.completion.chunk", request.model)

        async def send(value: dict[str, Any]) -> None:
            await response.write(f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode())

        for start in range(0, len(reply.text), _CHUNK_CHARACTERS):
            piece = reply.text[start : start + _CHUNK_CHARACTERS]
            await place.write(text_tokens(piece))
            delta = {"content": piece} if start else {"role": "assistant", "content": piece}
            await send(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        await send(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
        if request.stream_usage:
            await send(head | {"choices": [], "usage": reply.usage})
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _usage(self, request: ModelRequest, text: str) -> dict[str, Any]:
        prompt, cached = self._prefixes.take(request.parts)
        output = text_tokens(text)
        self._prompt_tokens += prompt
        self._cached_tokens += cached
        return {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


def _head(identity: str, kind: str, model: str) -> dict[str, Any]:
    return {"id": identity, "object": kind, "created": int(time.time()), "model": model or MODEL_NAME}


def _cut(written: Written, max_tokens: int | None) -> tuple[str, str]:
    """The text within ``max_tokens``, and why it ends."""
    text = written.text
    if max_tokens is None or text_tokens(text) <= max_tokens:
        return text, written.finish
    while text_tokens(text) > max_tokens:
        text = text[:-4]
    return text, "length"
