"""Flow control of one stream."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.simulator.adbd.stream import WINDOW, Buffer, Stream, StreamClosed
from manyhands.simulator.adbd.wire import Command


class Sent:
    """Keeps what a stream sends."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self.commands: list[Command] = []

    def send(self, command: Command, arg0: int, arg1: int) -> None:
        assert (arg0, arg1) == (7, 9)
        self.commands.append(command)

    async def send_data(self, arg0: int, arg1: int, pieces: tuple[Buffer, ...]) -> None:
        assert (arg0, arg1) == (7, 9)
        self.data.append(b"".join(pieces))


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def stream(sent: Sent) -> Stream:
    return Stream(local=7, remote=9, max_payload=10, outlet=sent)


async def test_one_packet_is_in_flight(stream: Stream, sent: Sent) -> None:
    writing = asyncio.create_task(stream.write(b"0123456789abcdefghijKLM"))
    await asyncio.sleep(0)
    assert sent.data == [b"0123456789"]
    stream.acknowledged()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sent.data == [b"0123456789", b"abcdefghij"]
    stream.acknowledged()
    await writing
    assert sent.data[2:] == [b"KLM"]


async def test_an_empty_write_sends_nothing(stream: Stream, sent: Sent) -> None:
    await stream.write(b"")
    assert sent.data == []


async def test_a_writer_that_waits_is_told_when_the_host_closes(stream: Stream) -> None:
    await stream.write(b"x")
    writing = asyncio.create_task(stream.write(b"y"))
    await asyncio.sleep(0)
    stream.hang_up()
    with pytest.raises(StreamClosed):
        await writing


async def test_small_data_is_acknowledged_before_anything_reads_it(stream: Stream, sent: Sent) -> None:
    stream.feed(b"close-stdin")
    assert sent.commands == [Command.OKAY]


async def test_a_full_window_waits_for_its_reader(stream: Stream, sent: Sent) -> None:
    stream.feed(bytes(WINDOW))
    assert sent.commands == []
    assert await stream.read() == bytes(WINDOW)
    assert sent.commands == [Command.OKAY]


async def test_a_host_that_ignores_the_window_loses_the_stream(stream: Stream, sent: Sent) -> None:
    stream.feed(bytes(WINDOW))
    stream.feed(b"more")
    assert sent.commands == [Command.CLSE]
    with pytest.raises(StreamClosed):
        await stream.write(b"x")


async def test_what_came_before_the_end_is_read_first(stream: Stream) -> None:
    stream.feed(b"last words")
    stream.hang_up()
    assert await stream.read() == b"last words"
    assert await stream.read() == b""


async def test_closing_is_said_once(stream: Stream, sent: Sent) -> None:
    stream.close()
    stream.close()
    assert sent.commands == [Command.CLSE]
