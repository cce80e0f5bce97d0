"""Load a service that runs in a process of its own: watchers, submissions, pages of long lists."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import psutil

from manyhands.benchmarks.service.figures import ServiceLoad
from manyhands.deploy.child_process import ChildProcess
from manyhands.protocol.utilities import secure_files

BATCH = 1000
FILTERS: Mapping[str, str] = {"all": "", "waiting": "phase=waiting", "done": "is_done=true", "one batch": "batch=b1"}
PAGES = 40
"""How many pages of each list are read, one after another."""
START_S = 60.0
BUSY_LOOK_S = 5.0
"""How often it is seen to that tasks wait."""


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Say how much load a service gets."""

    phones: int
    watchers: int
    seconds: float
    tasks: int
    """How many tasks the lists have."""


@dataclass(slots=True)
class WallCounts:
    """Count what the watcher of the wall reads."""

    bytes: int = 0
    phones: int = 0


async def measure(folder: Path, plan: LoadPlan) -> ServiceLoad:
    """Measure a service with a database in ``folder``. Raises BadInput if it does not start."""
    await asyncio.to_thread(secure_files.make_folder, folder)
    async with _service(folder, plan.phones) as (process, client):
        accept_s = await _submit(client)
        counts = [0] * plan.watchers
        wall = WallCounts()
        watching = [asyncio.create_task(_watch(client, counts, number)) for number in range(plan.watchers)]
        watching.append(asyncio.create_task(_watch_wall(client, wall)))
        try:
            watching.append(asyncio.create_task(_keep_busy(client, plan.phones)))
            await asyncio.sleep(plan.seconds / 4)
            before, wall_before, began = list(counts), replace(wall), time.perf_counter()
            cpu, middle_mib = _cpu_s(process), 0.0
            await asyncio.sleep(plan.seconds / 2)
            middle_mib = _resident_mib(process)
            await asyncio.sleep(plan.seconds / 2)
            seconds, cpu_s = time.perf_counter() - began, _cpu_s(process) - cpu
            resident_mib = _resident_mib(process)
            events = min((after - first for after, first in zip(counts, before, strict=True)), default=0)
            wall_bytes, wall_phones = wall.bytes - wall_before.bytes, wall.phones - wall_before.phones
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        tasks = await _fill(client, plan.tasks)
        pages = {name: await _time_pages(client, query) for name, query in FILTERS.items()}
    return ServiceLoad(
        phones=plan.phones,
        watchers=plan.watchers,
        seconds=seconds,
        cpu_s=cpu_s,
        resident_mib=resident_mib,
        grown_mib=resident_mib - middle_mib,
        events=events,
        wall_bytes=wall_bytes,
        wall_phones=wall_phones,
        accept_s=accept_s,
        tasks=tasks,
        page_ms=pages,
    )


@asynccontextmanager
async def _service(folder: Path, phones: int) -> AsyncIterator[tuple[psutil.Process, httpx.AsyncClient]]:
    words = (sys.executable, "-m", "manyhands.benchmarks.service.host", str(folder), str(phones))
    log = folder / "service.log"
    async with ChildProcess("the service", words, log, ends_with_stdin=False, ready_s=START_S) as service:
        headers = {"Authorization": f"Bearer {service.ready['token']}"}
        limits = httpx.Limits(max_connections=None)
        base = f"{service.ready['url']}/api/v1"
        async with httpx.AsyncClient(base_url=base, headers=headers, timeout=120, limits=limits) as client:
            yield psutil.Process(service.pid), client


async def _submit(client: httpx.AsyncClient, count: int = BATCH) -> float:
    """Submit a batch; return the seconds until it was accepted."""
    tasks = [{"id": f"t{number}", "goal": "Turn on dark mode."} for number in range(count)]
    began = time.perf_counter()
    answer = await client.post("/batches", json={"tasks": tasks})
    answer.raise_for_status()
    return time.perf_counter() - began


async def _keep_busy(client: httpx.AsyncClient, phones: int) -> None:
    """Submit a batch whenever fewer tasks wait than phones would begin in a minute or so."""
    while True:
        if int((await client.get("/status")).json()["waiting"]) < 2 * phones:
            await _submit(client)
        await asyncio.sleep(BUSY_LOOK_S)


async def _watch(client: httpx.AsyncClient, counts: list[int], number: int) -> None:
    """Read events, and count them."""
    async with client.stream("GET", "/events", timeout=None) as answer:
        async for line in answer.aiter_lines():
            counts[number] += line.startswith("id:")


async def _watch_wall(client: httpx.AsyncClient, counts: WallCounts) -> None:
    """Read the wall of phones, and count its bytes and its phones."""
    async with client.stream("GET", "/wall", timeout=None) as answer:
        async for part in answer.aiter_bytes():
            counts.bytes += len(part)
            counts.phones += part.count(b'"phase":')


async def _fill(client: httpx.AsyncClient, tasks: int) -> int:
    """Submit batches until there are so many tasks; return how many there are."""
    status = (await client.get("/status")).json()
    there = sum(int(status[phase]) for phase in ("waiting", "running", "ended"))
    while there < tasks:
        count = min(10 * BATCH, tasks - there)
        await _submit(client, count)
        there += count
    return there


async def _time_pages(client: httpx.AsyncClient, query: str) -> tuple[float, ...]:
    """Read a list from its beginning; return the time of each page in ms."""
    times: list[float] = []
    cursor: str | None = ""
    while cursor is not None and len(times) < PAGES:
        began = time.perf_counter()
        answer = await client.get(f"/tasks?{query}{'&cursor=' + cursor if cursor else ''}")
        times.append(1000 * (time.perf_counter() - began))
        answer.raise_for_status()
        cursor = answer.json()["next_cursor"]
    return tuple(times)


def _cpu_s(process: psutil.Process) -> float:
    used = process.cpu_times()
    return used.user + used.system


def _resident_mib(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20
