"""Serve the rehearsed model over an OpenAI-compatible chat-completions interface."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from manyhands.simulator.rehearsal.model import RehearsedModel, Written
from manyhands.simulator.rehearsal.reader import OcrReader, ReaderLost, UnreadableImage
from manyhands.simulator.rehearsal.request import ModelRequest, parse_request
from manyhands.simulator.rehearsal.script import load_scripts
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.rehearsal.usage import PrefixCache, PromptUsage, prompt_ids, text_tokens
from manyhands.simulator.serving.made_tokens import MadeTokens, made_ids
from manyhands.simulator.serving.model_server import ModelServer, Refused, usage_of

MODEL_NAME = "manyhands-rehearsed"


@asynccontextmanager
async def rehearse(settings: RehearsalSettings) -> AsyncIterator[RehearsalServer]:
    """Serve a rehearsed model at ``server.url`` until the block ends. Raises BadInput."""
    reader = OcrReader(settings.reader_processes, settings.cached_pages)
    model = RehearsedModel(load_scripts(settings.scripts), reader, settings)
    await reader.start()
    try:
        async with RehearsalServer(settings, model) as server:
            yield server
    finally:
        await reader.stop()


STREAM_PARTS = 12
"""In how many parts a reply is streamed."""


class RehearsalServer(ModelServer):
    """Answer HTTP requests with the model's replies and their usage. A client that hangs up ends its request."""

    def __init__(self, settings: RehearsalSettings, model: RehearsedModel) -> None:
        super().__init__(MODEL_NAME, settings)
        self._model = model
        self._settings = settings
        self._prefixes = PrefixCache(settings.prefix_cache_tokens)

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        try:
            body = await http.json()
        except ValueError as error:
            raise Refused(f"the body is not JSON: {error}") from error
        request = parse_request(body, http.headers)
        async with self._capacity.place(request.priority) as since:
            try:
                written = await self._model.answer(request)
            except UnreadableImage as error:
                raise Refused(str(error)) from error
            except ReaderLost as error:
                raise Refused(str(error), 500, "internal_error") from error
            text, finish = _cut(written, request.max_tokens)
            prompt = self._prefixes.take(request.parts)
            self._prompt_tokens += prompt.total
            self._cached_tokens += prompt.cached
            output = text_tokens(text)
            usage = usage_of(prompt.total, output, prompt.cached)
            tokens = MadeTokens(prompt_ids(request.parts), made_ids(text, output)) if request.asks_tokens else None
            if request.is_streamed:
                parts = self._write_parts(request, prompt, text, since)
                return await self._stream(http, request.model, parts, finish, usage, tokens)
            await self._capacity.write(request.role, output, since, self._cost_s(prompt, output))
        return self._completion(request.model, text, finish, usage, tokens)

    async def _write_parts(
        self, request: ModelRequest, prompt: PromptUsage, text: str, since: float
    ) -> AsyncIterator[str]:
        """Yield the text in parts, each when it is written."""
        length = max(1, -(-len(text) // STREAM_PARTS))
        for start in range(0, max(1, len(text)), length):
            part = text[start : start + length]
            written = text_tokens(text[: start + length])
            role, cost_s = request.role if start == 0 else None, self._cost_s(prompt, written)
            await self._capacity.write(role, text_tokens(part), since, cost_s)
            yield part

    def _cost_s(self, prompt: PromptUsage, output: int) -> float:
        """Return the least time of so many tokens of a reply, in seconds."""
        read_ms = (prompt.total - prompt.cached) * self._settings.input_token_ms
        pictures_ms = prompt.new_pictures * self._settings.picture_ms
        return (read_ms + pictures_ms + output * self._settings.output_token_ms) / 1000


def _cut(written: Written, max_tokens: int | None) -> tuple[str, str]:
    """Return the text, cut to ``max_tokens``, and the finish reason."""
    text = written.text
    if max_tokens is None or text_tokens(text) <= max_tokens:
        return text, written.finish
    while text_tokens(text) > max_tokens:
        text = text[:-4]
    return text, "length"
