"""The log of a phone is followed through a real adb server; a server that floods or breaks off does no harm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from manyhands.actors.phones.adb import log_stream
from manyhands.actors.phones.adb.log_stream import LogStream, clock_offset
from manyhands.protocol.errors import LeaseLost
from manyhands.protocol.phones import LogHeader, PhoneLog, lines_in_unix_time
from manyhands.protocol.screens.actions import OpenApp
from tests.actors.phones.world import within, world

PATIENCE_S = 60.0


async def taken_until(take: Callable[[], object], holds: Callable[[str], bool]) -> PhoneLog:
    """Take parts of a log until something holds of their text."""
    text, left_out = "", 0
    async with asyncio.timeout(PATIENCE_S):
        while True:
            log = take()
            part = await log if asyncio.iscoroutine(log) else log
            assert isinstance(part, PhoneLog)
            text, left_out = text + part.text, left_out + part.left_out
            if holds(text) or (not text and left_out and holds(f"left out {left_out}")):
                return part.model_copy(update={"text": text, "left_out": left_out})
            await asyncio.sleep(0.02)


async def test_what_a_phone_logs_under_a_lease_comes_with_its_time(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path) as phone:
        before = phone.fleet.endpoints[0].phone.log
        before.write("I", "Old", "from before the episode")
        first = await phone.gateway.log(phone.lease, within())
        assert first.clock_offset_s is not None
        assert abs(first.clock_offset_s) < PATIENCE_S
        await taken_until(lambda: phone.gateway.log(phone.lease, within()), lambda text: ":" in text)
        began = datetime.now(UTC).timestamp()
        await phone.perform("e:0", OpenApp(app="notes"))
        log = await taken_until(lambda: phone.gateway.log(phone.lease, within()), lambda text: "START u0" in text)
        assert all(line.endswith("\n") for line in log.text.splitlines(keepends=True))
        header = LogHeader(first_at=began, clock_offset_s=log.clock_offset_s).text()
        started = next(line for line in lines_in_unix_time([header, *log.text.splitlines()]) if "START u0" in line)
        assert float(started.split()[0]) == pytest.approx(began, abs=PATIENCE_S)


async def test_the_log_ends_with_the_lease_and_begins_anew_with_the_next(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path) as phone:
        await taken_until(lambda: phone.gateway.log(phone.lease, within()), bool)
        assert len(_streams()) == 1
        await phone.gateway.detach(phone.lease)
        assert not _streams()
        with pytest.raises(LeaseLost):
            await phone.gateway.log(phone.lease, within())
        assert not _streams()
        lease = await phone.gateway.attach(phone.lease.serial, "other", 120)
        await taken_until(lambda: phone.gateway.log(lease, within()), bool)


async def test_without_the_question_for_a_log_nothing_is_followed(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path) as phone:
        await phone.perform("e:0", OpenApp(app="notes"))
        assert not _streams()


async def test_a_phone_that_is_unplugged_leaves_the_log_open_until_the_lease_ends(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    async with world(adb_server, tmp_path) as phone:
        await taken_until(lambda: phone.gateway.log(phone.lease, within()), bool)
        await phone.unplug(0)
        async with asyncio.timeout(PATIENCE_S):
            await phone.gateway.log(phone.lease, within())
            await phone.gateway.detach(phone.lease)
        assert not _streams()


def _streams() -> list[str]:
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("log of ")]


LINE = b"11-26 22:33:14.335  1234  1250 I Tag: "


async def test_a_flood_is_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_stream, "BURST_BYTES", 10_000)
    monkeypatch.setattr(log_stream, "BYTES_A_SECOND", 0)
    flood = b"".join(LINE + b"%06d\r\n" % number for number in range(5000))
    async with _server(flood + b"the end without a newline") as port:
        stream = LogStream("127.0.0.1", port, "p", None)
        size = len(flood.replace(b"\r", b""))
        text, left_out = "", 0
        async with asyncio.timeout(PATIENCE_S):
            while len(text) + left_out < size:
                log = stream.take()
                text, left_out = text + log.text, left_out + log.left_out
                await asyncio.sleep(0.02)
        await stream.close()
    assert len(text) <= 10_000
    assert len(text) + left_out == size
    assert text.startswith((LINE + b"000000\n").decode())


async def test_what_nobody_takes_is_bounded_and_the_newest_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_stream, "KEPT_BYTES", 1000)
    told = b"".join(LINE + b"%06d\n" % number for number in range(500))
    async with _server(told) as port:
        stream = LogStream("127.0.0.1", port, "p", 3.0)
        log = PhoneLog()
        async with asyncio.timeout(PATIENCE_S):
            while "000499" not in log.text:
                await asyncio.sleep(0.02)
                part = stream.take()
                log = part if part.text else log
        await stream.close()
    assert len(log.text) <= 1000
    assert log.clock_offset_s == 3.0


async def test_a_line_without_an_end_is_bounded() -> None:
    async with _server(b"x" * 3_000_000) as port:
        stream = LogStream("127.0.0.1", port, "p", None)
        left_out = 0
        async with asyncio.timeout(PATIENCE_S):
            while left_out < 3_000_000 - log_stream.LONGEST_LINE:
                left_out += stream.take().left_out
                await asyncio.sleep(0.02)
        await stream.close()


@asynccontextmanager
async def _server(log: bytes) -> AsyncIterator[int]:
    """Serve one phone whose ``logcat`` prints this, and then nothing. Yield the port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readexactly(int(await reader.readexactly(4), 16))
            writer.write(b"OKAY")
        writer.write(log)
        await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("printed", "offset"),
    [
        ("2026-11-26T22:33:14.500000000\n", 3600.0),
        ("2026-11-26T22:33:14.N", 3600.0),
        ("date: bad format", None),
        ("", None),
        ("2026-11-26T22:33:14.٣", 3600.0),
    ],
)
def test_the_clock_of_a_phone(printed: str, offset: float | None) -> None:
    at = datetime(2026, 11, 26, 21, 33, 14, 500_000, tzinfo=UTC).timestamp()
    found = clock_offset(printed, at - 0.2, at + 0.2)
    assert found == (None if offset is None else pytest.approx(offset))
