"""Phones, hosts and a store in memory, for a dispatcher in virtual time: small, and strict about leases."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.dispatcher import Dispatcher
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Host, Learning, Ref
from manyhands.actors.store.index import index_of
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ActorLost, LeaseLost, PhoneBusy, PhoneLost, PhoneUnknown
from manyhands.protocol.journals.journal import Scan, encode, scan
from manyhands.protocol.journals.records import Learned, Record, Span
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, Receipt, Reset, SettleSpec
from manyhands.protocol.roles.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.roles.lessons import LessonTaken, run_scope, task_scope
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.progress import EpisodeProgress
from manyhands.protocol.runs.results import EpisodeIndex, EpisodeOrder, EpisodeResult
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.tasks.task import TaskSpec
from tests.virtual_clock import VirtualClock, run_virtual


class LeaseBook:
    """Leases as a gateway keeps them; phones can be taken away, brought back, held by others."""

    def __init__(self, serials: Sequence[str], clock: Clock, attach_s: float = 0.0) -> None:
        self.present = dict.fromkeys(serials, True)
        self.held: dict[str, Lease] = {}
        self.attached: list[str] = []
        self.refused: list[str] = []
        self._clock = clock
        self._attach_s = attach_s
        self._epochs: Counter[str] = Counter()
        self._last: dict[str, str] = {}

    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        await self._clock.sleep(self._attach_s)
        if serial not in self.present:
            raise PhoneUnknown(f"{serial}: no such phone")
        if not self.present[serial]:
            raise PhoneLost(f"{serial}: does not answer")
        if serial in self.held and self.held[serial].holder != holder:
            self.refused.append(serial)
            raise PhoneBusy(f"{serial}: held by {self.held[serial].holder}")
        self._epochs[serial] += 1
        epoch = self._epochs[serial]
        until, kept = self._clock.now() + ttl_s, self._last.get(serial) == holder
        lease = Lease(serial=serial, holder=holder, epoch=epoch, expires_at=until, undisturbed=kept)
        self._last[serial] = holder
        self.held[serial] = lease
        self.attached.append(serial)
        return lease

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        self.check(lease)
        return lease

    async def detach(self, lease: Lease) -> None:
        if self._is_newest(lease):
            del self.held[lease.serial]

    def check(self, lease: Lease) -> None:
        if not self._is_newest(lease):
            raise LeaseLost(lease.serial)

    def _is_newest(self, lease: Lease) -> bool:
        held = self.held.get(lease.serial)
        return held is not None and (held.holder, held.epoch) == (lease.holder, lease.epoch)

    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, Ref[ModelImage], Ref[Frame]]:
        raise NotImplementedError

    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        raise NotImplementedError

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, Ref[ModelImage] | None, Ref[Frame] | None]:
        raise NotImplementedError

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        raise NotImplementedError

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        raise NotImplementedError

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
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
            EpisodeProgress(
                episode=name,
                task=order.task.id,
                serial=order.lease.serial,
                step=7,
                doing="decide",
                epoch=order.lease.epoch,
            )
            for name, order in self.running.items()
        ]

    async def replace(self) -> None:
        raise AssertionError("it answers")


class ListStore:
    """Journals as lists."""

    def __init__(self) -> None:
        self.journals: dict[str, list[Record]] = {}
        self.epochs: dict[str, int] = {}

    async def append(self, episode: str, records: Sequence[Record], first: int, epoch: int) -> None:
        await asyncio.sleep(0)
        self.epochs[episode] = max(epoch, self.epochs.get(episode, 0))
        self.journals.setdefault(episode, []).extend(records)

    async def read(self, episode: str, epoch: int) -> Scan:
        return scan(self._data(episode))

    async def index(self) -> Sequence[EpisodeIndex]:
        await asyncio.sleep(0)
        found = (index_of(self._data(episode)) for episode in self.journals)
        return [index for index in found if index is not None]

    async def screen(self, content_id: str) -> bytes | None:
        return None

    def _data(self, episode: str) -> bytes:
        """The journal as a file would hold it."""
        epoch = self.epochs[episode]
        return b"".join(
            encode(record, episode, seq=seq, epoch=epoch) for seq, record in enumerate(self.journals[episode])
        )

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
        with self._go.with_suffix(".orders").open("a") as orders:
            orders.write(f"{order.task.id} {order.resume}\n")
        while not self._go.exists():
            await asyncio.sleep(0.01)
        self._running.pop(order.episode, None)
        return result_of(order, Ending.FINISHED)

    async def progress(self) -> Sequence[EpisodeProgress]:
        return [
            EpisodeProgress(
                episode=name,
                task=order.task.id,
                serial=order.lease.serial,
                step=0,
                doing=str(os.getpid()),
                epoch=order.lease.epoch,
            )
            for name, order in self._running.items()
        ]

    async def replace(self) -> None:
        raise AssertionError("its proxy does that")


class DyingHost:
    """Dies in every episode, after a while."""

    def __init__(self, clock: VirtualClock, error: Exception | None = None) -> None:
        self.episodes: list[str] = []
        self._clock = clock
        self._error = error or ActorLost("its process is gone")

    async def run_episode(self, order: EpisodeOrder) -> EpisodeResult:
        self.episodes.append(order.episode)
        await self._clock.sleep(3)
        raise self._error

    async def progress(self) -> Sequence[EpisodeProgress]:
        raise self._error

    async def replace(self) -> None:
        raise AssertionError("it is dead already")


class ScriptedLearning:
    """What is learned of an episode takes ``seconds``; tasks know the version of what their scope has taught."""

    def __init__(
        self,
        store: ListStore,
        clock: Clock,
        seconds: float = 5.0,
        script: Callable[[LearnOrder], Awaitable[None]] | None = None,
    ) -> None:
        self.orders: list[LearnOrder] = []
        self.began: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        """When lessons began and ended, by task."""
        self.running = self.most = 0
        self.recalled: list[RecallOrder] = []
        self.known: Counter[str] = Counter()
        self._store = store
        self._clock = clock
        self._seconds = seconds
        self._script = script

    async def recall(self, order: RecallOrder) -> Recall:
        self.recalled.append(order)
        await asyncio.sleep(0)
        return Recall(memory=LongTermMemory(version=self.known[_scope(order)]))

    async def learn(self, order: LearnOrder) -> Taught:
        self.orders.append(order)
        self.began[order.task.id] = self._clock.now()
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self._clock.sleep(self._seconds)
            if self._script is not None:
                await self._script(order)
        finally:
            self.running -= 1
            self.ended[order.task.id] = self._clock.now()
        scope = _scope(order)
        self.known[scope] += 1
        taken, now = LessonTaken(version=self.known[scope]), self._clock.now()
        learned = Learned(at=now, span=Span(start=now - self._seconds, end=now), scope=scope, taken=taken)
        await self._store.append(order.episode, [learned], 2, order.epoch)
        return Taught(scope=scope, taken=taken)


def _scope(order: LearnOrder | RecallOrder) -> str:
    return run_scope(order.run) if order.task.memory_scope is None else task_scope(order.task.memory_scope)


PHONES = ("p0", "p1", "p2")


class Fixture:
    """A dispatcher and all that it works with."""

    def __init__(
        self, serials: Sequence[str] = PHONES, attach_s: float = 0.0, clock: Clock | None = None, **settings: Any
    ) -> None:
        self.clock = clock or VirtualClock()
        self.book = LeaseBook(serials, self.clock, attach_s)
        self.store = ListStore()
        self._settings = {"run": "r", "serials": tuple(serials), **settings}

    def host(self, script: Any = None, seconds: float = 10.0) -> ScriptedHost:
        return ScriptedHost(self.book, self.clock, script, seconds)

    def dispatcher(self, *hosts: Host, learning: Learning | None = None) -> Dispatcher:
        settings = self.settings()
        return Dispatcher(settings, hosts, self.book, LongTermMemory(), self.store, self.clock, learning=learning)

    def settings(self) -> DispatchSettings:
        """Those of a new dispatcher: each names its episodes in its own way."""
        return DispatchSettings.model_validate(self._settings)


def virtual(main: Coroutine[Any, Any, None]) -> None:
    run_virtual(main)


def endings(results: Sequence[EpisodeResult]) -> list[Ending]:
    return [result.ending for result in results]
