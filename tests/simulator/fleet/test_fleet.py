"""A fleet of virtual phones: in this process, and in one of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.simulator.fleet import VirtualFleet, virtual_phones
from manyhands.simulator.system.capture import CaptureFault
from tests.simulator.adb_client import Adb
from tests.simulator.connecting import connect, connect_phone, disconnect
from tests.simulator.plain_device import PlainDevice

TIMEOUT_S = 60.0


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# ---------------------------------------------------------------------------- in this process
async def test_a_fleet_connects_and_leaves(adb: Adb) -> None:
    async with VirtualFleet(3, PlainDevice, seed=5) as fleet:
        await connect(fleet, adb.client)
        states = {info.serial: info.state for info in adb.client.list()}
        assert [states.get(serial) for serial in fleet.serials] == ["device"] * 3
        answers = [
            await asyncio.to_thread(
                adb.client.device(serial).shell, "content query --uri content://manyhands.simulator/state"
            )
            for serial in fleet.serials
        ]
        assert len(set(answers)) == 3, "each phone has its own seed"
        await disconnect(fleet, adb.client)
        assert not {info.serial for info in adb.client.list()} & set(fleet.serials)
        ports = fleet.ports
    assert fleet.seeds == (5, 6, 7)
    assert not any(map(listening, ports))


async def test_a_phone_vanishes_and_returns(adb: Adb) -> None:
    async with VirtualFleet(2, PlainDevice) as fleet:
        await connect(fleet, adb.client)
        await fleet.vanish(1)
        assert [listening(port) for port in fleet.ports] == [True, False]
        await adb.until_state(fleet.serials[1], "offline")
        await fleet.come_back(1)
        await asyncio.to_thread(connect_phone, adb.client, fleet.serials[1])
        await adb.until_state(fleet.serials[1], "device")
        for wrong in (-1, 2):
            with pytest.raises(BadInput, match="numbered 0 to 1"):
                await fleet.vanish(wrong)
        await disconnect(fleet, adb.client)


async def test_a_phone_whose_screenshots_fail_is_well_again(adb: Adb) -> None:
    async with VirtualFleet(1, virtual_phones(540, 1200)) as fleet:
        await connect(fleet, adb.client)
        device = adb.client.device(fleet.serials[0])

        async def size() -> int:
            return len(await asyncio.to_thread(device.shell, "screencap -p", encoding=None))

        whole = await size()
        sizes = []
        for fault in (CaptureFault.EMPTY, CaptureFault.TINY, CaptureFault.NONE):
            await fleet.set_condition(0, "screenshots", fault)
            sizes.append(await size())
        assert sizes[0] == 0
        assert 0 < sizes[1] < 200
        assert sizes[2] == whole
        with pytest.raises(BadInput, match="screenshots cannot be 7"):
            await fleet.set_condition(0, "screenshots", 7)
        await disconnect(fleet, adb.client)


def test_bad_fleets_are_refused() -> None:
    with pytest.raises(BadInput, match="1 to 1000 phones, not 0"):
        VirtualFleet(0, PlainDevice)


def test_density_follows_size() -> None:
    assert [virtual_phones(width, 2 * width)(1).density for width in (1080, 540)] == [420, 210]


# ---------------------------------------------------------------------------- a process of its own
@asynccontextmanager
async def fleet_process(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "manyhands.simulator.fleet",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line_of(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(TIMEOUT_S):
        line = await process.stdout.readline()
    answer = json.loads(line)
    assert isinstance(answer, dict)
    return answer


async def status_of(process: asyncio.subprocess.Process) -> int:
    async with asyncio.timeout(TIMEOUT_S):
        return await process.wait()


async def test_a_fleet_process_obeys_its_stdin_and_ends_with_it(adb: Adb) -> None:
    options = ("--phones", "2", "--size", "360x800", "--seed", "3", "--json", "--until-stdin-closes")
    async with fleet_process(*options) as process:
        ready = await line_of(process)
        assert (len(ready["ports"]), ready["seeds"]) == (2, [3, 4])
        assert ready["serials"] == [f"127.0.0.1:{port}" for port in ready["ports"]]
        device = await adb.connect(ready["serials"][0])
        assert tuple(await asyncio.to_thread(device.window_size)) == (360, 800)
        await asyncio.to_thread(adb.client.disconnect, ready["serials"][0])
        assert process.stdin is not None
        process.stdin.write(b"vanish 1\n")
        assert await line_of(process) == {"done": "vanish", "phone": 1}
        assert [listening(port) for port in ready["ports"]] == [True, False]
        process.stdin.write(b"return 1\nset 1 free_mb 100\nset 1 mood 3\nvanish 7\nsing\n")
        assert await line_of(process) == {"done": "return", "phone": 1}
        assert await line_of(process) == {"done": "set", "phone": 1}
        assert "'mood' cannot be set; there are battery" in (await line_of(process))["error"]
        assert listening(ready["ports"][1])
        assert "no phone 7" in (await line_of(process))["error"]
        assert "not a control line: 'sing'" in (await line_of(process))["error"]
        device = await adb.connect(ready["serials"][1])
        assert " 102400 " in await asyncio.to_thread(device.shell, "df -k /data")
        await asyncio.to_thread(adb.client.disconnect, ready["serials"][1])
        process.stdin.close()
        assert await status_of(process) == 0


async def test_a_fleet_process_ends_on_sigterm() -> None:
    async with fleet_process("--size", "360x800", "--json") as process:
        (port,) = (await line_of(process))["ports"]
        assert listening(port)
        process.send_signal(signal.SIGTERM)
        assert await status_of(process) == 0
        assert not listening(port)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--phones", "0"), "1 to 1000 phones, not 0"),
        (("--size", "big"), "'big' is not WIDTHxHEIGHT"),
        (("--sise", "360x800"), "unrecognized arguments: --sise"),
        (("--web-allow", "example.org"), "--web-allow has no effect on drawn phones"),
        (("--web-script", "a.js"), "--web-script has no effect on drawn phones"),
        (("--web", "a.html", "--transitions", "bursts"), "--transitions has no effect on web phones"),
        (("--web", "miniwob", "--density", "320"), "--density has no effect on MiniWoB's phones"),
        (("--web", "miniwob", "--web-script", "a.js"), "--web-script has no effect on MiniWoB's phones"),
    ],
)
async def test_bad_arguments_get_one_line(arguments: tuple[str, ...], said: str) -> None:
    async with fleet_process(*arguments) as process:
        assert await status_of(process) == 2
        out, err = await process.communicate()
        assert (out, err.count(b"\n")) == (b"", 1)
        assert said in err.decode()
