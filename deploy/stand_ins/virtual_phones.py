"""Start virtual phones in a process of their own, and connect them to an adb server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.protocol.errors import PhoneError

_log = logging.getLogger(__name__)


@asynccontextmanager
async def connected_phones(settings: FleetSettings, count: int, logs: Path) -> AsyncIterator[tuple[str, ...]]:
    """Run virtual phones, connected to the adb server, while the context is open; give their serials."""
    options = settings.virtual
    arguments = ["--phones", str(count), "--size", options.size, "--seed", str(options.seed)]
    if options.transitions is not None:
        arguments += ["--transitions", options.transitions]
    if options.cut is not None:
        arguments += ["--cut", options.cut]
    phones = Companion("manyhands.simulator.fleet", arguments, logs / "virtual_phones.log")
    async with connected(settings, phones) as serials:
        yield serials


@asynccontextmanager
async def connected(settings: FleetSettings, companion: Companion) -> AsyncIterator[tuple[str, ...]]:
    """Run a process with phones, connected to the adb server, while the context is open; give their serials."""
    adb = AdbServer(settings.adb_host, settings.adb_port)
    async with companion as phones:
        serials = tuple(phones.ready["serials"])
        try:
            await adb.connect_all(serials)
            yield serials
        finally:
            try:
                await adb.disconnect_all(serials)
            except PhoneError as lost:
                _log.warning("virtual phones stay in adb's list: %s", lost)
            finally:
                adb.close()


@asynccontextmanager
async def virtual_phones(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    """Start the N phones of ``virtual:N``, and give settings with their serials."""
    async with connected_phones(settings, settings.virtual_phones or 0, logs) as serials:
        yield settings.model_copy(update={"phones": serials})
