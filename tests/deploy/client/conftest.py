"""A service for the tests of its clients. It runs in a thread, because commands need the main one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from aiohttp.test_utils import TestServer

from manyhands.protocol.service.events import EventKind
from tests.deploy.client.small_service import TOKEN, SmallService

T = TypeVar("T")


@dataclass
class Served:
    """A service that listens, and what a test has happen to its tasks."""

    service: SmallService
    url: str
    token: str
    loop: asyncio.AbstractEventLoop

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def begin(self, task: str) -> None:
        self._do(self.service.begin(task))

    def end(self, task: str, done: bool = True, **more: Any) -> None:
        self._do(self.service.end(task, done, **more))

    def tell(self, kind: EventKind, batch: str | None = None, task: str | None = None) -> None:
        self._do(self.service.tell(kind, batch, task))

    def wait_for(self, task: str) -> None:
        """Return once there is such a task."""
        self._do(self._until(lambda: task in self.service.tasks))

    def wait_for_stream(self) -> None:
        """Return once a client follows the events."""
        self._do(self._until(lambda: any(path.endswith("/events") for _, path in self.service.requests)))

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not holds():
                await asyncio.sleep(0.01)

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to find this service."""
        return {"MANYHANDS_SERVER": self.url, "MANYHANDS_TOKEN": self.token}


@pytest.fixture
def served() -> Iterator[Served]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> tuple[SmallService, TestServer]:
        service = SmallService()
        server = TestServer(service.app())
        await server.start_server()
        return service, server

    service, server = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
    try:
        yield Served(service, str(server.make_url("")).rstrip("/"), TOKEN, loop)
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
