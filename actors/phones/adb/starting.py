"""Start an adb server. Nothing here or elsewhere stops one."""

from __future__ import annotations

import asyncio
import time

from adbutils import adb_path

from manyhands.protocol.errors import BadInput

START_TIMEOUT_S = 20.0
ANSWER_TIMEOUT_S = 10.0
"""A server that has just begun listens for some seconds before it answers; a wrong answer is known at once."""
DYING_S = 1.0
"""How long a server that is being killed may go on taking connections."""
_DYING_POLL_S = 0.05
_VERSION = b"000chost:version"


async def server_runs(host: str, port: int) -> bool:
    """Return whether an adb server answers at ``host:port``. Raises BadInput where something else listens."""
    hung_up_until = time.monotonic() + DYING_S
    while True:
        try:
            return await _answers(host, port)
        except ConnectionError as error:  # a server that is killed takes a connection and drops it
            if time.monotonic() > hung_up_until:
                raise _no_server(host, port) from error
            await asyncio.sleep(_DYING_POLL_S)


async def _answers(host: str, port: int) -> bool:
    """Return whether an adb server answers. Raises BadInput for a wrong answer, ConnectionError where it hangs up."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            writer.write(_VERSION)
            await writer.drain()
            answer = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError("hung up") from error
    except TimeoutError as error:
        raise _no_server(host, port) from error
    finally:
        writer.close()
    if answer != b"OKAY":
        raise _no_server(host, port)
    return True


def _no_server(host: str, port: int) -> BadInput:
    return BadInput(f"what listens at {host}:{port} is no adb server; choose another port")


async def start_server(host: str, port: int) -> bool:
    """Start the adb server that adbutils carries unless one runs; True if it was started here.

    It goes on running, as any adb server does. Raises BadInput for another machine's address, for a port
    that something else listens on, or where it does not start.
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
        cwd="/",  # it outlives the folder of a run
    )
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        pass
    finally:
        if process.returncode is None:  # this client alone: a server that it began runs on
            process.kill()
            await process.wait()
    if not await server_runs(host, port):
        raise BadInput(f"the adb server did not start on port {port}; 'adb -P {port} start-server' prints why")
    return True
