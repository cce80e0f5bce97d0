"""Phones, hosts and a gateway that come and go by a timetable, for a dispatcher in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from manyhands.actors.clock import Clock
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, Overloaded, PhoneBusy, PhoneUnknown
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeOrder, EpisodeResult
from tests.actors.dispatch.dispatch_parts import LeaseBook, result_of

PhoneState = Literal["here", "slow", "away", "slowly away", "silent", "busy"]
"""``slow``: attach takes 25 s; ``slowly away``: it takes 25 s to fail; ``silent``: it never answers."""
PHONE_STATES: tuple[PhoneState, ...] = ("here", "slow", "away", "slowly away", "silent", "busy")
HostState = Literal["here", "dead", "silent", "full"]
HOST_STATES: tuple[HostState, ...] = ("here", "dead", "silent", "full")
GatewayState = Literal["here", "dead", "silent"]
GATEWAY_STATES: tuple[GatewayState, ...] = ("here", "dead", "silent")
SLOW_S = 25.0
FOR_EVER_S = 1e9


@dataclass(frozen=True)
class Timetable:
    """States one after another, each for so many seconds; the last one stays."""

    parts: tuple[tuple[float, str], ...]

    def at(self, seconds: float) -> str:
        for length, state in self.parts:
            if seconds < length:
                return state
            seconds -= length
        return self.parts[-1][1]


class ShakyGateway(LeaseBook):
    """A gateway that keeps the promises of its interface: a cancelled attach leaves no lease, and leases run out."""

    def __init__(self, phones: dict[str, Timetable], gateway: Timetable, clock: Clock) -> None:
        super().__init__(tuple(phones), clock)
        self.kept_back: set[str] = set()
        """Serials of which a lease was not taken back, for the gateway did not answer."""
        self._phones = phones
        self._gateway = gateway
        self._began = clock.now()

    def state_of(self, serial: str) -> str:
        return self._phones[serial].at(self._clock.now() - self._began)

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        await self._answer()
        state = self.state_of(serial)
        await self._clock.sleep({"slow": SLOW_S, "slowly away": SLOW_S, "silent": FOR_EVER_S}.get(state, 0.1))
        await self._answer()
        if state == "busy":
            raise PhoneBusy(f"{serial}: another run has it")
        if state not in ("here", "slow"):
            raise PhoneUnknown(f"{serial}: not listed")
        held = self.held.get(serial)
        if held is not None and held.holder != holder and held.expires_at > self._clock.now():
            raise PhoneBusy(f"{serial}: held by {held.holder}")
        self.held.pop(serial, None)
        return await super().attach(serial, holder, ttl_s, run)

    async def detach(self, lease: Lease) -> None:
        await self._clock.sleep(0.1)
        self.kept_back.add(lease.serial)
        await self._answer()
        self.kept_back.discard(lease.serial)
        await super().detach(lease)

    async def _answer(self) -> None:
        state = self._gateway.at(self._clock.now() - self._began)
        if state == "dead":
            raise ActorLost("the gateway's process is gone")
        if state == "silent":
            await self._clock.sleep(FOR_EVER_S)


class ShakyHost:
    """A host whose episodes end as its timetable, and that of their phone, has it."""

    def __init__(self, hosts: Timetable, gateway: ShakyGateway, clock: Clock, endings: Sequence[Ending | None]) -> None:
        """``endings``: of the episodes in turn, on a phone that stays; None never ends by itself."""
        self.running: list[str] = []
        self.served = 0
        self._timetable = hosts
        self._gateway = gateway
        self._clock = clock
        self._endings = endings
        self._began = clock.now()

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self._gateway.check(order.lease)
        assert order.lease.serial not in [other.split("@")[1] for other in self.running]
        name = f"{order.episode}@{order.lease.serial}"
        self.running.append(name)
        try:
            return result_of(order, await self._play(order))
        finally:
            self.running.remove(name)

    async def _play(self, order: EpisodeOrder) -> Ending:
        await self._answer()
        ending = self._endings[self.served % len(self._endings)]
        self.served += 1
        for _ in range(5):
            await self._clock.sleep(4 if ending else FOR_EVER_S)
            await self._answer()
            if self._gateway.state_of(order.lease.serial) not in ("here", "slow"):
                return Ending.PHONE_LOST
        assert ending is not None
        return ending

    async def progress(self) -> Sequence[EpisodeProgress]:
        state = self._timetable.at(self._clock.now() - self._began)
        if state != "full":
            await self._answer()
        return ()

    async def replace(self) -> None:
        """Nothing comes of it: the timetable alone tells when it is there again."""

    async def _answer(self) -> None:
        state = self._timetable.at(self._clock.now() - self._began)
        if state == "dead":
            raise ActorLost("the host's process is gone")
        if state == "full":
            raise Overloaded("the host is full")
        if state == "silent":
            await asyncio.sleep(FOR_EVER_S)
