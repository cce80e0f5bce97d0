"""Send and receive messages over a broker: the interface of a link, its counts, and the decoding of messages."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from manyhands.protocol.edge.topics import ParsedTopic, parse_topic
from manyhands.protocol.edge.wire import Packet, unpack
from manyhands.protocol.errors import WireError

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class LinkCounts:
    """Count what a link, and the site or client that uses it, have done.

    The link, and the site or client, each add to their own fields.
    """

    # by the link
    sent: int = 0
    """Messages that the broker accepted."""
    received: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    queue: int = 0
    """Messages that wait for the broker to accept them."""
    unsent: int = 0
    """Messages that the broker did not accept; publishing them raised LinkAway."""
    malformed: int = 0
    """Messages that could not be decoded."""
    connects: int = 0
    """Connections that were made. Only the control connection counts."""
    failures: int = 0
    """Connections that failed or broke."""
    # by the site or the client
    requests: int = 0
    repeats: int = 0
    """Requests that were sent again, or that arrived again."""
    refusals: int = 0
    """Requests whose reply is an error, including those of the next two fields."""
    overtaken: int = 0
    """Requests that a newer one superseded."""
    late: int = 0
    """Requests that arrived after their deadline."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """Hold a message that was decoded."""

    topic: ParsedTopic
    packet: Packet
    retained: bool = False
    """Whether the broker had stored the message before we subscribed."""


class LinkListener(Protocol):
    """Receives the messages and connections of a link: a site's server, or a client's site registry."""

    def on_message(self, message: IncomingMessage) -> None:
        """Accept a message, and return at once.

        The broker counts the message as delivered, so only a reply can refuse it.
        """

    async def on_connect(self) -> None:
        """Publish what others must know after each connection. The link can already be used. May raise LinkAway."""


@dataclass(frozen=True, slots=True)
class LastWill:
    """Hold the message that the broker publishes when it loses the connection."""

    topic: str
    data: bytes


class Link(Protocol):
    """Keeps a connection to a broker, and reconnects when it breaks.

    A message arrives once, several times, or not at all.
    """

    @property
    def connected(self) -> bool: ...

    @property
    def counts(self) -> LinkCounts:
        """Return the counts themselves, not a copy."""
        ...

    async def start(self, listener: LinkListener, will: LastWill | None = None) -> None:
        """Connect. Raises BadInput for an error that a retry does not fix, such as a wrong password.

        Raises BadInput also if the broker does not answer at the start. A connection that is lost later is retried
        without end.
        """

    async def stop(self) -> None:
        """Disconnect; the broker does not publish the last will."""

    async def subscribe(self, *filters: str) -> None:
        """Subscribe to topics, now and after each connection. Without a connection it returns at once.

        Raises BadInput for a topic that the broker forbids.
        """

    async def publish(self, topic: str, data: bytes, *, retain: bool = False) -> None:
        """Return once the broker has accepted a message.

        Raises LinkAway; then the message is never sent, even after a reconnection.
        """


class MessageReceiver:
    """Decodes messages for a listener, and counts those that are malformed."""

    def __init__(self, listener: LinkListener, counts: LinkCounts) -> None:
        self._listener = listener
        self._counts = counts

    def receive(self, topic: str, data: bytes, retained: bool = False) -> None:
        """Decode a message and pass it on. Ignore an empty one, which clears a retained message."""
        self._counts.received += 1
        self._counts.bytes_in += len(data)
        if not data:
            return
        try:
            message = IncomingMessage(parse_topic(topic), unpack(data), retained)
        except WireError:
            self._counts.malformed += 1
        else:
            try:
                self._listener.on_message(message)
            except Exception:  # a defect must not end the connection: others would see the site as gone
                logger.exception("a defect: a message on %s was dropped", topic)
