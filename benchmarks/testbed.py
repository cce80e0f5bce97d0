"""Provide what benchmarks run on: their own adb server, canned phones, the canned model, and tasks."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import resources
from pathlib import Path

from adbutils import adb_path

from manyhands.actors.phones.adb.server_start import server_runs, start_server
from manyhands.benchmarks.chaos.processes import listener, send
from manyhands.benchmarks.modelled_perception import modelled_readers
from manyhands.deploy.child_process import SidecarProcess, run_program
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.model_servers.resolution import CANNED_SOURCE
from manyhands.deploy.fleet.phones.virtual import CANNED_PHONES_SOURCE
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins import connect_phones
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.tasks.task import TaskSpec, read_tasks, select

HOST = "127.0.0.1"
SUITE = "everyday.yaml"
_POLL_S = 0.2
CANNED_SOURCES = {
    "phones": CANNED_PHONES_SOURCE,
    "model": CANNED_SOURCE,
    "perception": "off; modelled as taking no time and finding nothing",
}
"""Descriptions of the phones, model and perception of a canned fleet."""


@asynccontextmanager
async def canned_phones(settings: FleetSettings, count: int, log: Path) -> AsyncIterator[Sequence[str]]:
    """Run ``count`` canned phones, as large as virtual ones, while the context is open; yield their serials."""
    await start_server(settings.adb_host, settings.adb_port)
    arguments = ["--phones", str(count), "--size", settings.virtual.size]
    async with connect_phones(
        settings.groups.adb, SidecarProcess("manyhands.simulator.canned.phones", arguments, log)
    ) as serials:
        yield serials


@asynccontextmanager
async def canned_model(
    log: Path, latency_s: Mapping[Role, float] | None = None, arguments: Sequence[str] = ()
) -> AsyncIterator[str]:
    """Run a canned model while the context is open, and yield its URL. ``arguments``: more command-line arguments."""
    latencies = [word for role, s in (latency_s or {}).items() for word in ("--latency", f"{role.value}={s}")]
    async with SidecarProcess("manyhands.simulator.canned.model", [*latencies, *arguments], log) as model:
        yield model.ready["url"]


@asynccontextmanager
async def canned_fleet(settings: FleetSettings, phones: int, out: Path, name: str) -> AsyncIterator[Fleet]:
    """Open a fleet on canned phones with a canned model and perception off; its run folder is ``out/run``.

    Raises BadInput, and the error of a fleet that does not start.
    """
    async with AsyncExitStack() as stack:
        logs = out / "logs"
        url = await stack.enter_async_context(canned_model(logs / "canned_model.log"))
        serials = await stack.enter_async_context(canned_phones(settings, phones, logs / "canned_phones.log"))
        update = {"phones": tuple(serials), "mllm_url": (url,), "out": out / "run", "name": name}
        yield await stack.enter_async_context(Fleet(settings.model_copy(update=update), readers=modelled_readers(0.0)))


class OwnAdbServer:
    """Run an adb server while the context is open. Benchmarks may kill only this one."""

    def __init__(self) -> None:
        with socket.create_server((HOST, 0)) as free:
            self.port: int = free.getsockname()[1]

    async def __aenter__(self) -> OwnAdbServer:
        await start_server(HOST, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        await run_program(adb_path(), "-P", str(self.port), "kill-server")

    async def kill(self) -> bool:
        """Kill the server with SIGKILL; return False if none ran."""
        process = await asyncio.to_thread(listener, self.port)
        return process is not None and send(process, signal.SIGKILL)

    async def until_back(self, limit_s: float) -> bool:
        """Wait until somebody has started the server again. After the limit, start it here and return False."""
        give_up_at = asyncio.get_running_loop().time() + limit_s
        while not await self._answers():
            if asyncio.get_running_loop().time() > give_up_at:
                await start_server(HOST, self.port)
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def _answers(self) -> bool:
        try:
            return await server_runs(HOST, self.port)
        except BadInput:  # the server accepted the connection and died, or has just started
            return False


def everyday(ids: Sequence[str]) -> tuple[TaskSpec, ...]:
    """Return the tasks of the everyday suite with these ids. Raises BadInput."""
    with resources.as_file(resources.files("manyhands.simulator.suites") / SUITE) as path:
        return select(read_tasks(path), ids, ())


def endless(count: int, steps: int, name: str = "canned") -> tuple[TaskSpec, ...]:
    """Return tasks for the canned model, which never finishes a task by itself: each ends after ``steps`` steps."""
    limits = Limits.lifted(max_steps=steps)
    numbers = range(1, count + 1)
    return tuple(TaskSpec(id=f"{name}-{n}", goal="Go on.", limits=limits, reset_seed=n) for n in numbers)
