"""The phone's side of a connection, as a host meets it packet by packet."""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import AsyncIterator

import pytest

from manyhands.simulator.adbd import PhoneEndpoint, wire
from manyhands.simulator.adbd.wire import Command
from tests.simulator.adb_client import soon
from tests.simulator.adbd.adb_host import Host, connected, serve_phone
from tests.simulator.plain_device import PlainDevice


@pytest.fixture
async def phone() -> AsyncIterator[PhoneEndpoint]:
    async with serve_phone(PlainDevice()) as endpoint:
        yield endpoint


@pytest.fixture
async def host(phone: PhoneEndpoint) -> AsyncIterator[Host]:
    async with connected(phone.port) as host:
        await host.greet()
        yield host


async def test_banner_names_features_and_model(phone: PhoneEndpoint) -> None:
    async with connected(phone.port) as host:
        hello = await host.greet(max_payload=4096)
    assert (hello.arg0, hello.arg1) == (wire.VERSION, 4096)
    assert b"ro.product.model=Plain Phone;" in hello.payload
    assert hello.payload.endswith(b"features=shell_v2,cmd,fixed_push_mkdir")


async def test_a_host_before_2017_is_left(phone: PhoneEndpoint) -> None:
    """It would want checksums."""
    async with connected(phone.port) as host:
        host.send(Command.CNXN, wire.VERSION - 1, wire.MAX_PAYLOAD, b"host::\0")
        assert await host.receive() is None


async def test_output_comes_in_agreed_pieces(phone: PhoneEndpoint) -> None:
    phone.phone.files.write("/sdcard/big", bytes(range(256)) * 100)
    async with connected(phone.port) as host:
        await host.greet(max_payload=4096)
        theirs = await host.open("exec:cat /sdcard/big")
        pieces = await host.read_stream(theirs)
    assert b"".join(pieces) == bytes(range(256)) * 100
    assert max(map(len, pieces)) == 4096
    assert min(map(len, pieces)) > 0


@pytest.mark.parametrize("service", ["tcp:5000", "localabstract:x", "jdwp:1", "nonsense", ""])
async def test_unknown_services_are_refused(host: Host, service: str) -> None:
    host.send(Command.OPEN, 11, 0, service.encode() + b"\0")
    refused = await host.expect(Command.CLSE)
    assert (refused.arg0, refused.arg1) == (0, 11)


