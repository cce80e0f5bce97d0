"""Start an adb server of this machine again that is gone. None is ever ended."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from manyhands.actors.phones.adb.starting import start_server
from manyhands.actors.phones.adb.wire import ServerDown
from manyhands.actors.phones.locks import HostLock
from manyhands.protocol.errors import BadInput

AGAIN_S = 5.0
"""How long a server that did not start is left alone: many calls meet the same outage."""
_log = logging.getLogger(__name__)


class ServerKeeper:
    """Start a server once in an outage, however many calls of however many runs on this host meet it.

    A task of its own does it, so that it goes on when the call that found the server gone is cancelled.
    """

    def __init__(self, host: str, port: int, locks: Path) -> None:
        """``locks``: a folder that all runs on this host share."""
        self._host = host
        self._port = port
        self._locks = locks
        self._starts = locks / f"{quote(self._named('starts'), safe='')}"
        """A byte for each start: who did not start it must know as well that what it had sent is lost."""
        self._connecting: dict[str, HostLock] = {}
        self._starting: asyncio.Task[None] | None = None
        self._refused: tuple[float, str] | None = None
        """Until when it is left alone (``time.monotonic``), and why."""

    @property
    def started(self) -> int:
        """Return how often the server has been started again on this host, by whichever run."""
        try:
            return self._starts.stat().st_size
        except FileNotFoundError:
            return 0

    async def close(self) -> None:
        """Give up a start that is under way; a server that has begun runs on."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})

    @asynccontextmanager
    async def connecting(self, serial: str) -> AsyncIterator[None]:
        """Let one caller of one run at a time connect a phone: another would disconnect it meanwhile."""
        if serial not in self._connecting:
            self._connecting[serial] = HostLock(self._locks, self._named(serial))
        async with self._connecting[serial].held():
            yield

    async def ensure_running(self) -> None:
        """Return once a server answers. Raises ServerDown where none does and none can be started."""
        if self._refused is not None and time.monotonic() < self._refused[0]:
            raise ServerDown(self._refused[1])
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())  # or nobody waits
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
