"""The adb server of this machine: started if none runs, never killed; phones listed and connected."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import adbutils

from manyhands.actors.phones import start_server
from manyhands.protocol.errors import PhoneError, PhoneLost
from manyhands.protocol.geometry import Size
from manyhands.protocol.phones import PhoneInfo

LARGEST = Size(width=1440, height=3200)
"""Taken for a phone that does not say its size."""
SIZE_TIMEOUT_S = 5.0
_SIZE = re.compile(r"size: (\d+)x(\d+)")
ONLINE_TIMEOUT_S = 30.0
POLL_S = 0.1


class AdbServer:
    """Blocking adbutils calls, in threads."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._client = adbutils.AdbClient(host=host, port=port)

    async def ensure(self) -> None:
        """Start a server on this machine if none answers. Raises BadInput where that is not possible."""
        await start_server(self.host, self.port)

    async def phones(self) -> tuple[PhoneInfo, ...]:
        """All that adb lists, usable or not."""
        return await asyncio.to_thread(self._list)

    async def connect(self, serials: Sequence[str]) -> None:
        """Connect phones that listen on TCP and wait until each is online. Raises PhoneLost."""
        await asyncio.gather(*(asyncio.to_thread(self._connect, serial) for serial in serials))
        waiting = set(serials)
        try:
            async with asyncio.timeout(ONLINE_TIMEOUT_S):
                while waiting:
                    waiting -= {phone.serial for phone in await self.phones() if phone.state == "device"}
                    await asyncio.sleep(POLL_S if waiting else 0)
        except TimeoutError as error:
            raise PhoneLost(f"{', '.join(sorted(waiting))}: not online after {ONLINE_TIMEOUT_S:.0f} s") from error

    async def disconnect(self, serials: Sequence[str]) -> None:
        """One by one: disconnecting many at once has hung adb servers."""
        for serial in serials:
            await asyncio.to_thread(self._disconnect, serial)

    async def screen_size(self, serial: str) -> Size:
        """Of a phone's screen as it says itself; LARGEST where it does not."""
        return await asyncio.to_thread(self._screen_size, serial)

    def _screen_size(self, serial: str) -> Size:
        try:
            said = str(self._client.device(serial=serial).shell("wm size", timeout=SIZE_TIMEOUT_S))
        except (adbutils.AdbError, OSError, EOFError):
            return LARGEST
        found = _SIZE.findall(said)  # the physical one, then one that overrides it
        return max((Size(width=int(width), height=int(height)) for width, height in found), key=_area, default=LARGEST)

    def _connect(self, serial: str) -> None:
        with self._adb_errors():
            said = self._client.connect(serial, timeout=ONLINE_TIMEOUT_S)
        if "connected to" not in said:
            raise PhoneLost(f"{serial}: {said}")

    def _disconnect(self, serial: str) -> None:
        with self._adb_errors():
            self._client.disconnect(serial)

    @contextmanager
    def _adb_errors(self) -> Iterator[None]:
        try:
            yield
        except (adbutils.AdbError, OSError, EOFError) as error:
            raise PhoneError(f"the adb server at {self.host}:{self.port} did not answer: {error}") from error

    def _list(self) -> tuple[PhoneInfo, ...]:
        with self._adb_errors():
            listed = self._client.list(extended=True)
        return tuple(
            PhoneInfo(serial=item.serial, state=item.state, model=item.tags.get("model", "")) for item in listed
        )


async def screen_sizes(server: AdbServer, serials: Sequence[str]) -> tuple[Size, ...]:
    """Of the phones' screens; one that is away, or does not say, is taken for the largest."""
    return tuple(await asyncio.gather(*(server.screen_size(serial) for serial in serials)))


def _area(size: Size) -> int:
    return size.width * size.height
