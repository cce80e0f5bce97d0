"""A virtual phone behind the tests' adb server, and the settings by which the doctor finds it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import adbutils

from manyhands.deploy.doctor.examination import examine
from manyhands.deploy.doctor.findings import DoctorReport, Finding
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.fleet.virtual_fleet import virtual_phones
from tests.simulator.connecting import connect, disconnect


class Bench:
    """One virtual phone behind the tests' adb server, and the settings by which the doctor finds it."""

    def __init__(self, fleet: VirtualFleet, settings: FleetSettings, adb: adbutils.AdbClient) -> None:
        self.fleet, self.settings, self._adb = fleet, settings, adb

    @property
    def serial(self) -> str:
        return self.fleet.serials[0]

    async def plant(self, **conditions: int) -> None:
        for name, value in conditions.items():
            await self.fleet.set_condition(0, name, value)

    async def connect_anew(self) -> None:
        """Drop the connection; the adb server connects again, and is asked for its key."""
        await self.fleet.vanish(0)
        await self.fleet.come_back(0)
        await asyncio.to_thread(self._adb.disconnect, self.serial)
        await asyncio.to_thread(self._adb.connect, self.serial, 5.0)

    async def called(self, *words: str, program: Sequence[str] = ("-m", "manyhands")) -> tuple[int | None, str, str]:
        """Call the command in a process of its own: the phone lives in this one. ``program``: what Python runs."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *program, *words, "--adb-port", str(self.settings.adb_port)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "MANYHANDS_STATE_DIR": str(self.settings.state_dir)},
        )
        printed, complaint = await process.communicate()
        return process.returncode, printed.decode(), complaint.decode()

    async def report(self, touches: bool = True) -> DoctorReport:
        return await examine(self.settings, touches)

    async def findings(self, touches: bool = True) -> Mapping[str, Finding]:
        found = (await self.report(touches)).findings
        return {one.name: one for one in found if one.about in (f"phone {self.serial}", "phones")}


@asynccontextmanager
async def open_bench(adb_server: tuple[str, int], tmp_path: Path, phones: int = 1) -> AsyncIterator[Bench]:
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(phones, virtual_phones(540, 1200)) as fleet:
        await connect(fleet, client)
        given = {"adb_port": adb_server[1], "state_dir": str(tmp_path), "phones": [fleet.serials[0]]}
        try:
            yield Bench(fleet, load_settings({**given, "mllm_url": ["rehearsed"]}), client)
        finally:
            await disconnect(fleet, client)
