"""Which emulators can restore a snapshot. tests/deploy/fleet/test_emulators.py restores those of a stub."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.phones.adb.emulator_console import restore_snapshot
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.protocol.errors import PhoneUnfit


async def test_an_emulator_of_another_machine_leaves_ours_alone() -> None:
    connections = 0

    async def converse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.close()

    console = await asyncio.start_server(converse, "127.0.0.1", 0)
    there = AdbServer("192.0.2.7", 5037)
    async with console:
        with pytest.raises(PhoneUnfit, match=r"on the adb server's machine, 192\.0\.2\.7: run there"):
            await restore_snapshot(there, f"emulator-{console.sockets[0].getsockname()[1]}", "default_boot")
    there.close()
    assert connections == 0


async def test_a_phone_that_is_no_emulator_has_no_snapshot() -> None:
    there = AdbServer("192.0.2.7", 5037)
    assert not await restore_snapshot(there, "R5CT1", "default_boot")
    there.close()
