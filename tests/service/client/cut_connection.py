"""A proxy between a client and a service that cuts connections where a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

PART = 64 * 1024


class CuttingProxy:
    """Pass bytes on. ``cuts`` has for each connection how many bytes of answers it passes before it breaks."""

    def __init__(self, server: str) -> None:
        self._host, self._port = urlsplit(server).hostname, urlsplit(server).port
        self.cuts: list[int] = []
        self.url = ""
        self.connections = 0
        self.passed = b""
        """The last bytes that passed."""
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.break_all()

    def break_all(self) -> None:
        """Break all connections."""
        for writer in tuple(self._open):
            writer.transport.abort()

    async def broken(self) -> None:
        """Break all connections, from another thread."""
        self.break_all()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[CuttingProxy]:
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    async def seen(self, part: bytes) -> None:
        """Return once these bytes have passed."""
        async with asyncio.timeout(60):
            while part not in self.passed:
                await asyncio.sleep(0.01)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        left = self.cuts.pop(0) if self.cuts else None
        there_reader, there_writer = await asyncio.open_connection(self._host, self._port)
        self._open |= {writer, there_writer}
        back = asyncio.create_task(self._copy(there_reader, writer, left))
        forth = asyncio.create_task(self._copy(reader, there_writer, None))
        await asyncio.wait((back, forth), return_when=asyncio.FIRST_COMPLETED)
        for task in (back, forth):
            task.cancel()
        for one in (writer, there_writer):
            one.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: int | None) -> None:
        with suppress(OSError):
            while part := await reader.read(PART if left is None else max(1, min(PART, left))):
                if left is not None and left <= 0:
                    return
                self.passed = (self.passed + part)[-PART:]
                writer.write(part)
                await writer.drain()
                if left is not None:
                    left -= len(part)
