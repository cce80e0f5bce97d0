"""Bound what clients can hold open: connections, heads of requests that never end, answers that nobody reads."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from manyhands.service.api.problems import MEDIA_TYPE, ProblemKind
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.api.streams.event_stream import ABORT

_KIND = ProblemKind.BUSY
_BODY = json.dumps(
    {
        "type": _KIND.uri,
        "title": _KIND.title,
        "status": _KIND.status,
        "detail": "too many connections are open; try again",
        "mistakes": [],
    }
).encode()
_REFUSAL = (
    f"HTTP/1.1 503 Service Unavailable\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(_BODY)}\r\n"
    "retry-after: 5\r\nconnection: close\r\n\r\n"
).encode() + _BODY


class BoundedConnection(H11Protocol):
    """Speak HTTP with one client, within the bounds of a service."""

    bounds: ClassVar[ServiceBounds] = ServiceBounds.model_construct()
    _idle: ClassVar[dict[BoundedConnection, None]] = {}
    """The connections of a server that had no request yet, or none since their last answer, the oldest first."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Take what the server gives each connection."""
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or refuse a connection that is too many."""
        super().connection_made(transport)
        self._idle[self] = None
        if not self._make_room():
            transport.write(_REFUSAL)
            transport.close()
            return
        self.app_state = {**self.app_state, ABORT: transport.abort}
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and stop all timers."""
        for timer in (self._head, self._stall):
            if timer is not None:
                timer.cancel()
        self._idle.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, unless the connection is being closed."""
        if not self.transport.is_closing():
            super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request, for a bounded time."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._idle.pop(self, None)
            self._idle[self] = None
            self._await_head()

    def pause_writing(self) -> None:
        """Give a client that reads nothing a bounded time."""
        super().pause_writing()
        if self._stall is None:
            self._stall = self.loop.call_later(self.bounds.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _address(self) -> str:
        return "" if self.client is None else str(self.client[0])

    def _make_room(self) -> bool:
        """Close an idle connection if there are too many. Return False if none is idle."""
        there = [one for one in self.connections if isinstance(one, BoundedConnection)]
        if sum(one._address == self._address for one in there) > self.bounds.address_connections:
            idle = [one for one in self._idle if one._address == self._address]
        elif len(there) > self.bounds.connections:
            idle = list(self._idle)
        else:
            return True
        for oldest in idle:
            if oldest._is_idle and oldest is not self and not oldest.transport.is_closing():
                oldest.transport.abort()
                return True
        return False

    def _await_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head = self.loop.call_later(self.bounds.request_s, self._check_head)

    def _check_head(self) -> None:
        """Close the connection if no request is being answered: its head, or the rest of a body, takes too long."""
        if self._is_idle:
            self.transport.abort()


def bounded_connections(bounds: ServiceBounds) -> type[BoundedConnection]:
    """Return the class of a server's connections."""
    return type("_Connection", (BoundedConnection,), {"bounds": bounds, "_idle": {}})
