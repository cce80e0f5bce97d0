"""Speak HTTP to the servers of a model: a connection pool for each, typed errors, and no secret in any error.

A streamed answer comes as server-sent events, each with a few more characters of the reply.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from pydantic_core import to_json
from yarl import URL

from manyhands.actors.mllm.client.errors import (
    ErrorStatus,
    InvalidAnswer,
    NoAnswer,
    RequestFailed,
    TimedOut,
    error_in_answer,
    error_message,
    read_json,
)
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallContext

EPISODE_HEADER = "x-manyhands-episode"
SESSION_HEADER = "X-Session-ID"
"""The header by which routers keep a session at one replica: Ray Serve's consistent-hash router, by default."""
STEP_HEADER = "x-manyhands-step"
TRACE_HEADER = "traceparent"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_JSON = {"Content-Type": "application/json"}
LONGEST_ANSWER_BYTES = 4 * 2**20
"""The most bytes read of an answer, after decompression. No model writes that much."""
LONGEST_WITH_TOKENS = 4 * LONGEST_ANSWER_BYTES
"""The same for an answer that tells each token: some hundred bytes more for a token."""
_LONGEST_ERROR_BYTES = 64 * 2**10
"""The most bytes read of an error. Its beginning says what is wrong."""
_KEEPALIVE_S = 4.0
"""How long an idle connection is kept. uvicorn, which vLLM uses, keeps one for 5 s; ours must be closed earlier."""

STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
"""The fields of a request for a streamed answer with its usage (OpenAI's API; vLLM has them too)."""
EVENT_STREAM = "text/event-stream"
_DONE = "[DONE]"


