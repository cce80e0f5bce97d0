"""A service for the tests of its clients: the real application, its server and its database.

It runs in a thread, because commands need the main one. Its fleet is a list, so a test decides what becomes of tasks.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.events import EventKind, ServiceEvent
from tests.service.api.running_service import RunningService, running
from tests.service.database.work import begin, end

T = TypeVar("T")


@dataclass
class Served:
    """A service that listens, and what a test has happen to its tasks."""

    service: RunningService
    folder: Path
    loop: asyncio.AbstractEventLoop
    role: AccessRole = AccessRole.OPERATE

    @property
    def url(self) -> str:
        return self.service.url

    @property
    def token(self) -> str:
        return self.service.secrets[self.role]

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to find this service."""
        return {"MANYHANDS_SERVER": self.url, "MANYHANDS_TOKEN": self.token}

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def begin(self, task: str, phone: str = "p1", episode: str | None = None) -> None:
        self.do(begin(self.service.parts.batches, task, episode or f"e-{task}", phone, 1.0))

    def end(self, task: str, done: bool = True, **more: Any) -> None:
        result = EpisodeResult(
            **{
                "episode": f"e-{task}",
                "task": task,
                "serial": "p1",
                "attempt": 1,
                "ending": Ending.FINISHED if done else Ending.STEP_LIMIT,
                "reason": "as told",
                "steps": 3,
                "verified": None,
                "rubrics": {},
                "started_at": 1.0,
                "ended_at": 2.0,
                **more,
            }
        )
        self.do(end(self.service.parts.batches, result))

    def tell(self, kind: EventKind, batch: str | None = None, task: str | None = None) -> None:
        event = ServiceEvent(id=0, at=1.0, kind=kind, batch=batch, task=task)
        self.do(self.service.parts.events.append([event]))

    def wait_for(self, task: str) -> None:
        """Return once there is such a task."""
        self.do(self._until(lambda: self._has(task)))

    async def _has(self, task: str) -> bool:
        return any(one.id == task for one in (await self.service.parts.batches.tasks()).items)

    async def _until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(60):
            while not await holds():
                await asyncio.sleep(0.01)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    loop = asyncio.new_event_loop()
    started: Future[RunningService] = Future()
    stop = asyncio.Event()

    async def serve() -> None:
        async with running(tmp_path) as service:
            started.set_result(service)
            await stop.wait()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        except BaseException as error:
            if not started.done():
                started.set_exception(error)
            raise
        finally:
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield Served(started.result(60), tmp_path, loop)
    finally:
        if not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        thread.join()
