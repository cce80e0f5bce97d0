"""Implement one byte stream of an adb connection, on the side of the device.

To the host: only one WRTE is unacknowledged at a time; the next one waits for the host's OKAY. A WRTE without bytes is
never sent, because adb 36 does not answer such a packet.

From the host: the device acknowledges a WRTE as soon as less than WINDOW bytes wait to be read. So small packets never
wait for a command that reads nothing (every ``adb shell`` sends a close-stdin packet). But a large push waits until the
service reads it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from manyhands.simulator.adbd.wire import Command

Buffer = bytes | bytearray | memoryview
WINDOW = 1 << 20


class StreamClosed(ConnectionError):
    """Signal that the host has closed the stream, so nothing more can be written to it."""


class Outlet(Protocol):
    """Send the packets of a stream. A connection implements this protocol."""

    def send(self, command: Command, arg0: int, arg1: int) -> None:
        """Send a packet without payload at once."""

    async def send_data(self, arg0: int, arg1: int, pieces: tuple[Buffer, ...]) -> None:
        """Send a WRTE with these pieces as its payload. Wait while the socket is full."""


class Stream:
    """Be a stream between ``local`` (our id, never 0) and ``remote`` (the host's id)."""

    def __init__(self, local: int, remote: int, max_payload: int, outlet: Outlet) -> None:
        self.local = local
        self.remote = remote
        self.max_payload = max_payload
        self.linger_s = 0.0
        """Seconds that the service may go on after the host has closed the stream, if the host sent data before."""
        self.received = False
        self._outlet = outlet
        self._inbox: deque[bytes] = deque()
        self._waiting = 0
        self._owes_okay = False
        self._closed_by_host = False
        self._closed_by_us = False
        self._arrived = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()

    # ------------------------------------------------------------------ events of the connection
    def feed(self, data: bytes) -> None:
        """Take the payload of a WRTE. If the host sends another WRTE before our OKAY, close the stream."""
        if self._owes_okay:
            self.close()
            self.hang_up()
            return
        self.received = True
        if data:
            self._inbox.append(data)
            self._waiting += len(data)
            self._arrived.set()
        self._owes_okay = True
        self._acknowledge()

    def acknowledged(self) -> None:
        """Note the host's OKAY for our last WRTE."""
        self._may_write.set()

    def hang_up(self) -> None:
        """Note that the host has closed the stream or has gone. From now on reads end and writes raise."""
        self._closed_by_host = True
        self._arrived.set()
        self._may_write.set()

    # ------------------------------------------------------------------ what a service uses
    async def read(self) -> bytes:
        """Return some bytes from the host; b"" when the host has closed the stream and all is read."""
        while not self._inbox:
            if self._closed_by_host:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        data = self._inbox.popleft()
        self._waiting -= len(data)
        self._acknowledge()
        return data

    async def write(self, data: Buffer) -> None:
        """Send all of ``data``. Raises StreamClosed if the stream is closed."""
        view = memoryview(data)
        for start in range(0, len(view), self.max_payload):
            await self.write_packet(view[start : start + self.max_payload])

    async def write_packet(self, *pieces: Buffer) -> None:
        """Send the pieces in one WRTE. Together they must have 1 to ``max_payload`` bytes."""
        await self._may_write.wait()
        if self._closed_by_host or self._closed_by_us:
            raise StreamClosed(f"adb stream {self.local}: the host has closed it")
        self._may_write.clear()
        await self._outlet.send_data(self.local, self.remote, pieces)

    def close(self) -> None:
        """Send CLSE, unless it was sent before. All that was written before CLSE still arrives, acknowledged or not."""
        if not self._closed_by_us:
            self._closed_by_us = True
            self._outlet.send(Command.CLSE, self.local, self.remote)

    def _acknowledge(self) -> None:
        if self._owes_okay and self._waiting < WINDOW:
            self._owes_okay = False
            if not (self._closed_by_host or self._closed_by_us):
                self._outlet.send(Command.OKAY, self.local, self.remote)
