"""Send and receive messages over a broker: the seam, its counts, and what every kind of link does with what arrives."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from manyhands.protocol.edge.topics import Place, place_of
from manyhands.protocol.edge.wire import Packet, unpack
from manyhands.protocol.errors import WireError

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class LinkCounts:
    """Count what a link and those at its end did since they started. Each of them adds to its own."""

    # by the link
    sent: int = 0
    """Messages that the broker accepted."""
    received: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    queue: int = 0
    """Messages that wait now for the broker to accept them."""
    unsent: int = 0
    """Messages that the broker did not accept: they raised LinkAway."""
    malformed: int = 0
    """Messages that were none of ours, or not whole any more."""
    connects: int = 0
    """Connections, by the one for control alone."""
    failures: int = 0
    """Connections that were tried in vain, or broke off."""
    # by the gateway behind it, or by who asks
    requests: int = 0
    repeats: int = 0
    """Requests that were asked again, or had been heard before."""
    refusals: int = 0
    """Requests that were answered by an error; also those of the next two lines."""
    overtaken: int = 0
    late: int = 0


@dataclass(frozen=True, slots=True)
class Arrival:
    """Hold a message that arrived whole."""

    place: Place
    packet: Packet
    retained: bool = False
    """The broker kept it from before."""


class Listener(Protocol):
    """Stands at the end of a link."""

    def arrived(self, arrival: Arrival) -> None:
        """Take a message, and return at once. The broker takes it for delivered: what is not admitted is answered."""

    async def connected(self) -> None:
        """Tell anew what others must know, after each connection; the link can be used. May raise LinkAway."""


@dataclass(frozen=True, slots=True)
class Will:
    """Say what the broker tells others when it loses us."""

    topic: str
    data: bytes


class Link(Protocol):
    """Connects to a broker, again and again. What is sent arrives once, several times, or not at all."""

    @property
    def connected(self) -> bool: ...

    @property
    def counts(self) -> LinkCounts:
        """The counts themselves, to be added to."""
        ...

    async def start(self, listener: Listener, will: Will | None = None) -> None:
        """Return once it is connected. Raises BadInput for what another try does not mend, such as a wrong password.

        A broker that does not answer is BadInput too: later it is waited for.
        """

    async def stop(self) -> None:
        """Close it; the will is not told."""

    async def subscribe(self, *filters: str) -> None:
        """Receive from these topics, from now on and after each connection. Raises BadInput for one that is forbidden.

        While there is no connection it returns at once.
        """

    async def publish(self, topic: str, data: bytes, *, retain: bool = False) -> None:
        """Return once the broker has accepted a message. Raises LinkAway: then no later connection sends it."""


class Intake:
    """Gives a listener what arrives whole, and counts the rest."""

    def __init__(self, listener: Listener, counts: LinkCounts) -> None:
        self._listener = listener
        self._counts = counts

    def take(self, topic: str, data: bytes, retained: bool = False) -> None:
        """Take what a broker delivered. Nothing at all is a retained message that was cleared, and says nothing."""
        self._counts.received += 1
        self._counts.bytes_in += len(data)
        if not data:
            return
        try:
            arrival = Arrival(place_of(topic), unpack(data), retained)
        except WireError:
            self._counts.malformed += 1
        else:
            try:
                self._listener.arrived(arrival)
            except Exception:  # it must not cost the connection, and with it what others are told
                logger.exception("a defect: a message on %s was dropped", topic)
