"""Encode and decode adb packets: six little-endian u32 (command, arg0, arg1, length, checksum, magic), then a payload.

The checksum is the sum of the payload's bytes. Since version 0x01000001 (2017), only CNXN needs a checksum; a WRTE has
0 in its place. The magic is the command with all bits flipped.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass
from enum import IntEnum

from manyhands.protocol.errors import WireError

HEADER = struct.Struct("<6I")
VERSION = 0x01000001
MAX_PAYLOAD = 1 << 20
"""The largest payload that we accept and announce. Ordinary adb announces the same."""


class Command(IntEnum):
    """Name a command: its four letters as a little-endian number."""

    SYNC = 0x434E5953
    CNXN = 0x4E584E43
    OPEN = 0x4E45504F
    OKAY = 0x59414B4F
    CLSE = 0x45534C43
    WRTE = 0x45545257
    AUTH = 0x48545541
    STLS = 0x534C5453


class BadPacket(WireError):
    """Signal bytes that are no adb packet. The connection cannot go on."""

    code = "bad_adb_packet"


@dataclass(frozen=True, slots=True)
class Packet:
    """Hold one packet. What the arguments mean depends on the command."""

    command: int
    arg0: int
    arg1: int
    payload: bytes = b""


def encode_header(command: int, arg0: int, arg1: int, length: int, checksum: int = 0) -> bytes:
    """Return the 24 bytes before a payload of ``length`` bytes."""
    return HEADER.pack(command, arg0, arg1, length, checksum, command ^ 0xFFFFFFFF)


def encode(packet: Packet) -> bytes:
    """Return a whole packet with its checksum."""
    total = sum(packet.payload) & 0xFFFFFFFF
    return encode_header(packet.command, packet.arg0, packet.arg1, len(packet.payload), total) + packet.payload


def decode_header(header: bytes, max_payload: int = MAX_PAYLOAD) -> tuple[int, int, int, int]:
    """Return (command, arg0, arg1, payload length) from 24 bytes. Raises BadPacket."""
    if len(header) != HEADER.size:
        raise BadPacket(f"an adb header has {HEADER.size} bytes, not {len(header)}")
    command, arg0, arg1, length, _, magic = HEADER.unpack(header)
    if command ^ 0xFFFFFFFF != magic:
        raise BadPacket(f"an adb header whose magic {magic:#010x} does not fit its command {command:#010x}")
    if length > max_payload:
        raise BadPacket(f"an adb payload of {length} bytes, over the agreed {max_payload}")
    return command, arg0, arg1, length


async def read_packet(reader: asyncio.StreamReader, max_payload: int = MAX_PAYLOAD) -> Packet | None:
    """Return the next packet; None if the peer has closed between two packets. Raises BadPacket."""
    try:
        header = await reader.readexactly(HEADER.size)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BadPacket("the connection ended inside an adb header") from error
        return None
    command, arg0, arg1, length = decode_header(header, max_payload)
    try:
        return Packet(command, arg0, arg1, await reader.readexactly(length) if length else b"")
    except asyncio.IncompleteReadError as error:
        raise BadPacket("the connection ended inside an adb payload") from error