class CompletionStream:
    """Put the pieces of a streamed answer together. ``feed`` gets the bytes; ``body`` is what a plain answer holds."""

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        """Call ``tell`` with each piece of the reply. ``url`` names the server in errors."""
        self._url = url
        self._tell = tell
        self._rest = b""
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._finish_reason: Any = None
        self._usage: Any = None
        self._prompt_ids: Any = None
        self._token_ids: list[Any] = []
        self._logprobs: list[Any] = []
        self._weights: Any = None
        self._metadata: Any = None
        self._is_over = False

    def feed(self, piece: bytes) -> None:
        """Read some bytes. Raise InvalidAnswer for what is no event of a completion, RequestFailed for an error."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, _, value = line.decode("utf-8", "replace").rstrip("\r").partition(":")
            if name == "data":
                self._read(value.strip())

    def body(self) -> str:
        """Return the answer as a plain answer would hold it. Raises InvalidAnswer if its end is missing."""
        if not self._is_over and self._finish_reason is None:
            raise InvalidAnswer(f"{self._url} ended its answer in the middle")
        message = {"content": "".join(self._texts)}
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        choice: dict[str, Any] = {"message": message, "finish_reason": self._finish_reason}
        answer: dict[str, Any] = {"choices": [choice], "usage": self._usage}
        if self._weights is not None:
            choice["weight_versions"] = self._weights
        if self._metadata is not None:
            answer["metadata"] = self._metadata
        if self._prompt_ids is not None:
            choice |= {"token_ids": self._token_ids, "logprobs": {"content": self._logprobs}}
            answer["prompt_token_ids"] = self._prompt_ids
        return json.dumps(answer)

    def _read(self, data: str) -> None:
        if data == _DONE:
            self._is_over = True
            return
        try:
            event = read_json(data)
        except ValueError:
            raise InvalidAnswer(f"{self._url} streamed something other than JSON") from None
        if not isinstance(event, dict):
            raise InvalidAnswer(f"{self._url} broke its answer off: {error_message(data)}")
        if event.get("error"):
            raise error_in_answer(f"{self._url} broke its answer off", event)
        self._usage = event.get("usage") or self._usage
        self._metadata = event.get("metadata") or self._metadata  # SGLang's, with versions of the weights
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        self._read_tokens(event, choice)
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str):
            self._reasoning.append(reasoning)
        text = delta.get("content")
        if isinstance(text, str) and text:
            self._texts.append(text)
            self._tell(text)

    def _read_tokens(self, event: dict[str, Any], choice: dict[str, Any]) -> None:
        """Read what vLLM streams of tokens: the prompt's ids once, the reply's in pieces, weights at the end."""
        self._prompt_ids = event.get("prompt_token_ids") or self._prompt_ids
        self._weights = choice.get("weight_versions") or self._weights
        logprobs = choice.get("logprobs")
        pieces = (
            (self._token_ids, choice.get("token_ids")),
            (
                self._logprobs,
                logprobs.get("content") if isinstance(logprobs, dict) else None,
            ),
        )
        for all_of_them, piece in pieces:
            if isinstance(piece, list):
                all_of_them += piece


class Transport:
    """Send requests to the servers of one model, by URL. All methods raise RequestFailed unless the answer is 2xx."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._key: str | None = None

    def open(self) -> None:
        """Make the connection pools. Call it in the event loop that uses them.

        Raises BadInput if the key's environment variable is not set, or if a proxy cannot be used.
        """
        self._key = read_key(self._settings.api_key_env)
        self._sessions = {url: self._session(url) for url in self._settings.urls}

    async def close(self) -> None:
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def post(
        self, url: str, content: bytes, context: CallContext, tell: Callable[[str], None] | None = None
    ) -> str:
        """Ask for a chat completion and return the answer's body. Cancelling this closes the connection.

        ``tell`` gets each piece of the reply if the server streams it.
        """
        episode = quote(context.episode, safe="/:")
        session = context.session if self._settings.has_sessions else None
        base, key = (url, self._key) if session is None else (session.url, session.key_text)
        headers = {
            **_JSON,
            **_bearer(key),
            **(dict(session.headers) if session is not None else {}),
            **({EPISODE_HEADER: episode, SESSION_HEADER: episode} if episode else {}),
            STEP_HEADER: str(context.step),
            **({TRACE_HEADER: context.traceparent} if context.traceparent else {}),
        }
        return await self._request(
            url, "POST", "/chat/completions", headers, data=content, tell=tell, base=base, key=key
        )

    async def get(self, url: str, path: str, timeout_s: float) -> str:
        """Return the body of a page of the API, such as /models."""
        return await self._request(url, "GET", path, self._authorization, timeout_s=timeout_s)

    async def get_beside(self, url: str, path: str, timeout_s: float) -> str:
        """Return the body of a page outside the API (/health, /metrics, /version). The request carries no key."""
        return await self._request(url, "GET", path, {}, timeout_s=timeout_s, beside=True)

    async def post_beside(self, url: str, path: str, body: Any, timeout_s: float) -> str:
        """Post JSON to a page outside the API, such as vLLM's /tokenize, and return the answer's body."""
        headers = {**_JSON, **self._authorization}
        return await self._request(url, "POST", path, headers, data=to_json(body), timeout_s=timeout_s, beside=True)

    async def ask(
        self,
        url: str,
        method: str,
        path: str,
        body: Any,
        timeout_s: float,
        key: str | None = None,
        secret: str | None = None,
    ) -> str:
        """Return what a page of a gateway answers. ``body``: the JSON to send; None for none.

        ``key``: what is sent in place of our key. ``secret``: what ``body`` holds and no error may repeat.
        """
        headers = {**_JSON, **_bearer(key or self._key)}
        data = None if body is None else to_json(body)
        return await self._request(url, method, path, headers, data=data, timeout_s=timeout_s, key=key or secret)

    async def _request(
        self,
        url: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        *,
        data: bytes | None = None,
        timeout_s: float | None = None,
        beside: bool = False,
        tell: Callable[[str], None] | None = None,
        base: str | None = None,
        key: str | None = None,
    ) -> str:
        """``base``: the address to use in place of ``url``. ``key``: a key beside ours that no error may repeat."""
        base = base or url
        address = (base.removesuffix("/v1") if beside else base) + path
        hide = partial(_without, (self._key, key))
        try:
            async with self._sessions[url].request(
                method,
                address,
                data=data,
                headers=headers,
                timeout=self._timeout(timeout_s),
                # A redirect would send the prompt and its pictures to an address that nobody has named.
                allow_redirects=False,
            ) as response:
                accepted = 200 <= response.status < 300
                longest = LONGEST_WITH_TOKENS if self._settings.record_tokens else LONGEST_ANSWER_BYTES
                most = longest if accepted else _LONGEST_ERROR_BYTES
                streams = accepted and response.content_type == EVENT_STREAM
                stream = CompletionStream(url, tell) if streams and tell is not None else None
                body = await _body(response, most, stream)
        except TimeoutError as error:
            is_sent = not isinstance(error, aiohttp.ConnectionTimeoutError)
            raise TimedOut(f"{url} did not answer in time", is_sent) from error
        except aiohttp.ClientHttpProxyError as error:
            raise NoAnswer(hide(f"{url} cannot be reached: {_explain(error)}"), False) from error
        except (aiohttp.ClientResponseError, aiohttp.ClientConnectorSSLError) as error:
            other = f"{url} answers in another protocol than {url.partition(':')[0]}: {_explain(error)}"
            raise InvalidAnswer(hide(other)) from error
        except (aiohttp.ClientError, OSError) as error:
            is_sent = not isinstance(error, aiohttp.ClientConnectorError)
            raise NoAnswer(hide(f"{url} cannot be reached: {_explain(error)}"), is_sent) from error
        except RequestFailed as error:  # a stream broke off, with words of the server
            error.args = (hide(str(error)),)
            raise
        except ValueError as error:  # aiohttp raises it for headers that are invalid
            raise InvalidAnswer(hide(f"{url} sent an answer that cannot be read: {error}")) from error
        if accepted and len(body) <= longest:
            if stream is not None:
                return hide(stream.body())
            return hide(body.decode("utf-8", "replace"))
        if accepted:
            raise InvalidAnswer(f"{url} sent an answer of more than {longest:,} bytes")
        target = response.headers.get("location") if 300 <= response.status < 400 else None
        message = f"it redirects to {target}" if target else error_message(body.decode("utf-8", "replace"))
        line = f"{url} answered {response.status}" + (f": {message}" if message else "")
        raise ErrorStatus(hide(line), response.status, response.headers)

    def _session(self, url: str) -> aiohttp.ClientSession:
        proxy = _proxy(url)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE_S),  # admission limits the requests
            # The proxy is not set by trust_env, which also reads ~/.netrc: an entry there together with our key makes
            # every request fail.
            proxy=proxy.with_user(None) if proxy is not None else None,  # errors show this address
            proxy_auth=aiohttp.BasicAuth.from_url(proxy) if proxy is not None else None,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _timeout(self, total_s: float | None) -> aiohttp.ClientTimeout:
        settings = self._settings
        return aiohttp.ClientTimeout(
            # The limit is for the whole request, not for each read: a server could send one byte at a time.
            total=total_s or settings.timeout_s,
            sock_connect=settings.connect_timeout_s,
        )

    @property
    def _authorization(self) -> dict[str, str]:
        return _bearer(self._key)


