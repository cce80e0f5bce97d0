"""Reach phones through an adb server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import cv2

from manyhands.actors.phones.adb.input_methods import InputMethods
from manyhands.actors.phones.adb.keeping import ServerKeeper
from manyhands.actors.phones.adb.phone import AdbPhone
from manyhands.actors.phones.adb.screenshots import CaptureResources
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.settings import AdbSettings
from manyhands.actors.phones.adb.starting import start_server
from manyhands.actors.phones.adb.tracking import PhoneWatch
from manyhands.actors.phones.settling.model import SettlingModel
from manyhands.protocol.errors import CallError
from manyhands.protocol.phones import PhoneInfo


@dataclass(frozen=True, slots=True)
class _Opened:
    """Hold what ``start`` opens."""

    captures: CaptureResources
    keeper: ServerKeeper
    input_methods: InputMethods


class AdbTransport:
    """Implements ``actors.seams.PhoneTransport``. The adb server is shared with others and never stopped."""

    def __init__(self, settings: AdbSettings) -> None:
        self._settings = settings
        self._started: _Opened | None = None

    async def ensure_running(self) -> None:
        """Start an adb server on this machine if none answers. Raises BadInput where that is not possible."""
        await start_server(self._settings.host, self._settings.port)

    async def start(self) -> None:
        """Open threads; an adb server is not needed yet, and one that is gone by then is started."""
        settings = self._settings
        cv2.setNumThreads(1)  # our threads work side by side: OpenCV's own would only spin beside them
        keeper = ServerKeeper(settings.host, settings.port, settings.state_dir.expanduser() / "locks")
        captures = CaptureResources(
            server=AdbServer(settings.host, settings.port, settings.threads, keeper),
            pixels=ThreadPoolExecutor(settings.pixel_threads, "pixels"),
            slots=asyncio.Semaphore(settings.captures),
            decoders=threading.Semaphore(settings.pixel_threads),
            settling=SettlingModel(),
        )
        self._started = _Opened(captures, keeper, InputMethods(settings.state_dir.expanduser()))

    async def stop(self) -> None:
        """Free what ``start`` opened."""
        if self._started is not None:
            await self._started.keeper.close()
            self._started.captures.server.close()
            self._started.captures.pixels.shutdown(wait=False, cancel_futures=True)
            self._started.input_methods.close()
            self._started = None

    async def phones(self) -> Sequence[PhoneInfo]:
        """Return what the adb server lists, usable or not. Raises PhoneLost where no server runs."""
        return await self._opened().captures.server.devices()

    async def watch(self, tell: Callable[[Sequence[PhoneInfo]], Awaitable[None]]) -> None:
        """Tell what the adb server lists, again at each change, until cancelled; a server that is gone is started."""
        await PhoneWatch(self._opened().captures.server, self._settings.host, self._settings.port).run(tell)

    async def connect(self, serial: str) -> None:
        """Return once the phone is usable; one at an address is connected. Raises PhoneUnknown, PhoneLost."""
        await self._opened().captures.server.ensure_online(serial)

    def phone(self, serial: str) -> AdbPhone:
        """Return the phone with this serial, whether or not it is there."""
        opened = self._opened()
        return AdbPhone(serial, opened.captures, self._settings, opened.input_methods)

    def _opened(self) -> _Opened:
        if self._started is None:
            raise CallError("the transport to adb is not started, or was stopped")
        return self._started
