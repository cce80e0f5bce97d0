"""Serve HTTP as a hostile model server, over bare streams, because HTTP libraries would refuse to send some answers."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import aiohttp

from manyhands.protocol.errors import BadInput
from manyhands.simulator.hostile.answers import HostileAnswer, draw_answer
from manyhands.simulator.hostile.settings import HostileSettings, Page
from manyhands.simulator.serving.draws import drawn
from manyhands.simulator.serving.model_server import MAX_BODY_BYTES

CONTROL = "/stand-in/"
"""Pages about the stand-in itself, which are never hostile: ``GET counts`` and ``POST share``."""
_HEAD_BYTES = 256 * 1024
_PAGES = {"/chat/completions": Page.CHAT, "/models": Page.MODELS, "/health": Page.HEALTH, "/metrics": Page.METRICS}
_FORWARDED = ("content-type", "authorization", "traceparent", "x-manyhands-")
_UPSTREAM_S = 120.0


class _Request:
    """Hold a request. ``page`` is found by the end of ``path``."""

    def __init__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.page = next((page for end, page in _PAGES.items() if path.endswith(end)), Page.OTHER)


class HostileServer:
    """Listen while the context is open, or from ``start`` to ``stop``.

    One address serves any number of "servers": the part of a path before ``/v1`` is ignored.
    """

    def __init__(self, settings: HostileSettings) -> None:
        self._settings = settings
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._numbers: Counter[Page] = Counter()
        self._upstream: aiohttp.ClientSession | None = None
        self.port = settings.port
        self.share = settings.share
        """The share of hostile answers from now on."""
        self.asked: Counter[Page] = Counter()
        """The number of requests so far, by page."""
        self.hostile: Counter[str] = Counter()
        """The number of hostile answers so far, by the kind of their body."""

    @property
    def url(self) -> str:
        """Return the base URL for clients, with the API's version."""
        return f"http://{self._settings.host}:{self.port}/v1"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen. Raises BadInput if the address cannot be used."""
        if self._settings.upstream is not None:
            self._upstream = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_UPSTREAM_S))
        try:
            self._server = await asyncio.start_server(self._accept, self._settings.host, self.port, limit=_HEAD_BYTES)
        except OSError as error:
            await self.stop()
            where = f"{self._settings.host}:{self.port}"
            raise BadInput(f"the hostile server cannot listen at {where}: {error.strerror or error}") from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """End all answers, and close."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._upstream is not None:
            await self._upstream.close()

    # ------------------------------------------------------------------------ connections
    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None and await self._answer(request, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # the client has hung up, or does not speak HTTP
        finally:
            writer.transport.abort()  # do not wait for what could not be sent

    async def _answer(self, request: _Request, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. Return whether the connection may take another one."""
        if request.path.startswith(CONTROL):
            return await _send(writer, 200, self._control(request))
        self.asked[request.page] += 1
        number = self._numbers[request.page]
        self._numbers[request.page] += 1
        never = request.page in self._settings.honest
        chance = drawn(1_000_000, self._settings.seed, request.page, number) / 1_000_000
        if never or chance >= self.share:
            return await self._honest(request, writer)
        answer = draw_answer(request.page, self._settings.seed, number, self._settings.elsewhere)
        self.hostile[answer.kind] += 1
        async with asyncio.timeout(self._settings.endless_s):
            return await self._deliver(answer, writer)

    async def _deliver(self, answer: HostileAnswer, writer: asyncio.StreamWriter) -> bool:
        if answer.delivery in ("silent", "closed"):
            await asyncio.sleep(self._settings.hang_s if answer.delivery == "silent" else 0)
            return False
        pieces = iter(answer.body)
        first, second = next(pieces, b""), next(pieces, None)
        data = _head(answer, len(first) if second is None else None) + first
        if answer.delivery == "slow":
            for at in range(0, 1000, 100):
                await _write(writer, data[at : at + 100])
                await asyncio.sleep(0.01)
            data = data[1000:]
        await _write(writer, data * (2 if answer.delivery == "twice" else 1))
        if answer.delivery == "reset":
            return False
        while second is not None:
            await _write(writer, second)
            second = next(pieces, None)
            await asyncio.sleep(0)  # let other tasks run, however fast the reader is
        writer.close()
        await writer.wait_closed()
        return False

    # ------------------------------------------------------------------------ honest answers
    async def _honest(self, request: _Request, writer: asyncio.StreamWriter) -> bool:
        if self._upstream is not None:
            return await self._forward(request, self._upstream, writer)
        if request.page is Page.MODELS:
            return await _send(writer, 200, {"object": "list", "data": [{"id": self._settings.model}]})
        if request.page is Page.CHAT:
            message = {"role": "assistant", "content": "-"}
            return await _send(writer, 200, {"choices": [{"message": message, "finish_reason": "stop"}]})
        return await _send(writer, 200 if request.page is Page.HEALTH else 404, {})

    async def _forward(self, request: _Request, session: aiohttp.ClientSession, writer: asyncio.StreamWriter) -> bool:
        base = (self._settings.upstream or "").removesuffix("/v1")
        path = request.path[request.path.index("/v1") :] if "/v1" in request.path else request.path
        headers = {name: value for name, value in request.headers.items() if name.startswith(_FORWARDED)}
        try:
            async with session.request(request.method, base + path, data=request.body, headers=headers) as response:
                return await _send(writer, response.status, await response.read())
        except (aiohttp.ClientError, TimeoutError):
            return await _send(writer, 502, {"error": {"message": "the server behind this one does not answer"}})

    def _control(self, request: _Request) -> Mapping[str, object]:
        """Set the share if one is posted. Return the share and the counts."""
        if request.method == "POST":
            self.share = min(1.0, max(0.0, float(request.body)))
        return {"share": self.share, "asked": dict(self.asked), "hostile": dict(self.hostile)}


async def _read(reader: asyncio.StreamReader) -> _Request | None:
    """Read one request; return None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length") or 0)
    if length > MAX_BODY_BYTES:
        raise ValueError(f"a request of {length} bytes is over {MAX_BODY_BYTES}")
    return _Request(method, path, headers, await reader.readexactly(length))


def _head(answer: HostileAnswer, length: int | None) -> bytes:
    """Return the head of an answer. Add ``length`` as the body's length if no header says where the body ends."""
    headers = list(answer.headers)
    if length is not None and not {name for name, _ in headers} & {"Content-Length", "Transfer-Encoding"}:
        headers.append(("Content-Length", str(length + (10 if answer.delivery == "cut" else 0))))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{answer.version} {answer.status}\r\n{lines}\r\n".encode("utf-8", "replace")


async def _send(writer: asyncio.StreamWriter, status: int, body: Mapping[str, object] | bytes) -> bool:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    await _write(writer, head.encode() + data)
    return True


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