def _bearer(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def _without(keys: tuple[str | None, ...], line: str) -> str:
    for key in filter(None, keys):
        line = line.replace(key, "***")
    return line


def _explain(error: Exception) -> str:
    """Return what the system says. The library's text repeats the address, and speaks of ssl where there is none."""
    why = getattr(error, "os_error", error)
    if not isinstance(why, OSError) or not why.strerror:
        return str(error)
    return os.strerror(why.errno) if why.errno and why.strerror.startswith("Connect call failed") else why.strerror


async def _body(response: aiohttp.ClientResponse, most: int, stream: CompletionStream | None) -> bytes:
    """Return the body. If it is longer than ``most`` bytes, stop reading and return a little more than ``most``.

    ``stream`` gets each piece as it comes.
    """
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if stream is not None:
            stream.feed(piece)
        if len(body) > most:
            response.close()
            break
    return bytes(body)


def _proxy(url: str) -> URL | None:
    """Return the environment's proxy for ``url``. Servers on this machine are reached without a proxy.

    Raises BadInput for a proxy that does not speak HTTP.
    """
    parts = urlsplit(url)
    if parts.hostname in LOOPBACK or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    address = proxies.get(parts.scheme) or proxies.get("all")
    if not address:
        return None
    with contextlib.suppress(ValueError):
        proxy = URL(address if "://" in address else f"http://{address}")
        if proxy.scheme in ("http", "https"):
            return proxy
    raise BadInput(f"the environment's proxy for {parts.scheme}:// is not an http:// or https:// address")


def read_key(variable: str | None) -> str | None:
    """Return the key that an environment variable holds. Raises BadInput if it is not set."""
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise BadInput(f"the environment variable {variable}, which should hold the model's key, is not set")
    return key
