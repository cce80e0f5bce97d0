from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.phones.adb.server import AdbServer, is_network_serial
from manyhands.actors.phones.adb.server_start import server_runs, start_server
from manyhands.actors.phones.adb.shell import AnswerLost, PhoneUnreached, ServerDown
from manyhands.protocol.errors import BadInput, PhoneLost, PhoneUnknown
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.phones.adb.scripted_adb import HANG, ScriptedAdb, block, packet, scripted_adb
from tests.simulator.connecting import connect, disconnect, unplug
from tests.simulator.plain_device import PlainDevice

SERIAL = "usb-1"
STARTED = "echo > /sdcard/started"
V2 = {"host-serial:usb-1:features": b"OKAY" + block("shell_v2,cmd")}
V1 = {"host-serial:usb-1:features": b"OKAY" + block("cmd")}


@pytest.fixture
async def server(adb_server: tuple[str, int]) -> AsyncIterator[AdbServer]:
    server = AdbServer(*adb_server, threads=8)
    yield server
    server.close()


@pytest.fixture
async def fleet(adb_server: tuple[str, int]) -> AsyncIterator[VirtualFleet]:
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(1, PlainDevice) as fleet:
        await connect(fleet, client)
        yield fleet
        await disconnect(fleet, client)


async def started(fleet: VirtualFleet) -> None:
    """Returns once the phone's shell has come to STARTED."""
    while not fleet.endpoints[0].phone.files.exists("/sdcard/started"):
        await asyncio.sleep(0.01)


def client_of(script: ScriptedAdb) -> AdbServer:
    return AdbServer("127.0.0.1", script.port, threads=2)


# ---------------------------------------------------------------------------- a real server
async def test_output_errors_and_exit_status(server: AdbServer, fleet: VirtualFleet) -> None:
    serial = fleet.serials[0]
    result = await server.shell(serial, "echo out; nosuch; false", 10)
    assert (result.stdout, result.status) == (b"out\n", 1)
    assert result.complaint.endswith("nosuch: inaccessible or not found")
    assert (await server.shell(serial, "exit 42", 10)).status == 42


async def test_large_output_comes_whole_and_quickly_growing_buffers_do_not_matter(
    server: AdbServer, fleet: VirtualFleet
) -> None:
    serial = fleet.serials[0]
    data = bytes(range(256)) * 8192
    fleet.endpoints[0].phone.files.write("/sdcard/large", data)
    for expected in (0, len(data), 5 * len(data)):
        assert await server.exec_out(serial, "cat /sdcard/large", 10, bytes, expected) == data
    assert (await server.shell(serial, "cat /sdcard/large", 10)).stdout == data


async def test_devices_and_states(server: AdbServer, fleet: VirtualFleet) -> None:
    (line,) = [line for line in await server.devices() if line.serial == fleet.serials[0]]
    assert (line.state, line.model) == ("device", "Plain_Phone")
    assert await server.state("nowhere") is None


async def test_a_phone_that_came_back_is_connected_again(
    server: AdbServer, fleet: VirtualFleet, adb_server: tuple[str, int]
) -> None:
    serial = fleet.serials[0]
    await unplug(fleet, 0, adbutils.AdbClient(*adb_server))
    with pytest.raises(PhoneUnreached, match="connecting again"):
        await server.shell(serial, "true", 10)
    await fleet.come_back(0)
    assert (await server.shell(serial, "echo back", 10)).stdout == b"back\n"


async def test_a_phone_that_goes_away_leaves_no_partial_answer(server: AdbServer, fleet: VirtualFleet) -> None:
    asking = asyncio.create_task(server.shell(fleet.serials[0], f"echo some; {STARTED}; sleep 30; echo more", 60))
    await started(fleet)
    await fleet.vanish(0)
    with pytest.raises(AnswerLost):
        await asking


async def test_unknown_serials_and_phones_that_cannot_be_connected(server: AdbServer) -> None:
    with pytest.raises(PhoneUnknown, match="nowhere"):
        await server.ensure_online("nowhere")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with pytest.raises(PhoneLost, match="connecting again"):
        await server.ensure_online(f"127.0.0.1:{free}")


async def test_a_cancelled_call_frees_its_thread(adb_server: tuple[str, int], fleet: VirtualFleet) -> None:
    server = AdbServer(*adb_server, threads=1)
    asking = asyncio.create_task(server.shell(fleet.serials[0], f"{STARTED}; sleep 100", 200))
    await started(fleet)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(10):
        assert (await server.shell(fleet.serials[0], "echo free", 5)).stdout == b"free\n"
    server.close()


