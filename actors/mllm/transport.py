"""HTTP to the servers: one connection pool each, our headers, and no secret in any error."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote, urlsplit

import openai

from actors.mllm.answers import described
from actors.mllm.settings import ModelSettings
from protocol.errors import BadInput
from protocol.messages import CallContext

EPISODE_HEADER = "x-manyhands-episode"
STEP_HEADER = "x-manyhands-step"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Transport:
    """The servers of one model, by URL. Every request raises openai.APIError for anything but an answer of 2xx."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._clients: dict[str, openai.AsyncOpenAI] = {}
        self._key: str | None = None

    def open(self) -> None:
        """In the loop that uses it. Raises BadInput where the key's environment variable is not set."""
        self._key = _key(self._settings.api_key_env)
        self._clients = {url: self._client(url) for url in self._settings.urls}

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    async def post(self, url: str, content: bytes, context: CallContext) -> str:
        """Asks for a chat completion; gives the body of the answer. Cancelling closes the connection."""
        headers: dict[str, Any] = {
            **self._credentials,
            "Content-Type": "application/json",
            EPISODE_HEADER: quote(context.episode, safe="/:"),
            STEP_HEADER: str(context.step),
        }
        if context.traceparent is not None:
            headers["traceparent"] = quote(context.traceparent, safe="/:")
        return await self._clients[url].post(
            "/chat/completions", cast_to=str, content=content, options={"headers": headers}
        )

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

    def said(self, url: str, error: openai.APIError) -> str:
        """One bounded line about a failed request."""
        line = described(url, error)
        return line.replace(self._key, "***") if self._key else line

    def _client(self, url: str) -> openai.AsyncOpenAI:
        # Servers on this machine are never reached through a proxy, whatever the environment says.
        http = openai.DefaultAsyncHttpxClient(trust_env=urlsplit(url).hostname not in LOOPBACK)
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


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise BadInput(f"the environment variable {variable}, which should hold the model's key, is not set")
    return key
