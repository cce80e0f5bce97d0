"""The client of one model: admission, routing, retries within a deadline, cancellation, and a record of every call."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import openai
from pydantic import ValidationError

from actors.mllm.admission import Admission
from actors.mllm.answers import (
    ChatCompletion,
    ModelList,
    described,
    read_completion,
    retried,
    retry_after_s,
)
from actors.mllm.bodies import Prompt, recorded_body, wire_body
from actors.mllm.dialects import Dialect, dialect_named
from actors.mllm.pool import Server, ServerPool
from actors.mllm.settings import ModelSettings
from protocol.base import Reply, Role
from protocol.errors import BadInput, DeadlinePassed, ModelRefused, ModelUnreachable
from protocol.messages import CallContext, ModelCall, Usage

EPISODE_HEADER = "x-manyhands-episode"
STEP_HEADER = "x-manyhands-step"
_FIRST_DELAY_S = 0.25
_LONGEST_DELAY_S = 8.0
_NAMING_TIMEOUT_S = 15.0
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer and the record of how it came about."""

    text: str
    cut_off: bool
    """The answer ended at max_tokens."""
    call: ModelCall


@dataclass(slots=True)
class _Trace:
    """What is known of one call while it goes on; becomes its ModelCall."""

    role: Role
    request: dict[str, Any]
    queue_ms: float
    server: str
    started_at: float = field(default_factory=time.time)
    began: float = field(default_factory=time.perf_counter)
    attempts: int = 0

    def call(self, reply: str | None, error: str | None, usage: Usage) -> ModelCall:
        return ModelCall(
            role=self.role,
            server=self.server,
            request=self.request,
            reply=reply,
            error=error,
            usage=usage,
            started_at=self.started_at,
            latency_ms=(time.perf_counter() - self.began) * 1000,
            queue_ms=self.queue_ms,
            attempts=max(1, self.attempts),
        )

    def failed(self, error: str) -> tuple[ModelCall, ...]:
        return (self.call(None, error, Usage()),)


