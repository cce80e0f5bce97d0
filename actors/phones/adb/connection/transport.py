"""Reach phones through an adb server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import cv2

from manyhands.actors.phones.adb.connection.device_tracking import DeviceTracker
from manyhands.actors.phones.adb.connection.server import AdbServer
from manyhands.actors.phones.adb.connection.server_start import ServerStarter, is_listening, start_server
from manyhands.actors.phones.adb.connection.shell import ShellResult
from manyhands.actors.phones.adb.keyboard import InputMethodStore
from manyhands.actors.phones.adb.phone import AdbPhone, AdbResources
from manyhands.actors.phones.adb.screens.frame_source import AdbCaptureLimits
from manyhands.actors.phones.adb.settings import AdbSettings
from manyhands.actors.phones.capture.screenshots import CaptureResources
from manyhands.actors.phones.settling.model import SettlingModel
from manyhands.protocol.errors import CallError
from manyhands.protocol.phones.messages import PhoneInfo, TransportStatus


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
        cv2.setNumThreads(1)  # our threads run in parallel, so OpenCV's own threads would only spin beside them
        starter = ServerStarter(settings.host, settings.port, settings.state_dir.expanduser() / "locks")
        self._started = AdbResources(
            server=AdbServer(settings.host, settings.port, settings.threads, starter),
            starter=starter,
            limits=AdbCaptureLimits(asyncio.Semaphore(settings.captures), threading.Semaphore(settings.pixel_threads)),
            captures=CaptureResources(ThreadPoolExecutor(settings.pixel_threads, "pixels"), SettlingModel()),
            input_methods=InputMethodStore(settings.state_dir.expanduser()),
        )

    async def stop(self) -> None:
        """Free what ``start`` opened."""
        if self._started is not None:
            await self._started.starter.close()
            self._started.server.close()
            self._started.captures.pixels.shutdown(wait=False, cancel_futures=True)
            self._started.input_methods.close()
            self._started = None

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return the phones that the adb server lists, usable or not. Raises PhoneLost if no server runs."""
        return await self._opened().server.devices()

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        """Report the adb server's list, at first and at each change, until cancelled. Start a lost server again."""
        await DeviceTracker(self._opened().server, self._settings.host, self._settings.port).run(tell)

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
