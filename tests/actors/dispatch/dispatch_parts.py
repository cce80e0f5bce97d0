"""Phones, hosts and a store in memory, for a dispatcher in virtual time: small, and strict about leases."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.clock import Clock
from manyhands.actors.frames import Frame
from manyhands.actors.seams import Handle
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import LeaseLost, PhoneBusy, PhoneLost, PhoneUnknown
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, Receipt, SettleSpec
from manyhands.protocol.records import Record
from manyhands.protocol.runs import EpisodeOrder, EpisodeProgress, EpisodeResult
from manyhands.protocol.screens import Screenshot
from manyhands.protocol.tasks import TaskSpec


class LeaseBook:
    """Leases as a gateway keeps them; phones can be taken away, brought back, held by others."""

    def __init__(self, serials: Sequence[str], clock: Clock, attach_s: float = 0.0) -> None:
        self.present = dict.fromkeys(serials, True)
        self.held: dict[str, Lease] = {}
        self.attached: list[str] = []
        self.refused: list[str] = []
        self._clock = clock
        self._attach_s = attach_s
        self._epoch = 0

    async def attach(self, serial: str, holder: str, ttl_s: float) -> Lease:
        await self._clock.sleep(self._attach_s)
        if serial not in self.present:
            raise PhoneUnknown(f"{serial}: no such phone")
        if not self.present[serial]:
            raise PhoneLost(f"{serial}: does not answer")
        if serial in self.held:
            self.refused.append(serial)
            raise PhoneBusy(f"{serial}: held by {self.held[serial].holder}")
        self._epoch += 1
        lease = Lease(serial=serial, holder=holder, epoch=self._epoch, expires_at=self._clock.now() + ttl_s)
        self.held[serial] = lease
        self.attached.append(serial)
        return lease

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        self.check(lease)
        return lease

    async def detach(self, lease: Lease) -> None:
        if self.held.get(lease.serial) == lease:
            del self.held[lease.serial]

    def check(self, lease: Lease) -> None:
        if self.held.get(lease.serial) != lease:
            raise LeaseLost(lease.serial)

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Handle, Handle]:
        raise NotImplementedError

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        raise NotImplementedError

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Handle, Handle]:
        raise NotImplementedError

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        raise NotImplementedError

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        raise NotImplementedError


def result_of(order: EpisodeOrder, ending: Ending) -> EpisodeResult:
    return EpisodeResult(
        episode=order.episode,
        task=order.task.id,
        serial=order.lease.serial,
        attempt=order.attempt,
        ending=ending,
        reason="",
        steps=1,
        verified=None,
        rubrics={},
        started_at=0,
        ended_at=0,
    )


class ScriptedHost:
    """A host whose episodes take ``seconds`` and end as the script says; it checks that the phone is leased."""

    def __init__(
        self,
        book: LeaseBook,
        clock: Clock,
        script: Callable[[EpisodeOrder], Awaitable[Ending]] | None = None,
        seconds: float = 10.0,
    ) -> None:
        self.orders: list[EpisodeOrder] = []
        self.running: dict[str, EpisodeOrder] = {}
        self.most = 0
        self.cancelled: list[str] = []
        self._book = book
        self._clock = clock
        self._script = script
        self._seconds = seconds

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self._book.check(order.lease)
        self.orders.append(order)
        self.running[order.episode] = order
        self.most = max(self.most, len(self.running))
        try:
            await self._clock.sleep(self._seconds)
            ending = await self._script(order) if self._script else Ending.FINISHED
            return result_of(order, ending)
        except asyncio.CancelledError:
            self.cancelled.append(order.episode)
            raise
        finally:
            del self.running[order.episode]

    async def progress(self) -> Sequence[EpisodeProgress]:
        return [
            EpisodeProgress(episode=name, task=order.task.id, serial=order.lease.serial, step=7, doing="decide")
            for name, order in self.running.items()
        ]


class ListStore:
    """Journals as lists."""

    def __init__(self) -> None:
        self.journals: dict[str, list[Record]] = {}

    async def append(self, episode: str, records: Sequence[Record]) -> None:
        await asyncio.sleep(0)
        self.journals.setdefault(episode, []).extend(records)

    async def put_screens(self, content_ids: Sequence[str], *frames: Frame) -> None:
        raise NotImplementedError


def tasks(count: int, **fields: Any) -> list[TaskSpec]:
    return [TaskSpec(id=f"t{number}", goal="g", **fields) for number in range(count)]


class SleepyHost:
    """For a process of its own: episodes that wait for a file before they end, and tell the process's id."""

    def __init__(self, go: Path) -> None:
        self._go = go
        self._running: dict[str, EpisodeOrder] = {}

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self._running[order.episode] = order
        while not self._go.exists():
            await asyncio.sleep(0.01)
        del self._running[order.episode]
        return result_of(order, Ending.FINISHED)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return [
            EpisodeProgress(episode=name, task=order.task.id, serial="", step=0, doing=str(os.getpid()))
            for name, order in self._running.items()
        ]
