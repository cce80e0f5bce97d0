"""An OpenAI-compatible chat-completions server in front of the rehearsed model."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from manyhands.simulator.rehearsal.model import RehearsedModel, Written
from manyhands.simulator.rehearsal.reader import OcrReader, ReaderLost, UnreadableImage
from manyhands.simulator.rehearsal.request import BadRequest, ModelRequest, parse_request
from manyhands.simulator.rehearsal.script import load_scripts
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.rehearsal.usage import PrefixCache, text_tokens
from manyhands.simulator.serving.capacity import Place
from manyhands.simulator.serving.model_server import ModelServer, Refused, usage_of

MODEL_NAME = "manyhands-rehearsed"
_CHUNK_CHARACTERS = 16


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


class RehearsalServer(ModelServer):
    """The HTTP side: requests, streams, usage, counts. A client that hangs up ends its request at once."""

    def __init__(self, settings: RehearsalSettings, model: RehearsedModel, reader: OcrReader) -> None:
        super().__init__(MODEL_NAME, settings)
        self._model = model
        self._reader = reader
        self._prefixes = PrefixCache(settings.prefix_cache_tokens)
        self._prompt_tokens = self._cached_tokens = 0

    def _figures(self) -> dict[str, float]:
        return {
            "vllm:num_requests_running": self._capacity.running,
            "vllm:num_requests_waiting": self._capacity.waiting,
            "vllm:prompt_tokens_total": self._prompt_tokens,
            "vllm:prompt_tokens_cached_total": self._cached_tokens,
            "vllm:generation_tokens_total": self._capacity.written,
            "rehearsal_requests_total": self.counts["requests"],
            "rehearsal_requests_aborted_total": self.counts["aborted"],
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
            if request.stream:
                return await self._stream(http, request, text, finish, usage, place)
            await place.write(usage["completion_tokens"])
        return self._completion(request.model, text, finish, usage)

    async def _stream(
        self, http: web.Request, request: ModelRequest, text: str, finish: str, usage: dict[str, Any], place: Place
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(http)
        head = self._head("chat.completion.chunk", request.model)

        async def send(value: dict[str, Any]) -> None:
            await response.write(f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode())

        for start in range(0, len(text), _CHUNK_CHARACTERS):
            piece = text[start : start + _CHUNK_CHARACTERS]
            await place.write(text_tokens(piece))
            delta = {"content": piece} if start else {"role": "assistant", "content": piece}
            await send(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        await send(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if request.stream_usage:
            await send(head | {"choices": [], "usage": usage})
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _usage(self, request: ModelRequest, text: str) -> dict[str, Any]:
        prompt, cached = self._prefixes.take(request.parts)
        output = text_tokens(text)
        self._prompt_tokens += prompt
        self._cached_tokens += cached
        return usage_of(prompt, output, cached)


def _cut(written: Written, max_tokens: int | None) -> tuple[str, str]:
    """Return the text within ``max_tokens``, and why it ends."""
    text = written.text
    if max_tokens is None or text_tokens(text) <= max_tokens:
        return text, written.finish
    while text_tokens(text) > max_tokens:
        text = text[:-4]
    return text, "length"
