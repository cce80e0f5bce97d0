"""The host's end of an adb connection, packet by packet: for what a stock server never sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from manyhands.simulator.adbd import PhoneEndpoint, wire
from manyhands.simulator.adbd.wire import Command, Packet
from manyhands.simulator.phone.device import PhoneDevice

TIMEOUT_S = 10.0


class Host:
    """A connection to a phone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        self.writer.write(wire.encode(Packet(command, arg0, arg1, payload)))

    async def receive(self) -> Packet | None:
        async with asyncio.timeout(TIMEOUT_S):
            return await wire.read_packet(self.reader)

    async def expect(self, command: Command) -> Packet:
        packet = await self.receive()
        assert packet is not None
        assert packet.command == command, packet
        return packet

    async def greet(self, version: int = wire.VERSION, max_payload: int = wire.MAX_PAYLOAD) -> Packet:
        self.send(Command.CNXN, version, max_payload, b"host::features=shell_v2\0")
        return await self.expect(Command.CNXN)

    async def open(self, service: str, ours: int = 11) -> int:
        """The phone's id of the new stream."""
        self.send(Command.OPEN, ours, 0, service.encode() + b"\0")
        packet = await self.expect(Command.OKAY)
        assert packet.arg1 == ours
        return packet.arg0

    async def read_stream(self, theirs: int, ours: int = 11) -> list[bytes]:
        """The payloads of a stream until the phone closes it, each acknowledged."""
        payloads = []
        while (packet := await self.receive()) is not None and packet.command != Command.CLSE:
            if packet.command == Command.WRTE:
                payloads.append(packet.payload)
                self.send(Command.OKAY, ours, theirs)
        return payloads


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Host]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    try:
        yield Host(reader, writer)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def serve_phone(device: PhoneDevice) -> AsyncIterator[PhoneEndpoint]:
    """Serve a phone while the block runs."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="encoder") as encoders:
        endpoint = PhoneEndpoint(device, encoders)
        await endpoint.open()
        try:
            yield endpoint
        finally:
            await endpoint.close()
