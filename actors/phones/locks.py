"""Admit calls up to a limit, and lock phones, so that one call at a time touches each over all processes of a host."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from manyhands.actors.interfaces import Phone
from manyhands.protocol.errors import CallError, Overloaded
from manyhands.protocol.phones import Receipt
from manyhands.protocol.screens.screen import Screenshot

R = TypeVar("R", Receipt, Screenshot)

POLL_S = 0.01

T = TypeVar("T")


class Calls:
    """Count calls and own the tasks that outlive them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._idle = asyncio.Event()
        """Set when the last call has ended."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self.stopping = False

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count a call while it runs. Raises Overloaded, and CallError while everything stops."""
        if self.stopping:
            raise CallError("the gateway is stopping")
        if self._count >= self._most:
            raise Overloaded(f"the gateway serves {self._count} calls already")
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._idle.set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that ``drain`` waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def drain(self) -> None:
        """Admit no more calls, and return once all calls and tasks have ended."""
        self.stopping = True
        while self._count:  # for instance a capture, which may begin looks that follow it
            self._idle.clear()
            await self._idle.wait()
        while self._tasks:
            await asyncio.wait(self._tasks)


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
