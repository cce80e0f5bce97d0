"""Which host runs the next episode: the least busy of those that answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from actors.dispatch.health import Backoff
from actors.episode.clock import Clock
from actors.seams import Host
from protocol.errors import ActorLost, CallError

_ANSWER_S = 10.0


@dataclass(slots=True)
class HostSlot:
    """A host and what is known of it."""

    host: Host
    running: int = 0
    failures: int = 0
    again_at: float = 0.0
    reason: str = ""


class NoHost(ActorLost):
    """No episode host has answered for too long."""

    code = "no_host"


class HostPool:
    def __init__(self, hosts: Sequence[Host], backoff: Backoff, patience_s: float, clock: Clock) -> None:
        """``patience_s``: how long to wait for a host to answer while all have failed."""
        if not hosts:
            raise ValueError("a run needs at least one episode host")
        self._slots = [HostSlot(host) for host in hosts]
        self._backoff = backoff
        self._patience_s = patience_s
        self._clock = clock

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(slot.host for slot in self._slots)

    @asynccontextmanager
    async def host(self) -> AsyncIterator[HostSlot]:
        """The least busy host that answers. One that has failed is asked before it is used again. Raises NoHost."""
        slot = await self._find()
        try:
            yield slot
        finally:
            slot.running -= 1

    def failed(self, slot: HostSlot, reason: str) -> None:
        """It died or refused: left alone for a while, each time in a row for longer."""
        slot.failures += 1
        slot.reason = reason
        slot.again_at = self._clock.now() + self._backoff.wait_s(slot.failures)

    def served(self, slot: HostSlot) -> None:
        slot.failures = 0

    async def _find(self) -> HostSlot:
        """A host that answers, counted as one episode busier."""
        give_up_at = self._clock.now() + self._patience_s
        while True:
            now = self._clock.now()
            slot = min(self._slots, key=lambda slot: (max(slot.again_at, now), slot.running))
            if slot.again_at > give_up_at:
                raise NoHost(f"no episode host answers: {slot.reason}")
            slot.running += 1
            found = False
            try:
                await self._clock.sleep(slot.again_at - now)
                found = slot.failures == 0 or await self._answers(slot)
            finally:
                slot.running -= not found
            if found:
                return slot

    async def _answers(self, slot: HostSlot) -> bool:
        try:
            async with asyncio.timeout(_ANSWER_S):
                await slot.host.progress()
        except (CallError, TimeoutError) as error:
            self.failed(slot, str(error) or f"no answer within {_ANSWER_S:g} s")
            return False
        return True
