"""Serve all phones of one host to the holders of leases."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import LoggedPhone, PhoneTransport
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.actors.phones.leases import Leases
from manyhands.actors.phones.locks import Calls, HostLock, LockedPhone, with_wait
from manyhands.actors.phones.settings import GatewaySettings
from manyhands.actors.sqlite_database import SingleThread
from manyhands.protocol.errors import (
    CallError,
    DeadlinePassed,
    LogUnavailable,
    ManyhandsError,
    PhoneError,
    PhoneUnknown,
    StoreError,
)
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Lease, Perform, Performed, PhoneInfo, PhoneLog, Receipt, Reset, SettleSpec
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

RELEASE_S = 5.0
"""How long giving a phone back may take while the gateway stops."""
_SERIAL = re.compile(r"[ -~]{1,128}")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _PendingAttach:
    """Track a lease that was requested."""

    known: bool = False
    """Whether the lease is in the database. If the phone does not become ready, the lease is ended there."""
    unwanted: bool = False
    """Whether the caller was cancelled."""


@dataclass(slots=True)
class _GatewayResources:
    """Hold what ``start`` opens."""

    leases: SingleThread[Leases]
    calls: Calls
    phones: dict[str, LockedPhone] = field(default_factory=dict)


class PhoneGateway:
    """Implements ``actors.interfaces.Gateway`` for the phones of any ``actors.interfaces.PhoneTransport``.

    Leases and keys are in a database that all gateways of this host share, so several gateways may serve the same
    phones. An action is recorded before its phone is touched, and again with its receipt afterwards. If its caller is
    cancelled or the deadline passes, an action that has begun continues until it has a receipt. A repeated call with
    the same key gets that receipt.
    """

    def __init__(self, settings: GatewaySettings, transport: PhoneTransport, clock: Clock | None = None) -> None:
        self._settings = settings
        self._given = clock
        self._clock = clock or RealClock()
        self._transport = transport
        self._directory = TransportDirectory(transport)
        self._started: _GatewayResources | None = None

    async def start(self) -> None:
        """Open the database; no phone is asked yet. Raises BadInput for a folder that cannot be used."""
        leases = await SingleThread.open(self._open_leases, "leases")
        try:
            await self._transport.start()
        except BaseException:
            await leases.close(Leases.close)
            raise
        self._started = _GatewayResources(leases, Calls(self._settings.max_calls))

    def _open_leases(self) -> Leases:
        leases = Leases(self._settings.state_dir.expanduser(), None if self._given is None else self._given.now)
        leases.prune(self._settings.keep_keys_s)
        return leases

    async def stop(self) -> None:
        """Let admitted calls and begun actions end, then close. Leases stay as they are."""
        opened = self._started
        if opened is None or opened.calls.stopping:
            return
        await opened.calls.drain()
        await asyncio.gather(*(self._release_late(opened, serial) for serial in opened.phones))
        for locked in opened.phones.values():
            await locked.phone.close()
        self._started = None
        await self._transport.stop()
        await opened.leases.close(Leases.close)

    # ------------------------------------------------------------------ the directory
    async def phones(self) -> Sequence[PhoneInfo]:
        with self._opened().calls.admitted():
            return await self._directory.phones()

    async def connect(self, serial: str) -> None:
        with self._opened().calls.admitted():
            await self._directory.connect(serial)

    async def size(self, serial: str) -> Size:
        with self._opened().calls.admitted():
            return await self._directory.size(serial)

    async def labels(self, serial: str) -> Mapping[str, str]:
        with self._opened().calls.admitted():
            return await self._directory.labels(serial)

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        with self._opened().calls.admitted():
            return await self._directory.look(serial, source)

    # ------------------------------------------------------------------ leases
    async def attach(self, serial: str, holder: str, ttl_s: float, run: str = "") -> Lease:
        """Return once the phone is online, fit, prepared, and free of actions under older leases.

        If the caller held the phone last, it continues its task, so the phone's fitness is not checked again.
        """
        if not _SERIAL.fullmatch(serial):
            raise PhoneUnknown(f"{serial!r} is not the serial of a phone")
        opened = self._opened()
        with opened.calls.admitted():
            await opened.leases.run(Leases.ensure_free, serial, holder, run)
            attaching = _PendingAttach()
            task = opened.calls.start(self._attach(opened, attaching, serial, holder, ttl_s, run))
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                attaching.unwanted = True
                if attaching.known:  # the caller does not wait for a slow phone
                    task.cancel()
                opened.calls.start(self._undo(task))
                raise

    async def _attach(
        self, opened: _GatewayResources, attaching: _PendingAttach, serial: str, holder: str, ttl_s: float, run: str
    ) -> Lease:
        locked = self._held(serial)
        async with locked.lock.held():
            if attaching.unwanted:
                raise asyncio.CancelledError
            goes_on = await opened.leases.run(Leases.was_last, serial, holder)
            lease = await opened.leases.run(Leases.attach, serial, holder, ttl_s, run)
            attaching.known = True
            try:
                if attaching.unwanted:
                    raise asyncio.CancelledError
                await locked.prepare_anew(for_task=not goes_on)
                return await opened.leases.run(Leases.renew, lease, ttl_s)
            except BaseException:
                attaching.known = False  # the phone is being freed now, and a cancelled caller must not interrupt that
                await opened.leases.run(Leases.end if goes_on else Leases.detach, lease)
                raise

    async def _undo(self, attaching: asyncio.Task[Lease]) -> None:
        """Give back a lease whose caller was cancelled."""
        await asyncio.wait({attaching})
        if not attaching.cancelled() and attaching.exception() is None:
            await self.detach(attaching.result())

    async def renew(self, lease: Lease, ttl_s: float) -> Lease:
        return await self._opened().leases.run(Leases.renew, lease, ttl_s)

    async def detach(self, lease: Lease) -> None:
        """Give the phone back as it was, once a running action has its receipt."""
        opened = self._opened()
        await asyncio.shield(opened.calls.start(self._detach(opened, lease)))

    async def _detach(self, opened: _GatewayResources, lease: Lease) -> None:
        locked = self._held(lease.serial)
        async with locked.lock.held():
            await locked.phone.close()
            try:
                if await opened.leases.run(Leases.is_newest, lease):
                    await locked.phone.release()
            finally:
                await opened.leases.run(Leases.detach, lease)

    async def _release_late(self, opened: _GatewayResources, serial: str) -> None:
        """Restore the phone later if that failed when its lease ended, unless another holder has the phone now."""
        locked = opened.phones[serial]
        try:
            async with asyncio.timeout(RELEASE_S):
                if serial in await opened.leases.run(Leases.holders):
                    return
                async with locked.lock.held():
                    if serial not in await opened.leases.run(Leases.holders):
                        await locked.phone.release()
        except (PhoneError, StoreError, TimeoutError) as error:
            _log.warning("%s could not be given back as it was; a later run does it: %s", serial, error)

    # ------------------------------------------------------------------ looking
    async def capture(
        self, lease: Lease, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Screenshot, ModelImage, Frame]:
        async with self._call(lease, context, "capture") as locked, locked.exclusive() as waited_ms:
            await self._ready(locked, lease)
            screenshot, image, frame = await locked.phone.capture(settle)
            return with_wait(screenshot, waited_ms), image, frame

    async def state(self, lease: Lease, source: str, context: CallContext) -> Mapping[str, Any]:
        async with self._call(lease, context, "state") as locked:
            await self._ready(locked, lease)
            return await locked.phone.state(source)

    async def log(self, lease: Lease, context: CallContext) -> PhoneLog:
        async with self._call(lease, context, "log") as locked:
            await self._ready(locked, lease)
            if not isinstance(locked.phone, LoggedPhone):
                raise LogUnavailable(f"phone {lease.serial}: its transport does not give a phone's log")
            return await locked.phone.log()

    # ------------------------------------------------------------------ touching
    async def perform(self, lease: Lease, perform: Perform, context: CallContext) -> Receipt:
        async with self._call(lease, context, "perform") as locked:
            return await self._once(locked, lease, perform.key, lambda: locked.phone.perform(perform))

    async def perform_and_capture(
        self, lease: Lease, perform: Perform, settle: SettleSpec | None, context: CallContext
    ) -> tuple[Performed, ModelImage | None, Frame | None]:
        """Perform and capture in one call, as nearly every step does.

        The action and the capture each take a turn on the phone.
        """
        receipt = await self.perform(lease, perform, context)
        began_at = time.perf_counter()
        try:
            screenshot, image, frame = await self.capture(lease, settle, context)
        except ManyhandsError as error:
            _log.info("%s: no picture after %s: %s", lease.serial, perform.key, error)
            return Performed(receipt=receipt), None, None
        looked_ms = (time.perf_counter() - began_at) * 1000
        return Performed(receipt=receipt, screenshot=screenshot, looked_ms=looked_ms), image, frame

    async def reset(self, lease: Lease, reset: Reset, context: CallContext) -> Receipt:
        async with self._call(lease, context, "reset") as locked:
            return await self._once(locked, lease, reset.key, lambda: locked.phone.reset(reset))

    async def recall(self, lease: Lease, keys: Sequence[str], context: CallContext) -> Sequence[Receipt]:
        async with self._call(lease, context, "recall") as locked, locked.exclusive():
            return await self._opened().leases.run(Leases.recall, lease, keys)

    async def _once(
        self, locked: LockedPhone, lease: Lease, key: str, act: Callable[[], Awaitable[Receipt]]
    ) -> Receipt:
        """Act, unless the key was seen before. Cancelling has an effect only before the action begins."""
        start = asyncio.Event()
        task = self._opened().calls.start(self._act(start, locked, lease, key, act))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not start.is_set():
                task.cancel()
            raise

    async def _act(
        self, start: asyncio.Event, locked: LockedPhone, lease: Lease, key: str, act: Callable[[], Awaitable[Receipt]]
    ) -> Receipt:
        leases = self._opened().leases
        async with locked.exclusive() as waited_ms:
            if not locked.prepared:  # for a prepared phone it is enough that ``begin`` checks the lease
                await self._ready(locked, lease)
            start.set()
            first = await leases.run(Leases.begin, lease, key)
            if first is not None:
                return first
            try:
                receipt = with_wait(await act(), waited_ms)
            except PhoneError:
                # If a phone raises, nothing was sent (actors.interfaces.Phone), and the key may be tried again.
                await leases.run(Leases.forget, key)
                raise
            await leases.run(Leases.finish, receipt)
            return receipt

    # ------------------------------------------------------------------ calls
    @asynccontextmanager
    async def _call(self, lease: Lease, context: CallContext, what: str) -> AsyncIterator[LockedPhone]:
        """Admit a call until its deadline, and check its lease.

        When it is the call's turn on the phone, the lease is checked again. It is checked here only if the call may
        wait long for its turn. Raises Overloaded, DeadlinePassed, LeaseLost.
        """
        opened = self._opened()
        remaining = context.deadline - self._clock.now()
        late = f"{what} on {lease.serial} for {context.episode}, step {context.step}: the deadline has passed"
        if remaining <= 0:
            raise DeadlinePassed(late)
        with opened.calls.admitted():
            try:
                async with asyncio.timeout(remaining) as limit:
                    locked = self._held(lease.serial)
                    if locked.lock.locked:
                        await opened.leases.run(Leases.check, lease)
                    yield locked
            except TimeoutError as error:
                if limit.expired():
                    raise DeadlinePassed(late) from error
                raise

    async def _ready(self, locked: LockedPhone, lease: Lease) -> None:
        """Check the lease, and prepare a phone that was attached by another gateway."""
        await self._opened().leases.run(Leases.check, lease)
        await locked.prepare()

    def _held(self, serial: str) -> LockedPhone:
        phones = self._opened().phones
        if serial not in phones:
            lock = HostLock(self._settings.state_dir.expanduser() / "locks", serial)
            phones[serial] = LockedPhone(self._transport.phone(serial), lock)
        return phones[serial]

    def _opened(self) -> _GatewayResources:
        if self._started is None:
            raise CallError("the gateway is not started, or was stopped")
        return self._started
