"""``manyhands bench service``: measure what a service costs beside its fleet.

The service runs in a process of its own. It gets watchers, submissions, and reads of long lists.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import psutil
import typer
from pydantic import Field

from manyhands.deploy.child_process import ChildProcess
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.utilities import secure_files

if TYPE_CHECKING:
    import httpx  # only an extra has it

EXAMPLE = (
    "Example: manyhands bench service --seconds 3600 --json. Exit codes: 0 within all limits, 1 something is beyond "
    "its limit, 2 bad input."
)
SOURCES = {"fleet": "canned: every task has 8 steps of 5 s; no phones, no model, no journals"}


def command(
    phones: Annotated[int, typer.Option(min=1, max=10_000, help="How many phones carry out tasks.")] = 200,
    watchers: Annotated[int, typer.Option(min=0, max=200, help="How many clients read events.")] = 20,
    seconds: Annotated[float, typer.Option(min=4, max=86_400, help="How long they do.")] = 120,
    tasks: Annotated[int, typer.Option(min=1000, max=1_000_000, help="How many tasks the lists have.")] = 100_000,
    out: Annotated[Path | None, typer.Option(help="A folder for the database.", show_default=False)] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure a service's processor time and memory with busy phones and watchers, and its answers."""

    async def run() -> int:
        folder = (out or timed_folder("bench_service")).resolve()
        provenance = Provenance(SOURCES, this_machine(), folder)
        figures = service_figures(await measure(folder, LoadPlan(phones, watchers, seconds, tasks)))
        if as_json:
            settings = {"phones": phones, "watchers": watchers, "seconds": seconds, "tasks": tasks}
            say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
        else:
            console = text_console()
            title = f"{phones} phones, {watchers} watchers"
            console.print(table(title, ("figure", "measured", "at most"), rows(figures)))
            for line in figures.beyond:
                console.print(f"beyond its limit: {line}", markup=False, soft_wrap=True)
            provenance.print(console)
        return EXIT_FAILED if figures.beyond else 0

    carry_out(run, as_json)


CORE_SHARE, RESIDENT_MIB, ACCEPT_S, PAGE_MS, WALL_MB_S = 0.10, 300.0, 2.0, 50.0, 5.0
"""Limits: the share of a core and the memory while the fleet is busy and watched, seconds to accept 1,000 tasks, ms for
a page of a list at p95, and MB a second that the wall of phones sends."""


class ServiceLoad(Message):
    """Hold what was measured of a service's process."""

    phones: int
    """How many phones of the canned fleet carried out tasks."""
    watchers: int
    """How many clients read the events."""
    seconds: float
    """How long the fleet was busy and watched."""
    cpu_s: float
    """Processor time of the service's process in these seconds."""
    resident_mib: float
    """Its resident memory at the end."""
    grown_mib: float
    """By how much its resident memory grew in the second half of these seconds."""
    events: int
    """How many events each watcher read."""
    wall_bytes: int = 0
    """How many bytes the watcher of the wall read."""
    wall_phones: int = 0
    """How many phones the updates of the wall had together."""
    accept_s: float
    """The time from sending 1,000 tasks to the answer that they are stored."""
    tasks: int
    """How many tasks the lists were read from."""
    page_ms: dict[str, tuple[float, ...]]
    """The times of pages of ``GET /tasks``, by the filter."""


class ServiceFigures(Message):
    """Hold the figures of a service."""

    phones: int
    watchers: int
    core_share: float
    """The share of one core that the service's process took while the fleet was busy and watched."""
    resident_mib: float
    grown_mib: float
    events_s: float
    """How many events each watcher read in a second."""
    wall_mb_s: float = 0.0
    """How many MB the wall sent to its watcher in a second."""
    wall_phones_s: float = 0.0
    """How many phones the wall's updates had in a second."""
    accept_s: float
    tasks: int
    page_ms: dict[str, Percentiles] = Field(default_factory=dict)
    beyond: tuple[str, ...]
    """Lines about what exceeds its limit."""


def service_figures(load: ServiceLoad) -> ServiceFigures:
    """Return the figures of a measurement, and what exceeds its limit."""
    share = load.cpu_s / load.seconds
    pages = {name: latencies for name, times in load.page_ms.items() if (latencies := percentiles(times)) is not None}
    beyond = [
        f"a page of {name} takes {latencies.p95:.0f} ms at p95; it may take {PAGE_MS:.0f}"
        for name, latencies in pages.items()
        if latencies.p95 > PAGE_MS
    ]
    if share > CORE_SHARE:
        beyond.append(f"the service takes {100 * share:.0f} % of a core; it may take {100 * CORE_SHARE:.0f} %")
    wall_mb_s = load.wall_bytes / load.seconds / 1e6
    if wall_mb_s > WALL_MB_S:
        beyond.append(f"the wall sends {wall_mb_s:.1f} MB a second; it may send {WALL_MB_S:.0f}")
    if load.resident_mib > RESIDENT_MIB:
        beyond.append(f"the service's process has {load.resident_mib:.0f} MiB; it may have {RESIDENT_MIB:.0f}")
    if load.accept_s > ACCEPT_S:
        beyond.append(f"1,000 tasks are accepted in {load.accept_s:.1f} s; it may take {ACCEPT_S:.0f}")
    return ServiceFigures(
        phones=load.phones,
        watchers=load.watchers,
        core_share=share,
        resident_mib=load.resident_mib,
        grown_mib=load.grown_mib,
        events_s=load.events / load.seconds,
        wall_mb_s=wall_mb_s,
        wall_phones_s=load.wall_phones / load.seconds,
        accept_s=load.accept_s,
        tasks=load.tasks,
        page_ms=pages,
        beyond=tuple(beyond),
    )


def rows(figures: ServiceFigures) -> Sequence[tuple[str, str, str]]:
    """Return the rows of a table: figure, measured, limit."""
    return [
        ("share of a core, busy and watched", f"{100 * figures.core_share:.1f} %", f"{100 * CORE_SHARE:.0f} %"),
        ("resident memory", f"{figures.resident_mib:.0f} MiB", f"{RESIDENT_MIB:.0f} MiB"),
        ("its growth in the second half", f"{figures.grown_mib:.1f} MiB", ""),
        ("events to each watcher", f"{figures.events_s:.1f} a second", ""),
        ("the wall to its watcher", f"{figures.wall_mb_s:.2f} MB a second", f"{WALL_MB_S:.0f} MB a second"),
        ("phones in the wall's updates", f"{figures.wall_phones_s:.0f} a second", ""),
        ("1,000 tasks accepted", f"{figures.accept_s:.2f} s", f"{ACCEPT_S:.0f} s"),
        *(
            (f"a page of {name}, of {figures.tasks:,} tasks, p95", f"{latencies.p95:.1f} ms", f"{PAGE_MS:.0f} ms")
            for name, latencies in figures.page_ms.items()
        ),
    ]


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
    import httpx

    words = (sys.executable, "-m", "manyhands.benchmarks.canned_service", str(folder), str(phones))
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
