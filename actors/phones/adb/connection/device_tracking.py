"""Follow which phones an adb server lists, even when it is lost and started again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from manyhands.actors.phones.adb.connection.server import (
    ADVICE,
    ALL_ONLINE_S,
    SERVER_TIMEOUT_S,
    AdbServer,
    is_network_serial,
)
from manyhands.protocol.errors import PhoneError
from manyhands.protocol.phones.messages import PhoneInfo

RECHECK_S = 30.0
"""After this long without news the list is requested: a server on another machine may be lost without notice."""
AGAIN_S = 0.5
"""The pause between two tries to reach a server. A server that cannot be started waits longer (``server_start``)."""
_TRACK = b"0012host:track-devices"
_log = logging.getLogger(__name__)

Tell = Callable[[Sequence[PhoneInfo]], Awaitable[None]]


class DeviceTracker:
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