# ---------------------------------------------------------------------------- no server
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


async def test_where_no_server_runs_none_is_started() -> None:
    port = free_port()
    server = AdbServer("127.0.0.1", port, threads=1)
    with pytest.raises(ServerDown, match=f"127.0.0.1:{port}; start one"):
        await server.devices()
    with pytest.raises(ServerDown):
        await server.shell("127.0.0.1:1", "true", 5)
    assert not await server_runs("127.0.0.1", port)
    server.close()


async def test_a_server_that_runs_is_left_alone(adb_server: tuple[str, int]) -> None:
    assert not await start_server(*adb_server)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
async def test_a_port_that_something_else_listens_on_is_named(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manyhands.actors.phones.adb.server_start.ANSWER_TIMEOUT_S", 0.3)
    monkeypatch.setattr("manyhands.actors.phones.adb.server_start.DYING_S", 0.1)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        if answer is None:
            await reader.read()  # says nothing until it is hung up on
        else:
            writer.write(answer)
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    for ask in (server_runs, start_server):
        with pytest.raises(BadInput, match=f"127.0.0.1:{port} is no adb server"):
            await ask("127.0.0.1", port)
    listener.close()
    await listener.wait_closed()


async def test_a_server_that_dies_while_it_is_asked_does_not_run() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listener.close()
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    assert not await server_runs("127.0.0.1", listener.sockets[0].getsockname()[1])


async def test_a_server_of_another_machine_cannot_be_started() -> None:
    with pytest.raises(BadInput, match="on this machine only"):
        await start_server("127.0.0.2", free_port())


async def test_a_server_is_started_on_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ADB_LOCAL_TRANSPORT_MAX_PORT", "5554")
    port = free_port()
    try:
        assert await start_server("127.0.0.1", port)
        assert await server_runs("127.0.0.1", port)
        assert not await start_server("127.0.0.1", port)
    finally:
        await asyncio.to_thread(adbutils.AdbClient("127.0.0.1", port).server_kill)


# ---------------------------------------------------------------------------- answers that break off
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"OK",
        b"OKAY",
        b"OKAY" + packet(1, b"half an answer"),
        b"OKAY" + packet(1, b"half an answer") + b"\3\1\0",
        b"OKAY" + packet(3, b"\0")[:-1],
        b"FAIL" + block("closed"),
        b"WHAT",
    ],
)
async def test_a_shell_answer_that_is_not_whole_is_lost(answer: bytes) -> None:
    async with scripted_adb({**V2, "shell,v2:": answer}) as script:
        server = client_of(script)
        with pytest.raises(AnswerLost):
            await server.shell(SERIAL, "true", 5)
        server.close()


async def test_packets_of_both_streams_and_unknown_ones() -> None:
    answer = b"OKAY" + packet(1, b"a") + packet(2, b"x") + packet(9, b"?") + packet(1, b"b") + packet(3, b"\7") + HANG
    async with scripted_adb({**V2, "shell,v2:": answer}) as script:
        server = client_of(script)
        result = await server.shell(SERIAL, "true", 5)
        assert (result.stdout, result.stderr, result.status) == (b"ab", b"x", 7)
        server.close()


async def test_an_old_phone_is_asked_for_an_end_mark() -> None:
    async with scripted_adb({**V1, "shell:": b"OKAYsome text"}) as script:
        server = client_of(script)
        with pytest.raises(AnswerLost):
            await server.shell(SERIAL, "echo some text", 5)
        sent = script.requests[-1]
        assert sent.startswith("shell:echo some text; echo MH_END_")
        server.close()


async def test_an_old_phone_with_its_end_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda count: "ab")
    async with scripted_adb({**V1, "shell:": b"OKAYsome text\nMH_END_ab:3\n"}) as script:
        server = client_of(script)
        result = await server.shell(SERIAL, "echo some text", 5)
        assert (result.stdout, result.status) == (b"some text\n", 3)
        server.close()


@pytest.mark.parametrize("state", ["device offline", "device 'usb-1' not found", "device unauthorized"])
async def test_a_phone_that_is_not_reached_was_certainly_sent_nothing(state: str) -> None:
    async with scripted_adb({**V2, "host:tport": b"FAIL" + block(state)}) as script:
        server = client_of(script)
        with pytest.raises(PhoneUnreached, match=state):
            await server.shell(SERIAL, "true", 5)
        assert not any(request.startswith("shell") for request in script.requests)
        server.close()


