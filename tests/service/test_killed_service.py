"""A service that is killed again and again: each accepted task has one result, and no event is missed or told twice."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from manyhands import AsyncClient
from manyhands.evaluation.audit import audit_folders
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.service.access import AccessRole
from manyhands.protocol.service.batches import BatchPhase
from manyhands.protocol.service.events import EventKind, ServiceEvent
from manyhands.protocol.tasks.task import TaskSpec, read_tasks
from tests.deploy.fleet.killed_runs import SUITE, Command, Workplace, moments, workplace

KILLS = int(os.environ.get("MH_TEST_KILLS", "2"))
"""How often the service is killed. Its page cache is dropped once, where this user may do that."""
DATABASE_URL = os.environ.get("MH_TEST_DATABASE_URL")
"""A PostgreSQL database that is empty, in place of a file of SQLite."""
PATIENCE_S = 600
pytestmark = [pytest.mark.slow, pytest.mark.timeout(max(1500, 150 * KILLS))]
DROP_CACHES = Path("/proc/sys/vm/drop_caches")


class Service:
    """A service on phones that outlive it, at one port whatever happens."""

    def __init__(self, place: Workplace, folder: Path) -> None:
        self.folder = folder
        self._place = place
        self._port = 0
        self._command: Command | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        assert self._command is not None
        return self._command.process.pid

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        place = self._place
        phones = [word for serial in place.serials for word in ("--phones", serial)]
        fleet = [*phones, "--mllm-url", place.model, "--adb-port", str(place.adb_port)]
        where = ["--folder", str(self.folder), "--port", str(self._port)]
        database = [] if DATABASE_URL is None else ["--database-url", DATABASE_URL]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "manyhands", "serve", *fleet, *where, *database, "--json"),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, **place.environment},
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        said = await process.stdout.readline()
        assert said, (await process.stderr.read()).decode()
        self._port = int(json.loads(said)["url"].rpartition(":")[2])
        self._command = Command(process, place.ray)
        place.commands.append(self._command)

    async def kill(self) -> None:
        """Kill it with all that it has started."""
        assert self._command is not None
        await self._command.kill_tree()

    async def stop(self) -> str:
        """Stop it in order; return what it printed on standard error."""
        assert self._command is not None
        self._command.process.terminate()
        return (await self._command.ended).errors

    @asynccontextmanager
    async def client(self, token: str) -> AsyncIterator[AsyncClient]:
        async with AsyncClient(self.url, token=token) as client:
            yield client


async def collect(client: AsyncClient, told: list[ServiceEvent]) -> None:
    """Read events from the first one on, over all restarts."""
    while True:
        try:
            async for event in client.events(after=told[-1].id if told else 0):
                told.append(event)
        except ManyhandsError:
            await asyncio.sleep(0.5)


def some(*ids: str) -> tuple[TaskSpec, ...]:
    known = {task.id: task for task in read_tasks(SUITE)}
    return tuple(known[id] for id in ids)


async def test_no_task_and_no_event_is_lost_or_doubled(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    async with workplace(tmp_path, adb_server[1], 4) as place:
        service = Service(place, tmp_path / "service")
        await service.start()
        secret = (service.folder / "token").read_text().strip()
        async with service.client(secret) as admin, asyncio.timeout(PATIENCE_S * max(1, KILLS // 3)):
            told: list[ServiceEvent] = []
            reading = asyncio.create_task(collect(admin, told))
            grants = [await admin.make_token(owner, AccessRole.SUBMIT) for owner in ("anna", "ben")]
            async with service.client(grants[0].secret) as anna, service.client(grants[1].secret) as ben:
                first = await anna.submit(some("dark_mode", "greeting", "meeting_note"), name="first")
                second = await ben.submit(some("bakery_phone", "hotel_message"), name="second", idempotency_key="k")
                third = await ben.submit(some("weather_note_zh"), name="third")
                await ben.pause(third)
                fourth = await anna.submit(some("laptop_cart", "network_speed_zh"), name="fourth", priority=-5)
                for number, seconds in enumerate(moments(11, KILLS, 20.0)):
                    await until_ready(admin)
                    await asyncio.sleep(seconds)
                    if number == 0:
                        await anna.cancel(fourth)
                    await service.kill()
                    if number == 0 and os.access(DROP_CACHES, os.W_OK):
                        os.sync()
                        DROP_CACHES.write_text("3")
                    await service.start()
                    again = await ben.submit(some("bakery_phone", "hotel_message"), name="second", idempotency_key="k")
                    assert again.id == second.id
                await ben.resume(third)
                ended = [await anna.wait(batch, PATIENCE_S) for batch in (first, second, third, fourth)]
            assert [batch.phase for batch in ended] == [BatchPhase.ENDED] * 3 + [BatchPhase.CANCELLED]
            tasks = [task async for task in admin.tasks()]
            last = [event async for event in _until_quiet(admin)]
            async with asyncio.timeout(60):
                while not told or told[-1].id < last[-1].id:
                    await asyncio.sleep(0.1)
            reading.cancel()
            await asyncio.wait({reading})
        errors = await service.stop()
    assert Counter(task.ending for task in tasks if not task.id.startswith(fourth.id)) == {Ending.FINISHED: 6}
    assert {task.verified for task in tasks if task.ending is Ending.FINISHED} == {True}
    results = Counter(event.task for event in told if event.kind is EventKind.TASK_ENDED)
    assert results == dict.fromkeys((task.id for task in tasks), 1), errors
    ids = [event.id for event in told]
    assert ids == sorted(set(ids))
    lasting = [event.id for event in last if event.kind is not EventKind.TASK_STEP]
    assert [event.id for event in told if event.kind is not EventKind.TASK_STEP] == lasting
    reports = [audit_folders(run.parent) for run in sorted(service.folder.glob("runs/*/run.yaml"))]
    assert [report.violations for report in reports] == [()] * len(reports)


async def until_ready(client: AsyncClient) -> None:
    while not (await client.status()).is_ready:
        await asyncio.sleep(0.2)


async def _until_quiet(client: AsyncClient) -> AsyncIterator[ServiceEvent]:
    """Yield all events that there are."""
    try:
        async with asyncio.timeout(10):
            async for event in client.events(after=0):
                yield event
    except TimeoutError:
        return
