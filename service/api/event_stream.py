"""Send what happens to a client as it comes (server-sent events)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from manyhands.service.api.admission import OpenStreams
from manyhands.service.api.problems import ProblemKind, RequestRefused

MEDIA_TYPE = "text/event-stream"
ABORT = "abort_connection"
"""The name in a request's state of the function that drops the connection without waiting for its client."""
HEARTBEAT = b": still here\n\n"
_log = logging.getLogger(__name__)


class StreamSource(Protocol):
    """Give a stream what it sends."""

    is_cut: asyncio.Event
    """Set when the stream is to be dropped without waiting for its client."""

    async def begin(self) -> None:
        """Prepare. Raises the errors that the client gets in place of a stream."""
        ...

    def frames(self, quiet_s: float) -> AsyncIterator[bytes]:
        """Yield what is sent, and ``HEARTBEAT`` or the like after each ``quiet_s`` quiet seconds, until the end."""
        ...

    def cut(self) -> None:
        """Set ``is_cut``, and end."""
        ...


class EventStream(Response):
    """Send what a source gives until the client leaves, the source ends or is cut off, or the service stops."""

    media_type = MEDIA_TYPE

    def __init__(
        self,
        source: StreamSource,
        streams: OpenStreams,
        token: str,
        heartbeat_s: float,
        session: str | None = None,
    ) -> None:
        """Count the stream as one of ``token``'s. Raises RequestRefused if too many streams are open.

        ``session``: the id of the session of the request, if it has one.
        """
        if streams.is_full_for(token):
            raise RequestRefused(ProblemKind.TOO_MANY, "this token has too many open streams; close one")
        if streams.is_full:
            raise RequestRefused(ProblemKind.BUSY, "too many streams are open; try later", headers={"Retry-After": "5"})
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._source = source
        self._session = session
        self._streams = streams
        self._token = token
        self._heartbeat_s = heartbeat_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head of the answer, and then events. Raises DatabaseAway before the head."""
        with self._streams.counted(self._token, self._source.cut, self._session):
            await self._source.begin()  # counted already: else more streams would open meanwhile than may
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            parts = [self._send_frames(send), _until_left(receive), self._source.is_cut.wait()]
            tasks = [asyncio.ensure_future(part) for part in parts]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if self._source.is_cut.is_set():
                await _drop(scope)
            with suppress(OSError):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_frames(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": HEARTBEAT, "more_body": True})
        try:
            async for body in self._source.frames(self._heartbeat_s):
                await send({"type": "http.response.body", "body": body, "more_body": True})
        except Exception as error:  # noqa: BLE001 (the client comes back, and goes on where it was)
            _log.warning("a stream of events ends early: %s", error)


async def _until_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _drop(scope: Scope) -> None:
    """Close the connection at once: its client does not read, so an orderly end would wait for it."""
    abort: Callable[[], Any] | None = scope.get("state", {}).get(ABORT)
    if abort is not None:
        abort()
        await asyncio.sleep(0)  # lets the server notice
