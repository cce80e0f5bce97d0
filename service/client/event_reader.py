"""Read the live events of a service: each once and in order, also when the connection breaks in the middle."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing

from manyhands.protocol.service.events import ServiceEvent
from manyhands.service.client.http_connection import (
    HttpConnection,
    Query,
    RetryWaits,
    ServiceAway,
    ServiceError,
    no_answer,
)

PATH = "/events"
QUIET_S = 60.0
"""After how many seconds without a sign of life a connection counts as broken. Services send one every 15 s."""
_MOST_BYTES = 4 * 1024 * 1024
"""The most bytes of one event."""


class EventParser:
    """Parse server-sent events (the WHATWG's HTML standard, section 9.2) from the bytes of an answer."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._id: int | None = None
        self.last_id: int | None = None
        """The id of the last complete event. An id may also come without an event."""

    def feed(self, part: bytes) -> Iterator[str]:
        """Yield the data of each event that is complete. Raises ValueError for what is no such stream."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            if (text := self._take(line.removesuffix(b"\r").decode())) is not None:
                yield text
        if len(self._rest) + sum(map(len, self._data)) > _MOST_BYTES:
            raise ValueError(f"an event of more than {_MOST_BYTES:,} bytes")

    def _take(self, line: str) -> str | None:
        if not line:
            text, self._data, self.last_id = "\n".join(self._data), [], self._id
            return text or None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id" and value.isdecimal():
            self._id = int(value)
        return None  # comments, names of events and others: the data has all that is needed


class EventReader:
    """Follow the events of a service, across broken connections and restarts of the service."""

    def __init__(
        self,
        connection: HttpConnection,
        query: Query,
        after: int | None,
        reconnect_s: float,
        on_open: Callable[[], None] | None = None,
    ) -> None:
        """Prepare. ``after``: the last event that is known; None for only those that happen from now on.

        ``reconnect_s``: how long the service may be away after it has answered once. ``on_open`` is called once the
        service has said where the stream begins.
        """
        self._connection = connection
        self._query = query
        self._last = after
        self._reconnect_s = reconnect_s
        self._on_open = on_open

    async def events(self) -> AsyncGenerator[ServiceEvent]:
        """Yield the events. Raises ServiceError if the service refuses, or is away for too long."""
        waits = RetryWaits(self._connection.patience_s)
        while True:
            try:
                async with aclosing(self._read_once(waits)) as events:
                    async for event in events:
                        yield event
                failure: ServiceError = no_answer(self._connection.address.url, "the service ended the stream")
            except ServiceAway as error:
                failure = error
            await waits.wait(failure)

    async def _read_once(self, waits: RetryWaits) -> AsyncGenerator[ServiceEvent]:
        """Yield the events of one connection. Each sign of life resets the waits between connections."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if self._last is not None:
            headers["Last-Event-ID"] = str(self._last)
        async with self._connection.stream(PATH, self._query, headers, QUIET_S) as answer:
            waits.patience_s = self._reconnect_s
            parser = EventParser()
            async for part in answer.aiter_bytes():
                waits.reset()
                for event in self._read(parser, part):
                    # The service sends no event twice, and this makes sure of it.
                    if self._last is None or event.id > self._last:
                        self._last = event.id
                        self._note_open()
                        yield event
                if parser.last_id is not None:
                    self._last = max(parser.last_id, self._last or 0)
                    self._note_open()

    def _note_open(self) -> None:
        if self._on_open is not None:
            self._on_open()
            self._on_open = None

    def _read(self, parser: EventParser, part: bytes) -> list[ServiceEvent]:
        try:
            return [ServiceEvent.model_validate_json(data) for data in parser.feed(part)]
        except ValueError as error:
            raise ServiceError(
                f"{self._connection.address.url}: the events cannot be read ({error}): is the service of this version?"
            ) from error