@pytest.mark.parametrize("service", ["exec:cat /sdcard/big", "shell,v2,raw:cat /sdcard/big", "exec:screencap"])
async def test_a_host_that_is_gone_in_mid_write_is_no_failure_of_the_phone(
    phone: PhoneEndpoint, service: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The socket breaks while commands write, whose next packets the host has acknowledged in advance."""
    phone.phone.files.write("/sdcard/big", bytes(8 << 20))
    tasks = len(asyncio.all_tasks())
    for _ in range(20):
        async with connected(phone.port) as host:
            await host.greet(max_payload=4096)
            for ours in range(1, 5):
                host.send(Command.OPEN, ours, 0, service.encode() + b"\0")
            for _ in range(40):
                packet = await host.receive()
                assert packet is not None
                for _ in range(3):
                    host.send(Command.OKAY, packet.arg1, packet.arg0)
    await soon(lambda: len(asyncio.all_tasks()) <= tasks, True)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_packets_of_unknown_streams_are_ignored(host: Host) -> None:
    for command in (Command.WRTE, Command.OKAY, Command.CLSE):
        host.send(command, 77, 88)
    theirs = await host.open("shell:echo still here")
    assert await host.read_stream(theirs) == [b"still here\n"]


async def test_stdout_needs_no_acknowledgement_of_its_last_packet(host: Host) -> None:
    await host.open("shell:echo bye")
    assert (await host.expect(Command.WRTE)).payload == b"bye\n"
    await host.expect(Command.CLSE)


async def test_a_client_that_goes_ends_its_command(host: Host) -> None:
    tasks = len(asyncio.all_tasks())
    theirs = await host.open("shell,v2,raw:sleep 1000")
    assert len(asyncio.all_tasks()) == tasks + 1
    host.send(Command.WRTE, 11, theirs, bytes([4, 0, 0, 0, 0]))
    await host.expect(Command.OKAY)
    host.send(Command.CLSE, 11, theirs)
    await host.expect(Command.CLSE)
    await soon(lambda: len(asyncio.all_tasks()), tasks)


async def test_a_stream_closed_before_it_ran_is_answered(host: Host) -> None:
    host.send(Command.OPEN, 11, 0, b"shell:echo x\0")
    host.send(Command.CLSE, 11, 1)
    await host.expect(Command.OKAY)
    packets = [await host.receive()]
    while packets[-1] is not None and packets[-1].command != Command.CLSE:
        packets.append(await host.receive())
    assert packets[-1] is not None


async def test_exec_in_finishes_with_what_it_was_sent(host: Host, phone: PhoneEndpoint) -> None:
    theirs = await host.open("exec:cat > /sdcard/in")
    host.send(Command.WRTE, 11, theirs, b"all of it")
    await host.expect(Command.OKAY)
    host.send(Command.CLSE, 11, theirs)
    await host.expect(Command.CLSE)
    assert phone.phone.files.read("/sdcard/in") == b"all of it"


async def test_a_lost_connection_ends_its_commands(phone: PhoneEndpoint) -> None:
    tasks = len(asyncio.all_tasks())
    async with connected(phone.port) as host:
        await host.greet()
        await host.open("shell:sleep 1000")
        assert len(asyncio.all_tasks()) > tasks
    await soon(lambda: len(asyncio.all_tasks()), tasks)


@pytest.mark.parametrize(
    "data",
    [
        wire.encode_header(Command.WRTE, 1, 1, wire.MAX_PAYLOAD + 1),
        struct.pack("<6I", Command.OPEN, 1, 0, 0, 0, 12345),
        b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n",
    ],
)
async def test_what_is_not_adb_ends_the_connection_and_not_the_phone(phone: PhoneEndpoint, data: bytes) -> None:
    async with connected(phone.port) as host:
        await host.greet()
        host.writer.write(data)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await host.reader.readexactly(1)
    async with connected(phone.port) as host:
        assert (await host.greet()).command == Command.CNXN


async def test_too_many_streams_are_refused(host: Host) -> None:
    for number in range(1, 258):
        host.send(Command.OPEN, number, 0, b"shell:sleep 1000\0")
    answers = [await host.receive() for _ in range(257)]
    assert [answer.command for answer in answers if answer] == [Command.OKAY] * 256 + [Command.CLSE]


async def test_sync_requests_may_be_cut_anywhere(host: Host, phone: PhoneEndpoint) -> None:
    phone.phone.files.write("/sdcard/f", b"12345", mtime=1000)
    theirs = await host.open("sync:")
    path = b"/sdcard/f"
    data = b"STAT" + struct.pack("<I", len(path)) + path + b"STAT" + struct.pack("<I", 6) + b"/nope/"
    for byte in data:
        host.send(Command.WRTE, 11, theirs, bytes([byte]))
    answers: list[bytes] = []
    while len(answers) < 2:
        packet = await host.receive()
        assert packet is not None
        if packet.command == Command.WRTE:
            answers.append(packet.payload)
            host.send(Command.OKAY, 11, theirs)
    assert struct.unpack("<4s3I", answers[0]) == (b"STAT", 0o100660, 5, 1000)
    assert answers[1] == b"STAT" + bytes(12)


async def test_each_directory_entry_is_one_packet(host: Host) -> None:
    theirs = await host.open("sync:")
    host.send(Command.WRTE, 11, theirs, b"LIST" + struct.pack("<I", 7) + b"/sdcard" + b"QUIT" + bytes(4))
    entries = await host.read_stream(theirs)
    assert [entry[20:] for entry in entries[:-1]] == [
        b"DCIM",
        b"Documents",
        b"Download",
        b"Movies",
        b"Music",
        b"Pictures",
    ]
    assert all(struct.unpack_from("<4s4I", entry)[1] == 0o40771 for entry in entries[:-1])
    assert entries[-1] == b"DONE" + bytes(16)


async def test_a_push_is_read_to_its_end_after_a_refusal(host: Host) -> None:
    theirs = await host.open("sync:")
    target = b"/system/bin/su,33261"
    data = b"SEND" + struct.pack("<I", len(target)) + target + b"DATA" + struct.pack("<I", 3) + b"abc"
    host.send(
        Command.WRTE,
        11,
        theirs,
        data + b"DONE" + bytes(4) + b"STAT" + struct.pack("<I", 7) + b"/sdcard" + b"QUIT" + bytes(4),
    )
    failed, stat = await host.read_stream(theirs)
    assert failed[:4] == b"FAIL"
    assert b"Permission denied" in failed
    assert stat[:4] == b"STAT"


@pytest.mark.parametrize("command", ["list-forward", "forward:tcp:1;tcp:2"])
async def test_reverse_is_answered(host: Host, command: str) -> None:
    theirs = await host.open(f"reverse:{command}")
    (answer,) = await host.read_stream(theirs)
    assert answer == b"0000" if command == "list-forward" else answer.startswith(b"FAIL0027a virtual phone")
