"""All phones of one host over adb, for all who hold leases on them."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import cv2

from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.phones.adb.keyboard import GIVE_BACK_S, ChosenBefore
from manyhands.actors.phones.adb.phone import AdbPhone
from manyhands.actors.phones.adb.screenshots import Shared
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.leases import Leases
from manyhands.actors.phones.locks import HostLock
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.phones.settling.model import SettlingModel
from manyhands.protocol.errors import (
    CallError,
    DeadlinePassed,
    ManyhandsError,
    Overloaded,
    PhoneError,
    PhoneUnknown,
    StoreError,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, PhoneStatus, Receipt, SettleSpec
from manyhands.protocol.screens import Screenshot

T = TypeVar("T")
R = TypeVar("R", Receipt, Screenshot)

_SERIAL = re.compile(r"[!-~]{1,128}")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Slot:
    """One phone as this gateway knows it. ``lock`` is held by whoever looks at it or touches it."""

    phone: AdbPhone
    lock: HostLock
    prepared: bool = False


@dataclass(slots=True)
class _Job:
    """An action on its way. Once ``begun``, it runs to its receipt whoever still waits for it."""

    begun: bool = False


@dataclass(slots=True)
class _Attaching:
    """A lease that somebody asked for."""

    known: bool = False
    """It is in the book, and ended there if the phone does not get ready."""
    unwanted: bool = False
    """Whoever asked for it is gone."""


@dataclass(slots=True)
class _Parts:
    """What is opened in ``start``."""

    server: AdbServer
    book: Leases
    database: ThreadPoolExecutor
    pixels: ThreadPoolExecutor
    shared: Shared
    slots: dict[str, _Slot] = field(default_factory=dict)


class PhoneGateway:
    """Implements ``actors.seams.Gateway``.

    Leases and keys are in a database that all gateways of this host share, so several may serve the same
    phones. An action is written down before its phone is touched, and with its receipt afterwards; a caller
    that is cancelled or whose deadline passes leaves a begun action to run to its receipt, which the same
    key gets when it asks again.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._opened: _Parts | None = None
        self._stopping = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._calls = 0
        self._idle = asyncio.Event()
        """Set when the last call has ended."""

    async def start(self) -> None:
        """Open the database; an adb server is not needed yet. Raises BadInput for a folder that cannot be used."""
        settings = self._settings
        database = ThreadPoolExecutor(1, thread_name_prefix="leases")
        loop = asyncio.get_running_loop()
        try:
            book = await loop.run_in_executor(database, Leases, settings.state_dir.expanduser())
            await loop.run_in_executor(database, book.prune, settings.keep_keys_s)
        except ManyhandsError:
            database.shutdown(wait=False)
            raise
        server = AdbServer(settings.adb_host, settings.adb_port, settings.adb_threads)
        cv2.setNumThreads(1)  # our threads work side by side: OpenCV's own would only spin beside them
        pixels = ThreadPoolExecutor(settings.pixel_threads, "pixels")
        decoders = threading.Semaphore(settings.pixel_threads)
        shared = Shared(server, pixels, asyncio.Semaphore(settings.captures), decoders, SettlingModel())
        self._opened = _Parts(server, book, database, pixels, shared)
        self._stopping = False

    async def stop(self) -> None:
        """Let the calls that were admitted and begun actions end, then close. Leases stay as they are."""
        parts = self._opened
        if parts is None or self._stopping:
            return
        self._stopping = True
        while self._calls:  # a capture, say, which may begin late looks
            self._idle.clear()
            await self._idle.wait()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await asyncio.gather(*(self._give_back_late(parts, slot) for slot in parts.slots.values()))
        for slot in parts.slots.values():
            await slot.phone.close()
        self._opened = None
        parts.server.close()
        parts.pixels.shutdown(wait=False, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(parts.database, parts.book.close)
        parts.database.shutdown(wait=False)

    # ------------------------------------------------------------------ leases
    async def phones(self) -> Sequence[PhoneInfo]:
        """What the adb server lists, usable or not. Raises PhoneLost where no server runs."""
        parts = self._parts()
        lines = await parts.server.devices()
        holders = await self._book(parts.book.holders)
        return tuple(
            PhoneInfo(serial=line.serial, state=line.state, model=line.model, held_by=holders.get(line.serial))
            for line in lines
        )

    async def attach(self, serial: str, holder: str, ttl_s: float) -> Lease:
        """Returns once the phone is online, prepared, and free of actions under older leases."""
        if not _SERIAL.fullmatch(serial):
            raise PhoneUnknown(f"{serial!r} is not the serial of a phone")
        async with self._admitted():
            await self._book(self._parts().book.ensure_free, serial, holder)
            attaching = _Attaching()
            task = self._own(self._attach(attaching, serial, holder, ttl_s))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                attaching.unwanted = True
                if attaching.known:  # a phone that is slow is not waited for
                    task.cancel()
                self._own(self._undo(task))
                raise

    async def _attach(self, attaching: _Attaching, serial: str, holder: str, ttl_s: float) -> Lease:
        parts, slot = self._parts(), self._slot(serial)
        async with slot.lock.held():
            if attaching.unwanted:
                raise asyncio.CancelledError
            lease = await self._run(parts, parts.book.attach, serial, holder, ttl_s)
            attaching.known = True
            try:
                if attaching.unwanted:
                    raise asyncio.CancelledError
                await slot.phone.prepare()
                slot.prepared = True
                return await self._run(parts, parts.book.renew, lease, ttl_s)
            except BaseException:
                attaching.known = False  # it is being freed: cancelling would only break that off
                await self._run(parts, parts.book.detach, lease)
                raise

    async def _undo(self, attaching: asyncio.Task[Lease]) -> None:
        """Whoever asked for the lease is gone: give it back."""
        await asyncio.wait({attaching})
        if not attaching.cancelled() and attaching.exception() is None:
            await self.detach(attaching.result())

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return await self._book(self._parts().book.renew, lease, ttl_s)

    async def detach(self, lease: Lease) -> None:
        """Gives the phone back as it was, once an action that is on its way has its receipt."""
        await asyncio.shield(self._own(self._detach(lease)))

    async def _detach(self, lease: Lease) -> None:
        parts, slot = self._parts(), self._slot(lease.serial)
        async with slot.lock.held():
            await slot.phone.close()
            try:
                if await self._run(parts, parts.book.is_newest, lease):
                    await slot.phone.give_back_keyboard()
            finally:
                await self._run(parts, parts.book.detach, lease)

    async def _give_back_late(self, parts: _Parts, slot: _Slot) -> None:
        """What could not be given back with the lease, for the phone was away then. Another holder's is left alone."""
        serial = slot.phone.serial
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                if await self._run(parts, parts.book.input_method_before, serial) is None:
                    return
                async with slot.lock.held():
                    if serial not in await self._run(parts, parts.book.holders):
                        await parts.server.ensure_online(serial)
                        await slot.phone.give_back_keyboard()
        except (PhoneError, StoreError, TimeoutError) as error:
            _log.warning("%s has ADBKeyboard chosen until a run gives it back: %s", serial, error)

    # ------------------------------------------------------------------ looking
    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        async with self._call(lease, context, "capture") as slot, _turn(slot) as waited_ms:
            await self._ready(slot, lease)
            screenshot, image, frame = await slot.phone.capture(settle)
            return _with_wait(screenshot, waited_ms), image, frame

    async def status(self, lease: Lease, context: CallContext) -> PhoneStatus:
        async with self._call(lease, context, "status") as slot:
            await self._ready(slot, lease)
            return await slot.phone.status()

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        async with self._call(lease, context, "state") as slot:
            await self._ready(slot, lease)
            return await slot.phone.state(source)

    # ------------------------------------------------------------------ touching
    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        async with self._call(lease, context, "perform") as slot:
            return await self._once(slot, lease, perform.key, lambda: slot.phone.perform(perform))

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        """One call for what nearly every action is followed by; the picture has a turn of its own on the phone."""
        receipt = await self.perform(lease, perform, context)
        began_at = time.perf_counter()
        try:
            screenshot, image, frame = await self.capture(lease, settle, context)
        except ManyhandsError as error:
            _log.info("%s: no picture after %s: %s", lease.serial, perform.key, error)
            return Performed(receipt=receipt), None, None
        looked_ms = (time.perf_counter() - began_at) * 1000
        return Performed(receipt=receipt, screenshot=screenshot, looked_ms=looked_ms), image, frame

    async def reset(self, lease: Lease, key: str, seed: int | None, context: CallContext) -> Receipt:
        async with self._call(lease, context, "reset") as slot:
            return await self._once(slot, lease, key, lambda: slot.phone.reset(key, seed))

    async def _once(self, slot: _Slot, lease: Lease, key: str, act: Callable[[], Awaitable[Receipt]]) -> Receipt:
        """Act, unless the key was seen before. Cancelling has an effect only before the action is begun."""
        job = _Job()
        task = self._own(self._act(job, slot, lease, key, act))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not job.begun:
                task.cancel()
            raise

    async def _act(
        self, job: _Job, slot: _Slot, lease: Lease, key: str, act: Callable[[], Awaitable[Receipt]]
    ) -> Receipt:
        parts = self._parts()
        async with _turn(slot) as waited_ms:
            if not slot.prepared:  # otherwise it is enough that ``begin`` looks at the lease
                await self._ready(slot, lease)
            job.begun = True
            first = await self._run(parts, parts.book.begin, lease, key)
            if first is not None:
                return first
            try:
                receipt = _with_wait(await act(), waited_ms)
            except PhoneError:
                # What a phone raises is certainly not sent (actors.seams.Phone); the key may be tried again.
                await self._run(parts, parts.book.forget, key)
                raise
            await self._run(parts, parts.book.finish, receipt)
            return receipt

    # ------------------------------------------------------------------ calls
    @asynccontextmanager
    async def _call(self, lease: Lease, context: CallContext, what: str) -> AsyncIterator[_Slot]:
        """Admission, the deadline, and a look at the lease. Raises Overloaded, DeadlinePassed, LeaseLost.

        The lease is looked at again when the phone's turn has come: here only if that may take a while.
        """
        left = context.deadline - time.time()
        late = f"{what} on {lease.serial} for {context.episode}, step {context.step}: the deadline has passed"
        if left <= 0:
            raise DeadlinePassed(late)
        async with self._admitted():
            try:
                async with asyncio.timeout(left) as limit:
                    slot = self._slot(lease.serial)
                    if slot.lock.taken:
                        await self._book(self._parts().book.check, lease)
                    yield slot
            except TimeoutError as error:
                if limit.expired():
                    raise DeadlinePassed(late) from error
                raise

    @asynccontextmanager
    async def _admitted(self) -> AsyncIterator[None]:
        if self._stopping:
            raise CallError("the gateway is stopping")
        if self._calls >= self._settings.max_calls:
            raise Overloaded(f"the gateway serves {self._calls} calls already")
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()

    async def _ready(self, slot: _Slot, lease: Lease) -> None:
        """The lease still counts, and the phone is prepared: also by a gateway that was started anew."""
        await self._book(self._parts().book.check, lease)
        if not slot.prepared:
            await slot.phone.prepare()
            slot.prepared = True

    def _slot(self, serial: str) -> _Slot:
        parts, settings = self._parts(), self._settings
        slot = parts.slots.get(serial)
        if slot is None:
            phone = AdbPhone(serial, parts.shared, settings, ChosenBefore(parts.book, parts.database, serial))
            slot = parts.slots[serial] = _Slot(phone, HostLock(settings.state_dir.expanduser() / "locks", serial))
        return slot

    def _own(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that ``stop`` waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _book(self, work: Callable[..., T], *arguments: Any) -> T:
        return await self._run(self._parts(), work, *arguments)

    async def _run(self, parts: _Parts, work: Callable[..., T], *arguments: Any) -> T:
        """Work of the database, in its one thread."""
        return await asyncio.get_running_loop().run_in_executor(parts.database, work, *arguments)

    def _parts(self) -> _Parts:
        if self._opened is None:
            raise CallError("the gateway is not started, or was stopped")
        return self._opened


@asynccontextmanager
async def _turn(slot: _Slot) -> AsyncIterator[float]:
    """The phone's lock, and for how many milliseconds it was waited for."""
    asked_at = time.perf_counter()
    async with slot.lock.held():
        yield (time.perf_counter() - asked_at) * 1000


def _with_wait(told: R, waited_ms: float) -> R:
    return told.model_copy(update={"queue_ms": told.queue_ms + waited_ms})
