"""Which phones there are is told at each change, also of an adb server that was killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import adbutils
import pytest

from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.protocol.phones import PhoneInfo
from manyhands.simulator.fleet import VirtualFleet
from tests.actors.phones.adb.own_server import HOST, OwnServer
from tests.actors.phones.adb.scripted_adb import block, scripted_adb
from tests.simulator.connecting import connect, unplug
from tests.simulator.plain_device import PlainDevice


class Told:
    """What was told last, and all before it."""

    def __init__(self) -> None:
        self.all: list[dict[str, str]] = []
        self._changed = asyncio.Condition()

    async def __call__(self, phones: Sequence[PhoneInfo]) -> None:
        async with self._changed:
            self.all.append({phone.serial: phone.state for phone in phones})
            self._changed.notify_all()

    async def until(self, wanted: Callable[[dict[str, str]], bool]) -> None:
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(lambda: bool(self.all) and wanted(self.all[-1]))


@asynccontextmanager
async def watched(host: str, port: int, folder: Path) -> AsyncIterator[Told]:
    transport, told = AdbTransport(AdbSettings(host=host, port=port, state_dir=folder)), Told()
    await transport.start()
    watching = asyncio.create_task(transport.watch(told))
    try:
        yield told
    finally:
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
        await transport.stop()


async def test_phones_that_come_and_go_are_told_and_a_killed_server_is_started_again(
    unused_tcp_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OwnServer(unused_tcp_port, tmp_path)
    for name, value in own.environment.items():
        monkeypatch.setenv(name, value)
    try:
        async with VirtualFleet(2, PlainDevice) as fleet, watched(HOST, own.port, tmp_path) as told:
            one, other = fleet.serials
            await told.until(lambda phones: phones == {})  # it has started a server, which lists none
            await connect(fleet, adbutils.AdbClient(*own.address))
            await told.until(lambda phones: phones == {one: "device", other: "device"})
            await unplug(fleet, 0, adbutils.AdbClient(*own.address))
            await told.until(lambda phones: phones.get(one) != "device" and phones.get(other) == "device")
            await asyncio.to_thread(adbutils.AdbClient(*own.address).server_kill)
            before = len(told.all)
            await told.until(lambda phones: len(told.all) > before and phones.get(other) == "device")
            assert {phones[other] for phones in told.all[before:]} == {"offline", "device"}
    finally:
        await own.end()


async def test_a_server_on_another_machine_that_is_gone_has_no_phones(unused_tcp_port: int, tmp_path: Path) -> None:
    async with watched("127.0.0.2", unused_tcp_port, tmp_path) as told:
        await told.until(lambda phones: phones == {})


async def test_the_same_list_is_told_once(tmp_path: Path) -> None:
    listed = block("usb-1                  device product:p model:M transport_id:3\n")
    answers = {"host:track-devices": b"OKAY" + listed * 3, "host:devices-l": b"OKAY" + listed}
    async with scripted_adb(answers) as script, watched("127.0.0.1", script.port, tmp_path) as told:
        await told.until(lambda phones: phones == {"usb-1": "device"})
        async with asyncio.timeout(10):
            while script.requests.count("host:track-devices") < 2:  # the connection ends, and is made again
                await asyncio.sleep(0.01)
    assert told.all == [{"usb-1": "device"}]
