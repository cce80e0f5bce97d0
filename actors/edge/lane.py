"""Keep one connection to a broker: make another one when it breaks, and give up what was not accepted by then."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from manyhands.actors.edge.connection import GIVEN_UP, Connection, Credentials, Take, Terms
from manyhands.actors.edge.link import LinkCounts
from manyhands.protocol.errors import BadInput, LinkAway, ManyhandsError

Greet = Callable[[], Awaitable[None]]
_SOON_TIMES = 3
"""So many connections in a row that end soon after they were made are no chance."""
_SAME_NAME = "again and again, soon after it was made: another process may have the same name and credentials"
logger = logging.getLogger(__name__)


class Lane:
    """One connection at a time; ``take`` gets what arrives, at once."""

    def __init__(self, terms: Terms, counts: LinkCounts, take: Take) -> None:
        self._terms = terms
        self._counts = counts
        self._take = take
        self._filters: dict[str, None] = {}
        self._connection: Connection | None = None
        self._turns = asyncio.Semaphore(terms.settings.in_flight)
        """More than the connection's own limit it would keep, and nobody could take it back."""

    @property
    def connected(self) -> bool:
        return self._connection is not None

    async def open(self) -> None:
        """Connect, and subscribe to all. Raises LinkAway, and BadInput for credentials that cannot be read."""
        credentials = await asyncio.to_thread(Credentials, self._terms.broker)
        connection = Connection(self._terms, credentials, self._take)
        await connection.open()
        try:
            await connection.listen(self._filters)
        except BaseException:
            connection.abort()
            raise
        self._connection = connection

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def keep(self, greet: Greet | None = None) -> None:
        """Connect again whenever the connection breaks, and ``greet`` then; never ends by itself.

        Each reason why there is none is told once until a connection lasts, and so is the connection that ends it.
        """
        greeting: asyncio.Task[None] | None = None
        tries = soon = 0
        told: set[str] = set()
        while True:
            try:
                since = asyncio.get_running_loop().time()
                why = await self._lost()
                soon += 1
                if asyncio.get_running_loop().time() - since > self._terms.settings.most_retry_s:
                    tries = soon = 0  # else another link of the same name ends it again and again
                    told.clear()
            finally:
                if greeting is not None:
                    greeting.cancel()
                    await asyncio.wait({greeting})
            if soon >= _SOON_TIMES and why != GIVEN_UP:
                why = f"{why} {_SAME_NAME}"
            why, worth_telling = f"{self._terms.broker.name}: {why}", False
            while self._connection is None:
                self._counts.failures += 1
                level = logging.DEBUG if why in told else logging.WARNING
                worth_telling |= why not in told
                told.add(why)
                logger.log(level, "%s: no connection, trying again: %s", self._terms.name, why)
                await asyncio.sleep(self._pause_s(tries))
                tries += 1
                try:
                    await self.open()
                except (LinkAway, BadInput) as error:
                    why = str(error)
            level = logging.WARNING if worth_telling else logging.INFO
            logger.log(level, "%s: connected to %s again", self._terms.name, self._terms.broker.name)
            greeting = None if greet is None else asyncio.create_task(self._greet(greet, self._connection))

    async def _lost(self) -> str:
        """Wait for the end of the connection that stands."""
        connection = self._connection
        if connection is None:
            return "it was closed"
        try:
            return await connection.lost()
        finally:
            connection.abort()
            self._connection = None

    async def _greet(self, greet: Greet, connection: Connection) -> None:
        try:
            await greet()
        except ManyhandsError as error:
            logger.warning("%s: what others must know could not be told: %s", self._terms.name, error)
            connection.abort()
        except Exception:  # a defect there must not cost the connection
            logger.exception("%s: a defect: what others must know was not told", self._terms.name)

    def _pause_s(self, tries: int) -> float:
        """Return how long to wait before another try: longer each time, and not all links at once."""
        settings = self._terms.settings
        longest = min(settings.most_retry_s, settings.first_retry_s * float(2 ** min(tries, 20)))
        return longest * random.uniform(0.5, 1)

    # ------------------------------------------------------------------ using
    async def subscribe(self, filters: tuple[str, ...]) -> None:
        """Listen to these, too, from now on and after each connection. Raises LinkForbidden, LinkAway."""
        self._filters |= dict.fromkeys(filters)
        if self._connection is not None:
            await self._connection.listen(filters)

    async def publish(self, topic: str, data: bytes, retain: bool) -> None:
        """Return once the broker has accepted a message. Raises LinkAway, without a wait where nothing is connected."""
        counts = self._counts
        counts.queue += 1
        try:
            if self._connection is None:
                raise LinkAway(f"{self._terms.broker.name} is not connected")
            async with self._turns:
                if self._connection is None:
                    raise LinkAway(f"{self._terms.broker.name} was lost while a message waited for its turn")
                await self._connection.send(topic, data, retain)
        except LinkAway:
            counts.unsent += 1
            raise
        finally:
            counts.queue -= 1
        counts.sent += 1
        counts.bytes_out += len(data)
