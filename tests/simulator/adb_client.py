"""Clients of a private adb server: the adb program, adbutils, and bytes as they come."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import adbutils

STATE_TIMEOUT_S = 20.0


class Ran(NamedTuple):
    status: int
    out: bytes
    err: bytes


class Adb:
    """One adb server on 127.0.0.1."""

    def __init__(self, port: int, environment: Mapping[str, str]) -> None:
        self.port = port
        self.environment = dict(environment)
        self.client = adbutils.AdbClient("127.0.0.1", port)

    async def connect(self, serial: str) -> adbutils.AdbDevice:
        """A phone, online."""
        answer = await asyncio.to_thread(self.client.connect, serial)
        assert answer == f"connected to {serial}"
        return self.client.device(serial)

    async def spawn(self, serial: str, *arguments: str, with_input: bool = False) -> asyncio.subprocess.Process:
        """The adb program."""
        return await asyncio.create_subprocess_exec(
            adbutils.adb_path(),
            "-s",
            serial,
            *arguments,
            env=self.environment,
            stdin=asyncio.subprocess.PIPE if with_input else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, serial: str, *arguments: str, stdin: bytes | None = None) -> Ran:
        """The adb program to its end."""
        process = await self.spawn(serial, *arguments, with_input=stdin is not None)
        out, err = await process.communicate(stdin)
        assert process.returncode is not None
        return Ran(process.returncode, out, err)

    async def until_state(self, serial: str, wanted: str | None) -> None:
        """Wait until the server lists a phone in this state; None: not at all."""

        def state() -> str | None:
            return next((info.state for info in self.client.list() if info.serial == serial), None)

        await eventually(state, wanted)

    def exec_bytes(self, serial: str, command: str) -> bytes:
        """What ``exec:COMMAND`` writes, over a plain socket (blocking)."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            for service in (f"host:transport:{serial}", f"exec:{command}"):
                data = service.encode()
                connection.sendall(b"%04x%s" % (len(data), data))
                assert connection.recv(4, socket.MSG_WAITALL) == b"OKAY"
            received = bytearray()
            while piece := connection.recv(1 << 20):
                received += piece
            return bytes(received)


async def eventually(look: Callable[[], Any], wanted: Any) -> None:
    """Wait until ``look`` (which may block) gives ``wanted``."""
    async with asyncio.timeout(STATE_TIMEOUT_S):
        while await asyncio.to_thread(look) != wanted:
            await asyncio.sleep(0.01)


async def soon(look: Callable[[], Any], wanted: Any) -> None:
    """Wait until ``look`` (which does not block) gives ``wanted``."""
    async with asyncio.timeout(STATE_TIMEOUT_S):
        while look() != wanted:
            await asyncio.sleep(0.001)
