"""Sending a run's recorded requests to a model server again. Nothing that comes back is carried out."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import openai
from pydantic import Field

from actors.frames import content_id, decode_png, encode_jpeg
from actors.mllm import Dialect, restore_request
from actors.mllm.answers import ChatCompletion, described, read_completion
from deploy.model_server import LOOPBACK
from deploy.readings import UNREADABLE, read_reply
from evaluation.recorded_calls import RecordedCall, shown_ids
from evaluation.replay_report import Replayed, Said
from evaluation.run_folder import RunFolder
from protocol.base import Input, Role
from protocol.errors import (
    BadInput,
    CaptureFailed,
    DeadlinePassed,
    ManyhandsError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    StoreError,
)
from protocol.messages import ModelCall, Usage

KEPT_PICTURES = 32
"""JPEGs held at a time; neighbouring requests show the same screenshots."""
UNSENT_FIELDS = frozenset({"priority"})
"""Fields of a recorded request that are about its place in the queue of then, not about the answer."""


class ReplaySettings(Input):
    """Where to send, and how."""

    url: str
    model: str
    api_key: str | None = Field(default=None, repr=False)
    concurrency: int = Field(default=8, ge=1, le=1024)
    repeat: int = Field(default=1, ge=1)
    """How often each request is sent."""
    timeout_s: float = Field(default=180.0, gt=0)
    """For one request with its retries."""
    retries: int = Field(default=2, ge=0)
    """Of connection errors, 408, 409, 429 and 5xx, with growing pauses or as the server says (Retry-After)."""


class Pictures:
    """The JPEGs of a run's screenshots, made again as at capture."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._jpeg = functools.lru_cache(KEPT_PICTURES)(self._encode)

    def of(self, request: dict[str, Any]) -> dict[str, bytes]:
        """The JPEG of each picture that a request shows, by content id. Blocks. Raises StoreError."""
        return {content: self._jpeg(content) for content in shown_ids(request)}

    def _encode(self, content: str) -> bytes:
        png = self._run.screen_png(content)
        if png is None:
            raise StoreError(f"{self._run.path}: screens/{content}.png is missing")
        try:
            rgb = decode_png(png)
        except CaptureFailed as error:
            raise StoreError(f"{self._run.path}: screens/{content}.png is damaged: {error}") from error
        if content_id(rgb) != content:
            raise StoreError(f"{self._run.path}: screens/{content}.png holds other pixels than its name says")
        return encode_jpeg(rgb)


class Replayer:
    """Sends requests while its context is open. Cancelling ``replay`` closes the connections."""

    def __init__(self, settings: ReplaySettings, run: RunFolder, dialects: Mapping[Role, Dialect]) -> None:
        self._settings = settings
        self._pictures = Pictures(run)
        self._dialects = dialects
        self._client: openai.AsyncOpenAI | None = None

    async def __aenter__(self) -> Self:
        settings = self._settings
        # A server on this machine is not asked through a proxy, whatever the environment says.
        http = openai.DefaultAsyncHttpxClient(trust_env=urlsplit(settings.url).hostname not in LOOPBACK)
        self._client = openai.AsyncOpenAI(
            base_url=settings.url.rstrip("/"),
            api_key=settings.api_key or "none",
            max_retries=settings.retries,
            timeout=settings.timeout_s,
            http_client=http,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def replay(self, calls: Sequence[RecordedCall], done: Callable[[Replayed], None]) -> None:
        """Send all; ``done`` is given each result as it comes, not in order.

        Nothing is raised for a request that fails; what ``done`` raises ends the replay.
        """
        waiting = iter(enumerate(calls))
        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(self._settings.concurrency, len(calls))):
                    workers.create_task(self._work(waiting, done))
        except ExceptionGroup as group:
            raise group.exceptions[0] from group.exceptions[0].__cause__

    async def _work(self, waiting: Iterator[tuple[int, RecordedCall]], done: Callable[[Replayed], None]) -> None:
        for number, recorded in waiting:
            now = [await self._ask(recorded) for _ in range(self._settings.repeat)]
            done(
                Replayed(
                    number=number,
                    episode=recorded.episode,
                    step=recorded.step,
                    turn=recorded.turn,
                    role=recorded.role,
                    recorded=then(recorded, self._dialects[recorded.role]),
                    now=tuple(now),
                )
            )

    async def _ask(self, recorded: RecordedCall) -> Said:
        began = time.perf_counter()
        try:
            content = await asyncio.to_thread(self._content, recorded.call)
            began = time.perf_counter()
            answer = await self._send(content)
        except (ModelError, DeadlinePassed, StoreError, BadInput) as error:
            return _unsaid(error, _ms_since(began))
        return _said(recorded, answer.text, _ms_since(began), answer.counted(), self._dialects[recorded.role])

    def _content(self, call: ModelCall) -> bytes:
        request = {name: value for name, value in call.request.items() if name not in UNSENT_FIELDS}
        request["model"] = self._settings.model
        return restore_request(call.model_copy(update={"request": request}), self._pictures.of(request))

    async def _send(self, content: bytes) -> ChatCompletion:
        """Raises DeadlinePassed, ModelRefused, ModelUnreachable."""
        if self._client is None:
            raise RuntimeError("open the replayer first")
        url = self._settings.url
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                body = await self._client.post(
                    "/chat/completions",
                    cast_to=str,
                    content=content,
                    options={"headers": {"Content-Type": "application/json", **self._credentials}},
                )
        except (TimeoutError, openai.APITimeoutError):
            raise DeadlinePassed(f"{url} did not answer within {self._settings.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            raise ModelUnreachable(self._without_key(described(url, error))) from error
        except openai.APIError as error:
            raise ModelRefused(self._without_key(described(url, error))) from error
        return read_completion(url, body)

    @property
    def _credentials(self) -> dict[str, Any]:
        """Headers by which the library would send what only its environment knows are left out."""
        unsent: dict[str, Any] = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        return unsent if self._settings.api_key else {**unsent, "Authorization": openai.Omit()}

    def _without_key(self, text: str) -> str:
        key = self._settings.api_key
        return text.replace(key, "***") if key else text


def then(recorded: RecordedCall, dialect: Dialect) -> Said:
    """The recorded answer, read as the new one is: so that only the models differ."""
    call = recorded.call
    if call.reply is None:
        return Said(
            text=None,
            reading=None,
            code="no_reply",
            error=call.error or "no reply was recorded",
            latency_ms=call.latency_ms,
            usage=call.usage,
        )
    return _said(recorded, call.reply, call.latency_ms, call.usage, dialect)


def _said(recorded: RecordedCall, text: str, latency_ms: float, usage: Usage, dialect: Dialect) -> Said:
    try:
        reading = read_reply(recorded, text, dialect)
    except UNREADABLE as error:
        return Said(text=text, reading=None, code=error.code, error=str(error), latency_ms=latency_ms, usage=usage)
    return Said(text=text, reading=reading, latency_ms=latency_ms, usage=usage)


def _unsaid(error: ManyhandsError, latency_ms: float) -> Said:
    return Said(text=None, reading=None, code=error.code, error=str(error), latency_ms=latency_ms, usage=Usage())


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
