"""Read and write the packets inside a ``shell,v2`` stream: u8 id, u32 little-endian length, data.

In both directions, a packet may be split over several WRTEs, and a WRTE may hold several packets.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from manyhands.simulator.adbd.stream import Buffer, Stream

HEADER = struct.Struct("<BI")
MAX_DATA = 1 << 20


class Kind(IntEnum):
    STDIN = 0
    STDOUT = 1
    STDERR = 2
    EXIT = 3
    CLOSE_STDIN = 4
    WINDOW_SIZE = 5


class ShellPacketError(ValueError):
    """Signal a packet that is longer than any client sends."""


class ShellPacketDecoder:
    """Decode bytes into whole packets."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the packets that are complete now, as (id, data). Raises ShellPacketError."""
        self._rest += data
        packets: list[tuple[int, bytes]] = []
        start = 0
        while len(self._rest) - start >= HEADER.size:
            kind, length = HEADER.unpack_from(self._rest, start)
            if length > MAX_DATA:
                raise ShellPacketError(f"a shell packet of {length} bytes; at most {MAX_DATA} are expected")
            end = start + HEADER.size + length
            if end > len(self._rest):
                break
            packets.append((kind, bytes(self._rest[start + HEADER.size : end])))
            start = end
        del self._rest[:start]
        return packets


class PacketWriter:
    """Write one kind of output (stdout or stderr) of a ``shell,v2`` stream."""

    def __init__(self, stream: Stream, kind: Kind) -> None:
        self._stream = stream
        self._kind = kind

    async def write(self, data: Buffer) -> None:
        view = memoryview(data)
        size = max(1, self._stream.max_payload - HEADER.size)
        for start in range(0, len(view), size):
            piece = view[start : start + size]
            await self._stream.write_packet(HEADER.pack(self._kind, len(piece)), piece)


class PacketReader:
    """Read the stdin of a ``shell,v2`` stream. Skip window sizes."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decoder = ShellPacketDecoder()
        self._ready: list[bytes] = []
        self._ended = False

    async def read(self) -> bytes:
        """Return some bytes; b"" at the end of stdin."""
        while not self._ready and not self._ended:
            data = await self._stream.read()
            if not data:
                self._ended = True
            for kind, content in self._decoder.feed(data):
                if kind == Kind.STDIN and content and not self._ended:
                    self._ready.append(content)
                elif kind == Kind.CLOSE_STDIN:
                    self._ended = True
        return self._ready.pop(0) if self._ready else b""
