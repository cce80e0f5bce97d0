"""HTTP to the servers: one connection pool each, our headers, and no secret in any error."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import openai

from manyhands.actors.mllm.client.answers import described
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallContext

EPISODE_HEADER = "x-manyhands-episode"
STEP_HEADER = "x-manyhands-step"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


_KEPT_S = 4.0
"""How long an idle connection is kept: less than uvicorn, and so vLLM, keeps its end (5 s)."""
_UNTOLD: Any = None
"""The library's errors want its own request, which nobody reads."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What is read of an answer's head, in the form that the library's errors have."""

    status_code: int
    headers: Mapping[str, str]
    request: None = None


class Transport:
    """The servers of one model, by URL. Every request raises openai.APIError for anything but an answer of 2xx."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._clients: dict[str, openai.AsyncOpenAI] = {}
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._key: str | None = None

    def open(self) -> None:
        """In the loop that uses it. Raises BadInput where the key's environment variable is not set."""
        self._key = _key(self._settings.api_key_env)
        self._clients = {url: self._client(url) for url in self._settings.urls}
        self._sessions = {url: self._session(url) for url in self._settings.urls}

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()
        for client in clients.values():
            await client.close()

    async def post(self, url: str, content: bytes, context: CallContext) -> str:
        """Asks for a chat completion; gives the body of the answer. Cancelling closes the connection.

        The one request of every call, so it goes over aiohttp: 0.5 ms of CPU instead of 1.6 with a picture
        (docs/overhead.md). Its errors are the library's all the same.
        """
        headers = {
            "Content-Type": "application/json",
            EPISODE_HEADER: quote(context.episode, safe="/:"),
            STEP_HEADER: str(context.step),
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if context.traceparent is not None:
            headers["traceparent"] = quote(context.traceparent, safe="/:")
        try:
            async with self._sessions[url].post(f"{url}/chat/completions", data=content, headers=headers) as response:
                body = (await response.read()).decode("utf-8", "replace")
        except TimeoutError as error:
            raise openai.APITimeoutError(request=_UNTOLD) from error
        except (aiohttp.ClientError, OSError) as error:
            raise openai.APIConnectionError(request=_UNTOLD) from error
        if response.ok:
            return body
        told: Any = _Told(response.status, response.headers)
        raise openai.APIStatusError(_message(response.status, body), response=told, body=body)

    async def get(self, url: str, path: str, timeout_s: float) -> str:
        """The body of a page of the API, such as /models."""
        return await self._clients[url].get(
            path, cast_to=str, options={"headers": self._credentials, "timeout": timeout_s}
        )

    async def page(self, url: str, path: str, timeout_s: float) -> str:
        """The body of a page beside the API (/health, /metrics, /version). It is asked without the key."""
        options: Any = {"headers": {**self._credentials, "Authorization": openai.Omit()}, "timeout": timeout_s}
        return await self._clients[url].get(url.removesuffix("/v1") + path, cast_to=str, options=options)

    async def tell(self, url: str, path: str, body: Any, timeout_s: float) -> str:
        """Posts JSON to a page beside the API, such as vLLM's /tokenize; gives the body of the answer."""
        options: Any = {"headers": self._credentials, "timeout": timeout_s}
        return await self._clients[url].post(url.removesuffix("/v1") + path, cast_to=str, body=body, options=options)

    @staticmethod
    def found_nobody(error: openai.APIError) -> bool:
        """Whether the request was never sent, for no server could be reached at the address."""
        return isinstance(error.__cause__, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)

    def said(self, url: str, error: openai.APIError) -> str:
        """One bounded line about a failed request."""
        line = described(url, error)
        return line.replace(self._key, "***") if self._key else line

    def _session(self, url: str) -> aiohttp.ClientSession:
        settings = self._settings
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_S),  # admission bounds what is in flight
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=settings.connect_timeout_s, sock_read=settings.timeout_s
            ),
            # Not by trust_env: it takes what ~/.netrc says of the host, too, and beside our key refuses every request.
            proxy=_proxy(url),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _client(self, url: str) -> openai.AsyncOpenAI:
        http = openai.DefaultAsyncHttpxClient(trust_env=_by_proxy(url))
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


def _message(status: int, body: str) -> str:
    """What an answer of this status says: the error's own words where there are some."""
    said: Any = body
    with contextlib.suppress(ValueError):
        said = json.loads(body)
    if isinstance(said, dict):
        error = said.get("error", said)
        said = error.get("message") if isinstance(error, dict) and error.get("message") else said
    return f"Error code: {status} - {said}" if said else f"Error code: {status}"


def _by_proxy(url: str) -> bool:
    """Servers on this machine are never reached through a proxy, whatever the environment says."""
    return urlsplit(url).hostname not in LOOPBACK


def _proxy(url: str) -> str | None:
    """As the environment says."""
    parts = urlsplit(url)
    if not _by_proxy(url) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise BadInput(f"the environment variable {variable}, which should hold the model's key, is not set")
    return key