async def test_a_phone_that_hangs_ends_at_the_time_limit() -> None:
    async with scripted_adb({**V2, "shell,v2:": b"OKAY" + packet(1, b"a") + HANG}) as script:
        server = client_of(script)
        started_at = time.monotonic()
        with pytest.raises(AnswerLost, match="time limit"):
            await server.shell(SERIAL, "true", 0.2)
        assert 0.2 <= time.monotonic() - started_at < 5
        server.close()


async def test_a_phone_that_is_offline_is_disconnected_before_it_is_connected() -> None:
    answers = {
        "host:devices-l": block("10.0.0.9:5555          offline transport_id:4\n"),
        "host:disconnect:10.0.0.9:5555": block("disconnected 10.0.0.9:5555"),
        "host:connect:10.0.0.9:5555": block("failed to connect to 10.0.0.9:5555"),
    }
    async with scripted_adb({request: b"OKAY" + answer for request, answer in answers.items()}) as script:
        server = client_of(script)
        with pytest.raises(PhoneUnreached, match=r"failed to connect to 10\.0\.0\.9:5555"):
            await server.ensure_online("10.0.0.9:5555")
        changes = [request for request in script.requests if "devices" not in request]
        assert changes == ["host:disconnect:10.0.0.9:5555", "host:connect:10.0.0.9:5555"]
        server.close()


async def test_states_that_a_person_must_mend() -> None:
    listed = "usb-1                  unauthorized usb:1-1 transport_id:3\nusb-2   offline transport_id:4\n"
    async with scripted_adb({"host:devices-l": b"OKAY" + block(listed)}) as script:
        server = client_of(script)
        assert [(line.serial, line.state) for line in await server.devices()] == [
            ("usb-1", "unauthorized"),
            ("usb-2", "offline"),
        ]
        with pytest.raises(PhoneLost, match="accept this computer's key"):
            await server.ensure_online("usb-1")
        with pytest.raises(PhoneLost, match="offline"):
            await server.ensure_online("usb-2")
        server.close()


async def test_a_serial_may_have_blanks_and_brackets() -> None:
    wifi = "adb-X1Y2Z3-bT4vNe (2)._adb-tls-connect._tcp"
    listed = (
        f"{wifi} device product:p model:M_1 device:d transport_id:3\n"
        "my device (2)          offline transport_id:4\n"
        "R58M                   no permissions (user in plugdev group; see [http://x]) usb:1-1 transport_id:5\n"
        "????????????           some word of tomorrow\n"
    )
    async with scripted_adb({"host:devices-l": b"OKAY" + block(listed)}) as script:
        server = client_of(script)
        phones = await server.devices()
        assert [(phone.serial, phone.state, phone.model) for phone in phones] == [
            (wifi, "device", "M_1"),
            ("my device (2)", "offline", ""),
            ("R58M", "no permissions (user in plugdev group; see [http://x])", ""),
            ("????????????", "some word of tomorrow", ""),
        ]
        await server.ensure_online(wifi)
        server.close()


async def test_phones_with_one_serial_are_listed_as_not_unique_and_refused() -> None:
    row = "0123456789ABCDEF       device usb:1-{0} product:p model:M transport_id:{0}\n"
    listed = row.format(1) + row.format(2) + "R58M                   device transport_id:3\n"
    async with scripted_adb({"host:devices-l": b"OKAY" + block(listed)}) as script:
        server = client_of(script)
        assert [(phone.serial, phone.state) for phone in await server.devices()] == [
            ("0123456789ABCDEF", "not unique"),
            ("0123456789ABCDEF", "not unique"),
            ("R58M", "device"),
        ]
        with pytest.raises(PhoneLost, match="not unique; several phones have this serial"):
            await server.ensure_online("0123456789ABCDEF")
        await server.ensure_online("R58M")
        server.close()


def test_which_serials_are_addresses() -> None:
    assert all(map(is_network_serial, ["127.0.0.1:5555", "phone.local:1", "[fe80::1]:5555"]))
    assert not any(map(is_network_serial, ["emulator-5554", "R58M", "", "adb-R58M._adb-tls-connect._tcp", "a b:1"]))
