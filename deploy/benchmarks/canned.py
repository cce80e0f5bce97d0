"""Canned phones for a benchmark's fleet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.deploy.fleet.adb_server import AdbServer
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.processes import Companion


@asynccontextmanager
async def canned_phones(settings: FleetSettings, count: int, log: Path) -> AsyncIterator[Sequence[str]]:
    """The serials of ``count`` canned phones, as large as virtual ones, online while the context is open."""
    adb = AdbServer(settings.adb_host, settings.adb_port)
    await adb.ensure()
    arguments = ["--phones", str(count), "--size", settings.virtual.size]
    async with Companion("manyhands.simulator.canned.phones", arguments, log) as phones:
        serials = [str(serial) for serial in phones.ready["serials"]]
        try:
            await adb.connect(serials)
            yield serials
        finally:
            await adb.disconnect(serials)
