"""Reach phones through an adb server, and follow which phones it lists, even when it is lost and started again."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import cv2

from manyhands.actors.phones.adb.frame_source import AdbCaptureLimits
from manyhands.actors.phones.adb.phone import AdbPhone, AdbResources
from manyhands.actors.phones.adb.server import (
    ADVICE,
    ALL_ONLINE_S,
    SERVER_TIMEOUT_S,
    AdbServer,
    is_network_serial,
)
from manyhands.actors.phones.adb.server_start import ServerStarter, is_listening, start_server
from manyhands.actors.phones.adb.settings import AdbSettings
from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.actors.phones.screenshots import CaptureResources
from manyhands.actors.phones.secret_values import leave_no_core
from manyhands.actors.phones.settling.model import SettlingModel
from manyhands.protocol.errors import CallError, PhoneError
from manyhands.protocol.phones import PhoneInfo, TransportStatus

RECHECK_S = 30.0
"""After this long without news the list is requested: a server on another machine may be lost without notice."""
AGAIN_S = 0.5
"""The pause between two tries to reach a server. A server that cannot be started waits longer (``server_start``)."""
_TRACK = b"0012host:track-devices"
_log = logging.getLogger(__name__)

Tell = Callable[[Sequence[PhoneInfo]], Awaitable[None]]


class _DeviceTracker:
    """Report the list of phones, at first and at each change, until cancelled.

    A new adb server knows no phones at addresses. Those that the lost server knew are connected again. Until they are,
    they are reported as offline.
    """

    def __init__(self, server: AdbServer, host: str, port: int) -> None:
        self._server = server
        self._host = host
        self._port = port
        self._listed: dict[str, PhoneInfo] = {}
        self._cut_off: dict[str, PhoneInfo] = {}
        """Phones at network addresses that a lost server knew."""
        self._told: tuple[PhoneInfo, ...] | None = None
        self._connecting: asyncio.Task[None] | None = None

    async def run(self, tell: Tell) -> None:
        """Report until cancelled. ``tell`` is awaited before the next change is looked for."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                try:
                    await self._follow(tell, tasks)
                except (OSError, EOFError, ValueError, PhoneError) as error:
                    _log.info("the adb server's list of phones at %s:%d: %s", self._host, self._port, error)
                self._cut_off |= {
                    serial: phone.model_copy(update={"state": "offline", "advice": ADVICE["offline"]})
                    for serial, phone in self._listed.items()
                    if phone.usable and is_network_serial(serial)
                }
                self._listed = {}
                await asyncio.sleep(AGAIN_S)

    async def _follow(self, tell: Tell, tasks: asyncio.TaskGroup) -> None:
        """Report while the connection to one server lasts. It ends with an error when the connection does."""
        try:
            await self._server.devices()  # starts a lost server
        except PhoneError:
            await self._tell(tell, tuple(self._cut_off.values()))
            raise
        async with asyncio.timeout(SERVER_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            async with asyncio.timeout(SERVER_TIMEOUT_S):
                writer.write(_TRACK)
                if await reader.readexactly(4) != b"OKAY":
                    raise ValueError("the server does not tell of changes")
            while True:
                await self._list(tell, tasks)
                await _change(reader)
        finally:
            writer.close()

    async def _list(self, tell: Tell, tasks: asyncio.TaskGroup) -> None:
        self._listed = {phone.serial: phone for phone in await self._server.devices()}
        for serial in self._listed.keys() & self._cut_off.keys():
            if self._listed[serial].usable:
                del self._cut_off[serial]
        if self._cut_off and (self._connecting is None or self._connecting.done()):
            self._connecting = tasks.create_task(self._connect(tuple(self._cut_off)))
        await self._tell(tell, tuple({**self._cut_off, **self._listed}.values()))

    async def _tell(self, tell: Tell, phones: tuple[PhoneInfo, ...]) -> None:
        if phones != self._told:
            await tell(phones)
            self._told = phones

    async def _connect(self, serials: Sequence[str]) -> None:
        """Connect phones in parallel. Phones that do not answer are tried again when the list is requested next."""

        async def one(serial: str) -> None:
            try:
                async with asyncio.timeout(ALL_ONLINE_S):
                    await self._server.ensure_online(serial)
            except (PhoneError, TimeoutError) as error:
                _log.info("%s is not connected again: %s", serial, error)

        await asyncio.gather(*map(one, serials))


async def _change(reader: asyncio.StreamReader) -> None:
    """Return when the server reports a change, or has reported nothing for ``RECHECK_S``."""
    try:
        async with asyncio.timeout(RECHECK_S):
            length = int(await reader.readexactly(4), 16)
    except TimeoutError:
        return
    async with asyncio.timeout(SERVER_TIMEOUT_S):
        await reader.readexactly(length)


class AdbTransport:
    """Implements ``actors.interfaces.PhoneTransport``. The adb server is shared with others and never stopped."""

    def __init__(self, settings: AdbSettings) -> None:
        self._settings = settings
        self._started: AdbResources | None = None

    async def ensure_running(self) -> None:
        """Start an adb server on this machine if none answers. Raises BadInput if that is not possible."""
        await start_server(self._settings.host, self._settings.port)

    async def status(self) -> TransportStatus:
        """Return whether anything listens at the adb server's address."""
        host, port = self._settings.host, self._settings.port
        return TransportStatus(name="adb server", address=f"{host}:{port}", running=await is_listening(host, port))

    async def start(self) -> None:
        """Open threads. No adb server is needed yet. The first call that needs one starts it if none runs."""
        settings = self._settings
        if settings.secrets:
            leave_no_core()
        cv2.setNumThreads(1)  # our threads run in parallel, so OpenCV's own threads would only spin beside them
        starter = ServerStarter(settings.host, settings.port, settings.state_dir.expanduser() / "locks")
        self._started = AdbResources(
            server=AdbServer(settings.host, settings.port, settings.threads, starter),
            starter=starter,
            limits=AdbCaptureLimits(asyncio.Semaphore(settings.captures), threading.Semaphore(settings.pixel_threads)),
            captures=CaptureResources(ThreadPoolExecutor(settings.pixel_threads, "pixels"), SettlingModel()),
            values=ValueStore(settings.state_dir.expanduser()),
        )

    async def stop(self) -> None:
        """Free what ``start`` opened."""
        if self._started is not None:
            await self._started.starter.close()
            self._started.server.close()
            self._started.captures.pixels.shutdown(wait=False, cancel_futures=True)
            self._started.values.close()
            self._started = None

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones that the adb server lists, usable or not. Raises PhoneLost if no server runs."""
        return await self._opened().server.devices()

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        """Report the adb server's list, at first and at each change, until cancelled. Start a lost server again."""
        await _DeviceTracker(self._opened().server, self._settings.host, self._settings.port).run(tell)

    async def connect(self, serial: str) -> None:
        """Return once the phone is usable. A phone whose serial is an address is connected first.

        Raises PhoneUnknown, PhoneLost.
        """
        await self._opened().server.ensure_online(serial)

    def phone(self, serial: str) -> AdbPhone:
        """Return the phone with this serial, even if it is not connected."""
        return AdbPhone(serial, self._opened(), self._settings)

    async def ask(self, serial: str, line: str, timeout_s: float | None = None) -> ShellResult:
        """Return the output of a line in a phone's shell, without a lease. The line must change nothing.

        Raises PhoneLost.
        """
        limit_s = self._settings.command_timeout_s if timeout_s is None else timeout_s
        return await self._opened().server.shell(serial, line, limit_s, asks=True)

    def _opened(self) -> AdbResources:
        if self._started is None:
            raise CallError("the transport to adb is not started, or was stopped")
        return self._started
