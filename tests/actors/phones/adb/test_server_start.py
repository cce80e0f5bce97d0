"""What happens when the adb server of this machine is killed: it is started again, once, and nothing is sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.server_start import ServerStarter, server_runs
from manyhands.actors.phones.adb.shell import AnswerLost, ServerDown
from manyhands.protocol.screens.actions import LongPress, Tap
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.phones.adb.own_server import HOST, OwnServer
from tests.actors.phones.world import adb_gateway, within, world
from tests.simulator.plain_device import PlainDevice


@pytest.fixture
async def own(unused_tcp_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OwnServer]:
    """None listens yet."""
    server = OwnServer(unused_tcp_port, tmp_path)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    yield server
    await server.end()


def kept(port: int, folder: Path, host: str = HOST) -> tuple[AdbServer, ServerStarter]:
    keeper = ServerStarter(host, port, folder / "locks")
    return AdbServer(host, port, 16, keeper), keeper


async def test_one_start_serves_all_calls_of_all_runs_and_phones_are_connected_again(
    own: OwnServer, tmp_path: Path
) -> None:
    """The call that met the outage first is cancelled meanwhile."""
    runs = [kept(own.port, tmp_path) for _ in range(2)]
    async with VirtualFleet(4, PlainDevice) as fleet:
        first = asyncio.create_task(runs[0][0].devices())
        async with asyncio.timeout(20):
            while not (tmp_path / "locks").exists():
                await asyncio.sleep(0.001)
        first.cancel()
        asked = [
            server.shell(serial, "echo here", 10)
            for number, (server, _) in enumerate(runs)
            for serial in fleet.serials[number::2] * 2
        ]
        results = await asyncio.gather(*asked)
        assert [result.stdout for result in results] == [b"here\n"] * 8
        assert first.cancelled()
        assert [keeper.started for _, keeper in runs] == [1, 1]
        for server, keeper in runs:
            await keeper.close()
            server.close()
        assert await server_runs(*own.address), "it is left running"


async def files_on(fleet: VirtualFleet, number: int, *paths: str) -> None:
    async with asyncio.timeout(20):
        while not all(fleet.endpoints[number].phone.files.exists(path) for path in paths):
            await asyncio.sleep(0.005)


async def test_what_only_asks_is_sent_again_by_a_run_that_did_not_start_the_server_itself(
    own: OwnServer, tmp_path: Path
) -> None:
    await own.start()
    runs = [kept(own.port, tmp_path) for _ in range(2)]
    async with VirtualFleet(2, PlainDevice) as fleet:
        await runs[0][0].connect_all(fleet.serials)
        asked = [
            asyncio.create_task(server.shell(serial, "echo > /sdcard/started; sleep 1; echo slow", 30, asks=True))
            for (server, _), serial in zip(runs, fleet.serials, strict=True)
        ]
        for number in range(2):
            await files_on(fleet, number, "/sdcard/started")
        await own.kill()
        assert [result.stdout for result in await asyncio.gather(*asked)] == [b"slow\n"] * 2
        for server, keeper in runs:
            await keeper.close()
            server.close()


async def test_a_gateway_goes_on_and_sends_nothing_twice(own: OwnServer, tmp_path: Path) -> None:
    await own.start()
    async with world(own.address, tmp_path, phones=2) as phone, AsyncExitStack() as stack:
        server, keeper = kept(own.port, tmp_path)
        lease = await phone.gateway.attach(phone.fleet.serials[1], "other", 60)
        lines = {asks: f"echo > /sdcard/{asks}; sleep 1; echo slow" for asks in (True, False)}
        calls = [asyncio.create_task(server.shell(lease.serial, line, 30, asks=asks)) for asks, line in lines.items()]
        acting = asyncio.create_task(phone.perform("k", LongPress(x=1, y=1, ms=2000)))
        await phone.received("k")
        await files_on(phone.fleet, 1, *(f"/sdcard/{asks}" for asks in lines))
        await own.kill()
        screenshot, _, _ = await phone.gateway.capture(lease, None, within())
        assert screenshot.serial == lease.serial
        assert (await acting).status == "unknown"
        assert (await phone.perform("next", Tap(x=1, y=1))).status == "done"
        assert [line.key for line in phone.ledger] == ["k", "next"]

        asked, acted = await asyncio.gather(*calls, return_exceptions=True)
        assert not isinstance(asked, BaseException)
        assert asked.stdout == b"slow\n"
        assert isinstance(acted, AnswerLost)
        await keeper.close()
        server.close()

        other = adb_gateway(phone.settings)
        await other.start()
        stack.push_async_callback(other.stop)
        assert (await other.capture(lease, None, within()))[0].serial == lease.serial


async def test_a_server_on_another_machine_is_not_started(unused_tcp_port: int, tmp_path: Path) -> None:
    server, keeper = kept(unused_tcp_port, tmp_path, "127.0.0.2")
    for _ in range(2):
        with pytest.raises(ServerDown, match="on this machine only"):
            await server.devices()
    assert keeper.started == 0
    await keeper.close()
    server.close()
