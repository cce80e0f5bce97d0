"""An adb server of one test, which kills it by its process id."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import adbutils
from adbutils import adb_path

from manyhands.actors.phones.adb.server_start import server_runs

HOST = "127.0.0.1"


@dataclass
class OwnServer:
    """Whatever server listens at ``port`` is this test's own: ``end`` ends it."""

    port: int
    home: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> tuple[str, int]:
        return HOST, self.port

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5554"}

    async def start(self) -> None:
        with (self.home / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [adb_path(), "-P", str(self.port), "server", "nodaemon"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
            )
        async with asyncio.timeout(20):
            while not await server_runs(*self.address):
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """Return once nothing listens at its port."""
        assert self.process is not None
        self.process.kill()
        await asyncio.to_thread(self.process.wait)

    async def end(self) -> None:
        if self.process is not None:
            await self.kill()
        if await server_runs(*self.address):
            await asyncio.to_thread(adbutils.AdbClient(*self.address).server_kill)
