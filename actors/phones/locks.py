"""Lock phones, so that one call at a time touches each, over all processes of a host."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from manyhands.actors.interfaces import Phone
from manyhands.protocol.phones.messages import Receipt
from manyhands.protocol.screens.screen import Screenshot

R = TypeVar("R", Receipt, Screenshot)

POLL_S = 0.01


class HostLock:
    """Lock a serial for all runs on this host by a file lock, which ends with its process.

    Callers in one process share an asyncio lock. So the file is polled only while another process has the lock.
    """

    def __init__(self, folder: Path, serial: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{quote(serial, safe='')}.lock"
        self._inside = asyncio.Lock()

    @property
    def locked(self) -> bool:
        """Return whether somebody in this process has the lock, so that another caller would wait."""
        return self._inside.locked()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold the lock. The wait has no time limit of its own; cancelling ends it."""
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


@dataclass(slots=True)
class LockedPhone:
    """Pair a phone with its lock. A caller that reads the phone's screen or touches the phone must hold the lock."""

    phone: Phone
    lock: HostLock
    prepared: bool = False

    async def prepare(self) -> None:
        """Prepare the phone, unless this gateway has already done so."""
        if not self.prepared:
            await self.prepare_anew(for_task=False)

    async def prepare_anew(self, *, for_task: bool) -> None:
        """Prepare the phone for a new holder. ``for_task``: raises PhoneUnfit if the phone is not fit for a task."""
        await self.phone.prepare(for_task=for_task)
        self.prepared = True

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[float]:
        """Hold the lock; yield the milliseconds that were spent waiting for it."""
        asked_at = time.perf_counter()
        async with self.lock.held():
            yield (time.perf_counter() - asked_at) * 1000


def with_wait(answer: R, waited_ms: float) -> R:
    """Add the wait for the lock to a receipt or a screenshot."""
    return answer.model_copy(update={"queue_ms": answer.queue_ms + waited_ms})
