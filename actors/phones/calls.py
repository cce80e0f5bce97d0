"""Admit calls up to a limit, and let admitted calls end before everything is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from manyhands.protocol.errors import CallError, Overloaded

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
