"""A stock adb server on a port of its own, which nobody else uses."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess

from adbutils import adb_path

from manyhands.actors.phones.adb.starting import server_runs, start_server
from manyhands.deploy.benchmarks.chaos.processes import listener, send
from manyhands.protocol.errors import BadInput

HOST = "127.0.0.1"
_POLL_S = 0.2


class OwnAdbServer:
    """Run one while the context is open: the only one that may be killed."""

    def __init__(self) -> None:
        with socket.create_server((HOST, 0)) as free:
            self.port: int = free.getsockname()[1]

    async def __aenter__(self) -> OwnAdbServer:
        await start_server(HOST, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        process = await asyncio.create_subprocess_exec(
            adb_path(), "-P", str(self.port), "kill-server", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        await process.wait()

    async def kill(self) -> bool:
        """Kill the server with SIGKILL; False if none ran."""
        process = await asyncio.to_thread(listener, self.port)
        return process is not None and send(process, signal.SIGKILL)

    async def until_back(self, limit_s: float) -> bool:
        """Wait until somebody has started it again. After the limit it is started here, and False."""
        give_up_at = asyncio.get_running_loop().time() + limit_s
        while not await self._answers():
            if asyncio.get_running_loop().time() > give_up_at:
                await start_server(HOST, self.port)
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def _answers(self) -> bool:
        try:
            return await server_runs(HOST, self.port)
        except BadInput:  # it took the connection and died, or has just begun
            return False
