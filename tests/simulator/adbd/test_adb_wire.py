"""adb packets and shell packets: whatever was encoded is read again, whatever else comes is refused by type."""

from __future__ import annotations

import asyncio
import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.adbd import wire
from manyhands.simulator.adbd.shell_packets import HEADER, MAX_DATA, ShellPacketDecoder, ShellPacketError
from manyhands.simulator.adbd.wire import BadPacket, Command, Packet

u32 = st.integers(0, 0xFFFFFFFF)
packets = st.builds(Packet, st.sampled_from(Command), u32, u32, st.binary(max_size=300))


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    """``data`` cut at these places."""
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(places)]


async def read_all(data: bytes, max_payload: int = wire.MAX_PAYLOAD) -> list[Packet]:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    found = []
    while (packet := await wire.read_packet(reader, max_payload)) is not None:
        found.append(packet)
    return found


@given(st.lists(packets, max_size=5))
def test_packets_survive_the_wire(sent: list[Packet]) -> None:
    data = b"".join(wire.encode(packet) for packet in sent)
    assert asyncio.run(read_all(data)) == sent


@given(st.lists(packets, min_size=1, max_size=3), st.lists(st.integers(0, 1000), max_size=5))
def test_packets_may_come_in_pieces(sent: list[Packet], cuts: list[int]) -> None:
    data = b"".join(wire.encode(packet) for packet in sent)

    async def read() -> list[Packet | None]:
        reader = asyncio.StreamReader()

        async def feed() -> None:
            for piece in pieces_of(data, cuts):
                reader.feed_data(piece)
                await asyncio.sleep(0)
            reader.feed_eof()

        async with asyncio.TaskGroup() as group:
            group.create_task(feed())
            return [await wire.read_packet(reader) for _ in range(len(sent) + 1)]

    assert asyncio.run(read()) == [*sent, None]


@given(st.binary(max_size=200))
def test_other_bytes_are_refused_by_type(data: bytes) -> None:
    try:
        found = asyncio.run(read_all(data))
    except BadPacket:
        return
    assert b"".join(wire.encode(packet) for packet in found)[:4] == data[:4]


@given(packets, st.integers(1, 400))
def test_a_cut_packet_is_refused(packet: Packet, missing: int) -> None:
    data = wire.encode(packet)
    kept = data[: -min(missing, len(data) - 1)]
    with pytest.raises(BadPacket, match="ended inside"):
        asyncio.run(read_all(kept))


def test_header_layout_and_checksum() -> None:
    data = wire.encode(Packet(Command.CNXN, 1, 2, b"\x01\x02\xff"))
    assert data[:4] == b"CNXN"
    assert struct.unpack("<6I", data[:24])[1:5] == (1, 2, 3, 0x102)
    assert struct.unpack_from("<I", data, 20)[0] == struct.unpack_from("<I", data, 0)[0] ^ 0xFFFFFFFF


def test_payload_over_the_agreed_size_is_refused() -> None:
    data = wire.encode(Packet(Command.WRTE, 1, 2, bytes(5000)))
    with pytest.raises(BadPacket, match="5000 bytes, over the agreed 4096"):
        asyncio.run(read_all(data, max_payload=4096))


shell_packets = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=50)), max_size=6)


@given(shell_packets, st.lists(st.integers(0, 1000), max_size=6))
def test_shell_packets_may_be_split_and_joined(sent: list[tuple[int, bytes]], cuts: list[int]) -> None:
    data = b"".join(HEADER.pack(kind, len(content)) + content for kind, content in sent)
    decoder = ShellPacketDecoder()
    assert [packet for piece in pieces_of(data, cuts) for packet in decoder.feed(piece)] == sent


def test_absurd_shell_packet_is_refused() -> None:
    with pytest.raises(ShellPacketError):
        ShellPacketDecoder().feed(HEADER.pack(0, MAX_DATA + 1))
