"""Which host runs the next episode: the least busy of those that answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from actors.dispatch.health import Backoff
from actors.episode.clock import Clock
from actors.seams import Host


@dataclass(slots=True)
class HostSlot:
    """A host and what is known of it."""

    host: Host
    running: int = 0
    failures: int = 0
    again_at: float = 0.0


class HostPool:
    def __init__(self, hosts: Sequence[Host], backoff: Backoff, clock: Clock) -> None:
        if not hosts:
            raise ValueError("a run needs at least one episode host")
        self._slots = [HostSlot(host) for host in hosts]
        self._backoff = backoff
        self._clock = clock

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(slot.host for slot in self._slots)

    @asynccontextmanager
    async def host(self) -> AsyncIterator[HostSlot]:
        """The least busy host; while all have failed, the one that is to be tried again first, at its time."""
        now = self._clock.now()
        slot = min(self._slots, key=lambda slot: (max(slot.again_at, now), slot.running))
        slot.running += 1
        try:
            wait = slot.again_at - now
            if wait > 0:
                await self._clock.sleep(wait)
            yield slot
        finally:
            slot.running -= 1

    def failed(self, slot: HostSlot) -> None:
        """It died or refused: left alone for a while, each time in a row for longer."""
        slot.failures += 1
        slot.again_at = self._clock.now() + self._backoff.wait_s(slot.failures)

    def served(self, slot: HostSlot) -> None:
        slot.failures = 0
