"""Start the adb server of this machine, and start it again after each loss. This module never ends a server."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from adbutils import adb_path

from manyhands.actors.phones.adb.shell import ServerDown
from manyhands.actors.phones.locks import HostLock
from manyhands.protocol.errors import BadInput

START_TIMEOUT_S = 20.0
ANSWER_TIMEOUT_S = 10.0
"""How long a new server may take to answer. It listens for some seconds before it answers. A wrong answer is recognised
at once."""
DYING_S = 1.0
"""How long a server that is being killed may continue to accept connections."""
_DYING_POLL_S = 0.05
_VERSION = b"000chost:version"


async def server_runs(host: str, port: int) -> bool:
    """Return whether an adb server answers at ``host:port``. Raises BadInput if something else listens."""
    hung_up_until = time.monotonic() + DYING_S
    while True:
        try:
            return await _answers(host, port)
        except ConnectionError as error:  # a server that is being killed accepts a connection and drops it
            if time.monotonic() > hung_up_until:
                raise _no_server(host, port) from error
            await asyncio.sleep(_DYING_POLL_S)


async def _answers(host: str, port: int) -> bool:
    """Return whether an adb server answers. Raises BadInput for a wrong answer, ConnectionError if it hangs up."""
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


async def is_listening(host: str, port: int) -> bool:
    """Return whether anything accepts connections at ``host:port``."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:  # TimeoutError is one
        return False
    writer.close()
    return True


async def start_server(host: str, port: int) -> bool:
    """Start the adb server that adbutils contains, unless one runs; return True if it was started here.

    It continues to run, as any adb server does. Raises BadInput for another machine's address, for a port that
    something else listens on, or if the server does not start.
    """
    if await server_runs(host, port):
        return False
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise BadInput(f"no adb server answers at {host}:{port}, and one can be started on this machine only")
    # The output goes to no pipe: the server would inherit the pipe, and reading from it would last as long as the
    # server.
    process = await asyncio.create_subprocess_exec(
        adb_path(),
        "-P",
        str(port),
        "start-server",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",  # the server outlives the folder of a run
    )
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        pass
    finally:
        if process.returncode is None:  # this kills only the client; a server that it has started continues
            process.kill()
            await process.wait()
    if not await server_runs(host, port):
        raise BadInput(f"the adb server did not start on port {port}; 'adb -P {port} start-server' prints why")
    return True


AGAIN_S = 5.0
"""How long a server that did not start is left alone, because many calls notice the same outage."""
_log = logging.getLogger(__name__)


class ServerStarter:
    """Start a server once per outage, however many calls of however many runs on this host notice it.

    A separate task starts the server, so that the start continues even if the call that noticed the outage is
    cancelled.
    """

    def __init__(self, host: str, port: int, locks: Path) -> None:
        """``locks``: a folder that all runs on this host share."""
        self._host = host
        self._port = port
        self._locks = locks
        self._starts = locks / f"{quote(self._named('starts'), safe='')}"
        """A file with one byte for each start. By it every run notices that its requests to the old server
        were lost."""
        self._connecting: dict[str, HostLock] = {}
        self._starting: asyncio.Task[None] | None = None
        self._refused: tuple[float, str] | None = None
        """Until when a server that did not start is left alone (``time.monotonic``), and the reason."""

    @property
    def started(self) -> int:
        """Return how often any run on this host has started the server again."""
        try:
            return self._starts.stat().st_size
        except FileNotFoundError:
            return 0

    async def close(self) -> None:
        """Cancel a start that is under way. A server that has begun continues to run."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})

    @asynccontextmanager
    async def connecting(self, serial: str) -> AsyncIterator[None]:
        """Let one caller of all runs at a time connect a phone: a second caller would disconnect the phone again."""
        if serial not in self._connecting:
            self._connecting[serial] = HostLock(self._locks, self._named(serial))
        async with self._connecting[serial].held():
            yield

    async def ensure_running(self) -> None:
        """Return once a server answers. Raises ServerDown if none answers and none can be started."""
        if self._refused is not None and time.monotonic() < self._refused[0]:
            raise ServerDown(self._refused[1])
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())  # if nobody waits
        await asyncio.shield(self._starting)

    def _named(self, what: str) -> str:
        return f"adb {self._host}:{self._port} {what}"

    async def _start(self) -> None:
        try:
            async with HostLock(self._locks, self._named("server")).held():
                if await start_server(self._host, self._port):
                    with self._starts.open("ab") as starts:
                        starts.write(b".")
                    _log.warning("the adb server at %s:%d was gone and has been started again", self._host, self._port)
        except (BadInput, OSError) as error:
            self._refused = time.monotonic() + AGAIN_S, str(error)
            raise ServerDown(str(error)) from error
