"""Canned phones and the canned model for a benchmark's fleet, each in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.starting import start_server
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.protocol.roles import Role


@asynccontextmanager
async def canned_phones(settings: FleetSettings, count: int, log: Path) -> AsyncIterator[Sequence[str]]:
    """Give the serials of ``count`` canned phones, as large as virtual ones, online while the context is open."""
    adb = AdbServer(settings.adb_host, settings.adb_port)
    await start_server(settings.adb_host, settings.adb_port)
    arguments = ["--phones", str(count), "--size", settings.virtual.size]
    async with Companion("manyhands.simulator.canned.phones", arguments, log) as phones:
        serials = [str(serial) for serial in phones.ready["serials"]]
        try:
            await adb.connect_all(serials)
            yield serials
        finally:
            await adb.disconnect_all(serials)
            adb.close()


@asynccontextmanager
async def canned_model(
    log: Path, latency_s: Mapping[Role, float] | None = None, arguments: Sequence[str] = ()
) -> AsyncIterator[str]:
    """Give the URL of a canned model that runs while the context is open; ``arguments``: more for its command line."""
    latencies = [word for role, s in (latency_s or {}).items() for word in ("--latency", f"{role.value}={s}")]
    async with Companion("manyhands.simulator.canned.model", [*latencies, *arguments], log) as model:
        yield model.ready["url"]
