"""Canned phones and the canned model for a benchmark's fleet, each in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from manyhands.actors.phones.adb.starting import start_server
from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.sources import CANNED_PHONES_SOURCE, CANNED_SOURCE
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.modelled_perception import modelled_readers
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.deploy.stand_ins.virtual_phones import connected
from manyhands.protocol.roles import Role

CANNED_SOURCES = {
    "phones": CANNED_PHONES_SOURCE,
    "model": CANNED_SOURCE,
    "perception": "off; modelled as taking no time and finding nothing",
}
"""What phones, model and perception of a canned fleet are."""


@asynccontextmanager
async def canned_phones(settings: FleetSettings, count: int, log: Path) -> AsyncIterator[Sequence[str]]:
    """Give the serials of ``count`` canned phones, as large as virtual ones, online while the context is open."""
    await start_server(settings.adb_host, settings.adb_port)
    arguments = ["--phones", str(count), "--size", settings.virtual.size]
    async with connected(settings, Companion("manyhands.simulator.canned.phones", arguments, log)) as serials:
        yield serials


@asynccontextmanager
async def canned_model(
    log: Path, latency_s: Mapping[Role, float] | None = None, arguments: Sequence[str] = ()
) -> AsyncIterator[str]:
    """Give the URL of a canned model that runs while the context is open; ``arguments``: more for its command line."""
    latencies = [word for role, s in (latency_s or {}).items() for word in ("--latency", f"{role.value}={s}")]
    async with Companion("manyhands.simulator.canned.model", [*latencies, *arguments], log) as model:
        yield model.ready["url"]


@asynccontextmanager
async def canned_fleet(settings: FleetSettings, phones: int, out: Path, name: str) -> AsyncIterator[Fleet]:
    """Give a fleet on canned phones with a canned model and perception off, its run folder ``out/run``.

    Raises BadInput, and what a fleet raises that does not start.
    """
    async with AsyncExitStack() as stack:
        logs = out / "logs"
        url = await stack.enter_async_context(canned_model(logs / "canned_model.log"))
        serials = await stack.enter_async_context(canned_phones(settings, phones, logs / "canned_phones.log"))
        update = {"phones": tuple(serials), "mllm_url": (url,), "out": out / "run", "name": name}
        yield await stack.enter_async_context(Fleet(settings.model_copy(update=update), readers=modelled_readers(0.0)))
