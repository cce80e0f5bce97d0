"""A broker in memory, with links that behave as the real ones do, for tests in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from manyhands.actors.edge.link import LastWill, LinkCounts, LinkListener, MessageReceiver
from manyhands.protocol.edge.topics import is_picture_topic
from manyhands.protocol.errors import BadInput, LinkAway

Faults = Callable[[str, bytes], Iterable[tuple[float, bytes]]]
"""What becomes of a message: after how many seconds which bytes of it are delivered, none, once or several times."""


def as_sent(topic: str, data: bytes) -> Iterable[tuple[float, bytes]]:
    """Deliver each message once and at once."""
    return ((0.0, data),)


def matches(pattern: str, topic: str) -> bool:
    """Return whether a filter, with ``+`` and ``#``, has a topic."""
    wanted, levels = pattern.split("/"), topic.split("/")
    for index, level in enumerate(wanted):
        if level == "#":
            return True
        if index >= len(levels) or level not in ("+", levels[index]):
            return False
    return len(wanted) == len(levels)


class MemoryBroker:
    """Deliver what links publish, to those that listen. It is never full and never slow, unless ``faults`` say so."""

    def __init__(self, faults: Faults = as_sent) -> None:
        self.faults = faults
        self.retained: dict[str, bytes] = {}
        self.links: list[MemoryLink] = []
        self.forbidden: set[str] = set()
        """Filters that nobody may listen to."""
        self.made: list[MemoryLink] = []
        """Every link that there ever was."""
        self.delivered: Callable[[bytes], None] = lambda data: None
        """Told of each message that reached a link."""
        self.uplink_bytes_s: float | None = None
        """How fast the pictures of each link are sent, one chunk after the other; None for at once."""

    def link(self) -> MemoryLink:
        self.made.append(MemoryLink(self))
        return self.made[-1]

    def take(self, topic: str, data: bytes, retain: bool) -> None:
        if retain and data:
            self.retained[topic] = data
        elif retain:
            self.retained.pop(topic, None)
        for delay, sent in self.faults(topic, data):
            for link in self.links:
                if any(matches(pattern, topic) for pattern in link.filters):
                    link.deliver(topic, sent, delay)

    async def lose(self, link: MemoryLink) -> None:
        """Break a link off, as where its host died: its will is told."""
        link.connected = False
        if link in self.links:
            self.links.remove(link)
            if link.will is not None:
                self.take(link.will.topic, link.will.data, retain=True)

    async def regain(self, link: MemoryLink) -> None:
        """Let a lost link connect again."""
        await link.connect()


class MemoryLink:
    """Implements ``actors.edge.link.Link`` over a :class:`MemoryBroker`."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self._listener: LinkListener | None = None
        self._receiver: MessageReceiver | None = None
        self.counts = LinkCounts()
        self.connected = False
        self.filters: dict[str, None] = {}
        self.will: LastWill | None = None
        self._uplink = asyncio.Lock()

    async def start(self, listener: LinkListener, will: LastWill | None = None) -> None:
        self._listener, self.will = listener, will
        self._receiver = MessageReceiver(listener, self.counts)
        await self.connect()

    async def connect(self) -> None:
        assert self._listener is not None
        self._broker.links.append(self)
        self.connected = True
        self.counts.connects += 1
        for pattern in self.filters:
            self._kept(pattern)
        await self._listener.on_connect()

    async def stop(self) -> None:
        self.connected = False
        if self in self._broker.links:
            self._broker.links.remove(self)

    async def subscribe(self, *filters: str) -> None:
        for pattern in filters:
            if pattern in self._broker.forbidden:
                raise BadInput(f"the broker forbids to listen to {pattern}")
        self.filters |= dict.fromkeys(filters)
        if self.connected:
            for pattern in filters:
                self._kept(pattern)

    def _kept(self, pattern: str) -> None:
        for topic, data in self._broker.retained.items():
            if matches(pattern, topic):
                self.deliver(topic, data, retained=True)

    async def publish(self, topic: str, data: bytes, *, retain: bool = False) -> None:
        if is_picture_topic(topic) and self._broker.uplink_bytes_s is not None:
            async with self._uplink:
                await asyncio.sleep(len(data) / self._broker.uplink_bytes_s)
        if not self.connected:
            self.counts.unsent += 1
            raise LinkAway("the link in memory was lost")
        self.counts.sent += 1
        self.counts.bytes_out += len(data)
        self._broker.take(topic, data, retain)
        await asyncio.sleep(0)

    def deliver(self, topic: str, data: bytes, delay: float = 0.0, retained: bool = False) -> None:
        """Have a message arrive, if the link is connected then."""
        loop = asyncio.get_running_loop()
        if delay:
            loop.call_later(delay, self._deliver, topic, data, retained)
        else:  # in the order in which they were sent
            loop.call_soon(self._deliver, topic, data, retained)

    def _deliver(self, topic: str, data: bytes, retained: bool) -> None:
        if self.connected and self._receiver is not None:
            self._broker.delivered(data)
            self._receiver.receive(topic, data, retained)
