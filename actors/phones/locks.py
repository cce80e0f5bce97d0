"""Let one call at a time touch a phone, over all processes of a host."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

POLL_S = 0.01


class HostLock:
    """Lock a serial for all runs on this host by a file lock, which ends with the process that has it.

    Within one process it is an asyncio lock, so that the file is polled only while another process has it.
    """

    def __init__(self, folder: Path, serial: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{quote(serial, safe='')}.lock"
        self._inside = asyncio.Lock()

    @property
    def taken(self) -> bool:
        """Return whether somebody in this process has it: who asks now would wait."""
        return self._inside.locked()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Waits without a limit of its own; cancelling ends the wait."""
        async with self._inside:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                while not _try_lock(descriptor):  # noqa: ASYNC110 - another process sets no event
                    await asyncio.sleep(POLL_S)
                yield
            finally:
                os.close(descriptor)  # frees the lock


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
