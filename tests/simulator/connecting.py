"""Connections of virtual phones to a running adb server."""

from __future__ import annotations

import asyncio

import adbutils

from manyhands.simulator.fleet import VirtualFleet

CONNECT_TIMEOUT_S = 10.0
CONNECTS_AT_ONCE = 8


async def connect(fleet: VirtualFleet, server: adbutils.AdbClient) -> None:
    turns = asyncio.Semaphore(CONNECTS_AT_ONCE)

    async def one(serial: str) -> None:
        async with turns:
            await asyncio.to_thread(connect_phone, server, serial)

    async with asyncio.TaskGroup() as tasks:
        for serial in fleet.serials:
            tasks.create_task(one(serial))


async def disconnect(fleet: VirtualFleet, server: adbutils.AdbClient) -> None:
    """One by one: an adb server may deadlock when hundreds are disconnected at once."""
    for serial in fleet.serials:
        await asyncio.to_thread(server.disconnect, serial)


async def unplug(fleet: VirtualFleet, index: int, server: adbutils.AdbClient) -> None:
    """Have a phone vanish, and return once the adb server knows: until then it takes commands for it."""

    def listed() -> bool:
        return any(info.serial == fleet.serials[index] and info.state == "device" for info in server.list())

    await fleet.vanish(index)
    async with asyncio.timeout(CONNECT_TIMEOUT_S):
        while await asyncio.to_thread(listed):
            await asyncio.sleep(0.005)


def connect_phone(server: adbutils.AdbClient, serial: str) -> None:
    """``adb connect``, judged by the state that follows: its words and exit code do not tell.

    A phone that came back stays offline at a server that still lists it, until it is disconnected.
    """
    answer = ""
    for _ in range(2):
        answer = server.connect(serial, timeout=CONNECT_TIMEOUT_S)
        if any(info.serial == serial and info.state == "device" for info in server.list()):
            return
        server.disconnect(serial)
    raise AssertionError(f"the adb server at {server.host}:{server.port} cannot connect to {serial}: {answer.strip()}")
