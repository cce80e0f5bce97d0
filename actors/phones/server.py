"""Starting an adb server, for whoever asks for it by name. Nothing here or elsewhere stops one."""

from __future__ import annotations

import asyncio

from adbutils import adb_path

from actors.phones.connection import AdbServer
from actors.phones.wire import ServerDown
from protocol.errors import BadInput

START_TIMEOUT_S = 20.0


async def server_runs(host: str, port: int) -> bool:
    """Whether an adb server answers at ``host:port``."""
    server = AdbServer(host, port, threads=1)
    try:
        await server.devices()
    except ServerDown:
        return False
    finally:
        server.close()
    return True


async def start_server(host: str, port: int) -> bool:
    """Start the adb server that adbutils carries unless one runs; True if it was started here.

    It goes on running, as any adb server does. Raises BadInput for another machine's address, or where it
    does not start.
    """
    if await server_runs(host, port):
        return False
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise BadInput(f"no adb server answers at {host}:{port}, and one can be started on this machine only")
    # With its output to a pipe, reading would last as long as the server, which inherits it.
    process = await asyncio.create_subprocess_exec(
        adb_path(),
        "-P",
        str(port),
        "start-server",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
    if not await server_runs(host, port):
        raise BadInput(f"the adb server did not start on port {port}; 'adb -P {port} start-server' says why")
    return True
