"""Start virtual phones in a process of their own, and connect them to an adb server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.deploy.settings.fleet import FleetSettings, VirtualOptions
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.protocol.errors import PhoneError

_log = logging.getLogger(__name__)


class VirtualPhones:
    """Run virtual phones, connected to an adb server, while the context is open."""

    def __init__(self, count: int, options: VirtualOptions, adb: AdbServer, logs: Path) -> None:
        arguments = ["--phones", str(count), "--size", options.size, "--seed", str(options.seed)]
        if options.transitions is not None:
            arguments += ["--transitions", options.transitions]
        if options.cut is not None:
            arguments += ["--cut", options.cut]
        self._companion = Companion("manyhands.simulator.fleet", arguments, logs / "virtual_phones.log")
        self._adb = adb
        self.serials: tuple[str, ...] = ()

    async def __aenter__(self) -> Self:
        await self._companion.__aenter__()
        try:
            self.serials = tuple(f"127.0.0.1:{port}" for port in self._companion.ready["ports"])
            await self._adb.connect_all(self.serials)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._adb.disconnect_all(self.serials)
        except PhoneError as lost:
            _log.warning("virtual phones stay in adb's list: %s", lost)
        finally:
            self._adb.close()
            await self._companion.__aexit__()


@asynccontextmanager
async def virtual_phones(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    """Start the N phones of ``virtual:N``, and give settings with their serials."""
    adb = AdbServer(settings.adb_host, settings.adb_port)
    async with VirtualPhones(settings.virtual_phones or 0, settings.virtual, adb, logs) as phones:
        yield settings.model_copy(update={"phones": phones.serials})
