"""Read each event once from the database, and give it to all open streams.

A stream begins with what its client missed, read from the database in parts. Once it has caught up, it is attached to
the feed, and from then on each event is put into its bounded buffer. A client that reads too slowly is cut off when the
buffer is full. It may come back, and goes on behind the last event that it saw.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from manyhands.protocol.service.events import ServiceEvent
from manyhands.service.api.event_stream import HEARTBEAT
from manyhands.service.database.event_repository import EventFilter, EventRepository

PART = 500
"""How many events are read at once."""
WAIT_S = 5.0
"""The feed looks into the database at least so often, in case another process appends events."""
RETRY_S = 1.0
_log = logging.getLogger(__name__)


def chooses(filters: EventFilter, event: ServiceEvent) -> bool:
    """Return whether a filter chooses an event, by the same rule as the database."""
    return (
        filters.batch in (None, event.batch)
        and filters.task in (None, event.task)
        and filters.phone in (None, event.phone)
        and (not filters.kinds or event.kind in filters.kinds)
    )


@dataclass(frozen=True, slots=True)
class SentEvent:
    """Hold an event, and the bytes that a stream sends for it."""

    event: ServiceEvent
    frame: bytes


def _encode(event: ServiceEvent) -> SentEvent:
    return SentEvent(event, f"id: {event.id}\ndata: {event.model_dump_json()}\n\n".encode())


class EventFeed:
    """Give events to streams. ``run`` must run as long as there are streams."""

    def __init__(self, source: EventRepository, buffer: int) -> None:
        """Read from ``source``. A stream may lag ``buffer`` events behind."""
        self._source = source
        self._buffer = buffer
        self._attached: set[EventSubscription] = set()
        self._is_over = False
        self._position: int | None = None

    async def run(self) -> None:
        """Read events until this is cancelled. Then all streams end."""
        try:
            while True:
                try:
                    await self._read()
                except Exception as error:  # noqa: BLE001 (streams go on once the database is back)
                    _log.warning("events cannot be read: %s", error)
                    await asyncio.sleep(RETRY_S)
        finally:
            self.close()

    def close(self) -> None:
        """End all streams."""
        self._is_over = True
        for attached in self._attached:
            attached.end()

    async def _read(self) -> None:
        position = await self.position()
        await self._source.wait(position, WAIT_S)
        events: Sequence[ServiceEvent] = await self._source.since(position, PART)
        while events:
            encoded = tuple(map(_encode, events))
            for attached in tuple(self._attached):
                attached.offer(encoded)
            self._position = events[-1].id
            events = await self._source.since(self._position, PART) if len(events) == PART else ()

    async def position(self) -> int:
        """Return the number of the last event that was given to the streams."""
        if self._position is None:
            last = await self._source.last_id()
            self._position = last if self._position is None else self._position
        return self._position

    async def newest(self) -> int:
        """Return the number of the last event that is stored. It may not have been given to the streams yet."""
        return await self._source.last_id()

    async def missed(self, filters: EventFilter, after: int) -> Sequence[SentEvent]:
        """Return the next chosen events after a number from the database, at most ``PART``."""
        return tuple(map(_encode, await self._source.since(after, PART, filters)))

    def subscribe(self, filters: EventFilter, after: int | None) -> EventSubscription:
        """Return a stream's events after a number; without ``after``, from now on."""
        return EventSubscription(self, filters, after, self._buffer)

    def attach(self, subscription: EventSubscription) -> None:
        """Give a subscription all further events."""
        self._attached.add(subscription)
        if self._is_over:
            subscription.end()

    def detach(self, subscription: EventSubscription) -> None:
        """Give a subscription no more events."""
        self._attached.discard(subscription)


class EventSubscription:
    """Give one stream its events: first those that it missed, then each as it comes."""

    def __init__(self, feed: EventFeed, filters: EventFilter, after: int | None, most: int) -> None:
        """Read from ``feed``. At most ``most`` events wait to be sent."""
        self._feed = feed
        self._chosen = filters
        self._after = after
        self._most = most
        self._is_over = False
        self._waiting: deque[SentEvent] = deque()
        self._changed = asyncio.Event()
        self.position = after or 0
        """The number of an event up to which the stream has all that its client wants."""
        self.is_cut = asyncio.Event()
        """Set when the client read too slowly."""

    async def begin(self) -> None:
        """If the stream has only events from now on, note which event is the last one now."""
        if self._after is None:
            self._after = await self._feed.newest()

    async def frames(self, quiet_s: float) -> AsyncIterator[bytes]:
        """Yield what the stream sends."""
        async for part in self.parts(quiet_s):
            # With the number, a client that has got no event yet can come back without a gap, too.
            yield b"".join(event.frame for event in part) or b"id: %d\n" % self.position + HEARTBEAT

    async def parts(self, quiet_s: float) -> AsyncIterator[Sequence[SentEvent]]:
        """Yield events in order, each once. Yield an empty part first, and after each ``quiet_s`` quiet seconds."""
        await self.begin()
        position = self._after or 0
        self.position = position
        yield ()
        while (bound := await self._feed.position()) > position:
            missed = await self._feed.missed(self._chosen, position)
            last = missed[-1].event.id if missed else position
            position = last if len(missed) == PART else max(bound, last)
            self.position = position
            if missed:
                yield missed
        # No await stands between the comparison above and these lines, so no event falls between.
        self._after = position
        self._feed.attach(self)
        try:
            while not self._is_over:
                yield await self._take(quiet_s)
        finally:
            self._feed.detach(self)

    def offer(self, events: Sequence[SentEvent]) -> None:
        """Take the events that the stream wants. If too many wait then, cut the stream off."""
        after = self._after or 0
        self._waiting.extend(one for one in events if one.event.id > after and chooses(self._chosen, one.event))
        if len(self._waiting) > self._most:
            self.cut()
        elif self._waiting:
            self._changed.set()

    def cut(self) -> None:
        """End the stream at once, and forget the events that wait."""
        self._waiting.clear()
        self.is_cut.set()
        self.end()
        self._feed.detach(self)

    def end(self) -> None:
        """End the stream after it has sent the events that wait."""
        self._is_over = True
        self._changed.set()

    async def _take(self, quiet_s: float) -> Sequence[SentEvent]:
        with suppress(TimeoutError):
            async with asyncio.timeout(quiet_s):
                await self._changed.wait()
        self._changed.clear()
        position = await self._feed.position()
        events = tuple(self._waiting)
        self._waiting.clear()
        self.position = max(self.position, events[-1].event.id if events else position)
        return events