class ModelClient:
    """One model behind one or several servers. Open it with ``start`` in the loop that uses it."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._dialect = dialect_named(settings.dialect)
        self._model = settings.model
        self._pool = ServerPool(settings.urls)
        self._admission = Admission(settings.max_in_flight, settings.max_waiting)
        self._clients: dict[str, openai.AsyncOpenAI] = {}
        self._key: str | None = None

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    @property
    def model(self) -> str:
        """The model's name; known once ``start`` has returned."""
        if self._model is None:
            raise RuntimeError("the model client is not started")
        return self._model

    async def start(self) -> None:
        """Opens the connections' pools; asks the servers for the model's name where it is not given.

        Raises BadInput (no such environment variable, servers of different models), ModelUnreachable.
        """
        self._key = _key(self._settings.api_key_env)
        self._clients = {url: self._open(url) for url in self._settings.urls}
        if self._model is None:
            try:
                self._model = await self._ask_name()
            except BaseException:
                await self.stop()
                raise

    async def stop(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    async def complete(
        self, role: Role, prompt: Prompt, reply: type[Reply], route: str, context: CallContext
    ) -> Completion:
        """The model's answer to ``prompt``, constrained to the schema of ``reply``.

        ``route`` chooses the server: equal routes keep to one while it is healthy. Cancelling this closes the
        HTTP connection, so that the server stops working. Raises ModelUnreachable, ModelRefused, DeadlinePassed
        (all with ``calls`` where something was sent), Overloaded.
        """
        async with self._admission.enter(context.deadline) as queue_ms:
            request = recorded_body(self._settings, self.model, role, reply, prompt)
            content = wire_body(request, {image.content_id: image.jpeg for image in prompt.images})
            trace = _Trace(role=role, request=request, queue_ms=queue_ms, server=self._settings.urls[0])
            try:
                async with asyncio.timeout(context.deadline - time.time()):
                    answer = await self._send(content, route, context, trace)
            except TimeoutError:
                message = f"the deadline passed while {trace.server} was asked ({trace.attempts} attempts)"
                raise DeadlinePassed(message, calls=trace.failed(message)) from None
        return Completion(answer.text, answer.cut_off, trace.call(answer.text, None, answer.counted()))

    async def _send(self, content: bytes, route: str, context: CallContext, trace: _Trace) -> ChatCompletion:
        """Attempts until one is answered, no further one is allowed, or the next would come after the deadline."""
        while True:
            server = self._pool.pick(route, time.monotonic())
            trace.server = server.url
            trace.attempts += 1
            try:
                with self._pool.using(server):
                    body = await self._post(server, content, context)
            except openai.APIError as error:
                said = self._without_key(described(server.url, error))
                if not retried(error):
                    self._pool.answered(server)
                    raise ModelRefused(said, calls=trace.failed(said)) from error
                wait = retry_after_s(error)
                self._pool.failed(server, time.monotonic(), wait)
                await self._before_next(trace, said, wait or 0.0, context.deadline)
                continue
            self._pool.answered(server)
            try:
                return read_completion(server.url, body)
            except ModelRefused as error:
                raise ModelRefused(str(error), calls=trace.failed(str(error))) from None

    async def _before_next(self, trace: _Trace, said: str, wait: float, deadline: float) -> None:
        """Waits before another attempt, not at all where another server is healthy. Raises ModelUnreachable."""
        delay = 0.0
        if not self._pool.any_healthy(time.monotonic()):
            delay = max(wait, _delay_s(trace.attempts, random.random()))
        if trace.attempts >= self._settings.max_attempts or time.time() + delay >= deadline:
            message = f"no answer after {trace.attempts} attempts; the last: {said}"
            raise ModelUnreachable(message, calls=trace.failed(message))
        await asyncio.sleep(delay)

    async def _post(self, server: Server, content: bytes, context: CallContext) -> str:
        headers: dict[str, Any] = {
            **self._credentials,
            "Content-Type": "application/json",
            EPISODE_HEADER: quote(context.episode, safe="/:"),
            STEP_HEADER: str(context.step),
        }
        if context.traceparent is not None:
            headers["traceparent"] = quote(context.traceparent, safe="/:")
        return await self._clients[server.url].post(
            "/chat/completions", cast_to=str, content=content, options={"headers": headers}
        )

    async def _ask_name(self) -> str:
        """The first name that the servers list; all that answer must list it."""
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(self._listed(url)) for url in self._settings.urls]
        found = [(url, task.result()) for url, task in zip(self._settings.urls, asked, strict=True)]
        listed = [(url, names) for url, names in found if not isinstance(names, str)]
        if not listed:
            raise ModelUnreachable(f"no model server answers: {'; '.join(str(names) for _, names in found)}")
        name = listed[0][1][0]
        for url, names in listed:
            if name not in names:
                raise BadInput(
                    f"{url} serves {', '.join(names)}, but {listed[0][0]} serves {name}; name the model to use"
                )
        return name

    async def _listed(self, url: str) -> Sequence[str]:
        """The names that a server lists, or one line on why it lists none."""
        try:
            async with asyncio.timeout(_NAMING_TIMEOUT_S):
                body = await self._clients[url].get("/models", cast_to=str, options={"headers": self._credentials})
            return ModelList.model_validate_json(body).names
        except openai.APIError as error:
            return self._without_key(described(url, error))
        except TimeoutError:
            return f"{url} did not answer in {_NAMING_TIMEOUT_S:g} s"
        except ValidationError:
            return f"{url} lists no model; is it an OpenAI-compatible server?"

    def _open(self, url: str) -> openai.AsyncOpenAI:
        # Servers on this machine are never reached through a proxy, whatever the environment says.
        http = openai.DefaultAsyncHttpxClient(trust_env=urlsplit(url).hostname not in _LOOPBACK)
        return openai.AsyncOpenAI(
            base_url=url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=openai.Timeout(self._settings.timeout_s, connect=self._settings.connect_timeout_s),
            http_client=http,
        )

    @property
    def _credentials(self) -> dict[str, Any]:
        """Headers by which the library would send what only its environment knows are left out."""
        unsent: dict[str, Any] = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        return unsent if self._key else {**unsent, "Authorization": openai.Omit()}

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _delay_s(attempt: int, draw: float) -> float:
    """Half to all of 0.25 s, doubled with each attempt up to 8 s; ``draw`` lies in [0, 1)."""
    full = min(_FIRST_DELAY_S * 2.0 ** min(attempt - 1, 16), _LONGEST_DELAY_S)
    return full * (1 + draw) / 2


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise BadInput(f"the environment variable {variable}, which should hold the model's key, is not set")
    return key
