"""Start emulators of the user's own SDK for a run, keep them running, and stop them at its end.

All run one AVD, read-only, from its snapshot: what a task changes is gone with the next restore. An emulator that dies
is started again under the same serial. If the run is killed, each emulator's reaper stops it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from manyhands.actors.clock import RealClock
from manyhands.actors.dispatch.deadlines import finish
from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.server_start import start_server
from manyhands.deploy.fleet.phones.android_sdk import boot_snapshot, find_emulator, requirements_of
from manyhands.deploy.serving.supervisor import (
    RestartBudget,
    ServerCommand,
    ServerEvent,
    ServerGivenUp,
    Supervisor,
)
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import MOST_EMULATORS
from manyhands.protocol.errors import BadInput, CallError, PhoneError
from manyhands.protocol.utilities import secure_files

PORTS = range(5554, 5554 + 2 * MOST_EMULATORS, 2)
"""The ports on which emulators have their consoles; adb's port is the next one."""
_ASK_S = 5.0
BUDGET = RestartBudget()
"""How often an emulator may die before it is given up. How long it may boot is a setting."""
_log = logging.getLogger(__name__)


@asynccontextmanager
async def start_emulators(
    settings: FleetSettings, logs: Path, budget: RestartBudget = BUDGET
) -> AsyncIterator[FleetSettings]:
    """Start the emulators of ``avd:NAME:N``; when all have booted, yield settings with their serials.

    ``budget``: how often an emulator may die. Raises BadInput if something is missing or an emulator does not boot.
    """
    wanted, program = settings.emulators, find_emulator()
    assert wanted is not None
    missing = [one for one in requirements_of(settings, wanted) if one.mend and one.is_needed]
    if missing or program is None:
        first = missing[0]
        raise BadInput(f"--phones {settings.phones[0]}: {first.name}: {first.found}; {first.mend}")
    adb = settings.groups.adb
    await start_server(adb.adb_host, adb.adb_port)
    ports = find_free_ports(wanted.count)
    budget = replace(budget, ready_s=settings.boot_s)
    fleet = _EmulatorFleet([_command(settings, program, port) for port in ports], settings, logs, budget)
    async with fleet.run():
        serials = tuple(f"emulator-{port}" for port in ports)
        yield settings.model_copy(update={"phones": serials, "reset_snapshot": boot_snapshot(settings)})


def find_free_ports(count: int) -> Sequence[int]:
    """Return the console ports of ``count`` emulators; this port and the next are free. Raises BadInput."""
    ports = [port for port in PORTS if _is_free(port) and _is_free(port + 1)]
    if len(ports) < count:
        raise BadInput(f"{count} emulators need a free pair of ports each, from {PORTS[0]} on; {len(ports)} are free")
    return ports[:count]


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _command(settings: FleetSettings, program: Path, port: int) -> ServerCommand:
    assert settings.emulators is not None
    fixed = ("-no-window", "-no-audio", "-no-boot-anim", "-read-only", "-no-snapshot-save")
    which = ("-avd", settings.emulators.avd, "-port", str(port), "-snapshot", boot_snapshot(settings))
    return ServerCommand(
        name=f"emulator-{port}",
        argv=(str(program), *which, *fixed, *settings.emulator_flags),
        host="127.0.0.1",
        port=port,
        env={"ANDROID_ADB_SERVER_PORT": str(settings.adb_port)},
    )


class _EmulatorFleet:
    """Run emulators, each under a supervisor of its own: one that is given up leaves the others alone."""

    def __init__(
        self, commands: Sequence[ServerCommand], settings: FleetSettings, logs: Path, budget: RestartBudget
    ) -> None:
        self._commands = {command.name: command for command in commands}
        self._settings = settings
        self._logs = logs
        self._budget = budget
        self._booted = {name: asyncio.Event() for name in self._commands}
        self._starts = Counter[str]()
        self._adb = AdbServer(settings.adb_host, settings.adb_port)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run the emulators while the context is open, which begins when all have booted. Raises BadInput."""
        lives = [asyncio.create_task(self._keep(command), name=name) for name, command in self._commands.items()]
        booted = asyncio.create_task(self._all_booted())
        try:
            ended = set[asyncio.Task[None]]()
            while not booted.done():
                done, _ = await asyncio.wait({booted, *lives} - ended, return_when=asyncio.FIRST_COMPLETED)
                ended |= done - {booted}
                for life in ended:
                    life.result()
            yield
        finally:
            for task in (booted, *lives):
                task.cancel()
            await finish(asyncio.wait((booted, *lives)))
            self._adb.close()

    async def _all_booted(self) -> None:
        for event in self._booted.values():
            await event.wait()

    async def _keep(self, command: ServerCommand) -> None:
        """Keep one emulator running. Raises BadInput if it never boots, and what a defect raises before it boots."""
        supervisor = Supervisor([command], self._logs, RealClock(), self._note, self._budget, self._has_booted)
        has_booted = self._booted[command.name].is_set
        try:
            await supervisor.run()
        except ServerGivenUp as error:
            if not has_booted():
                raise BadInput(f"--phones {self._settings.phones[0]}: {error}") from error
            _log.warning("%s; the run goes on without it", error)
        except Exception:
            if not has_booted():
                raise
            _log.exception("%s: a defect ended it; the run goes on without it", command.name)

    def _note(self, event: ServerEvent) -> None:
        """Count starts in ``emulators.json``, and say that an emulator has booted or died."""
        if event.kind == "ready":
            _log.info("%s has booted after %.0f s", event.server, event.seconds)
            self._booted[event.server].set()
        if event.kind == "died":
            _log.warning("%s %s (start %d)", event.server, event.detail, self._starts[event.server] + 1)
        if event.kind == "starting":
            self._starts[event.server] += 1
            starts = {name: {"starts": self._starts[name]} for name in self._commands}
            try:
                secure_files.replace_text(self._logs / "emulators.json", json.dumps(starts))
            except OSError as error:
                _log.warning("emulators.json does not count the last start of %s: %s", event.server, error)

    async def _has_booted(self, _host: str, port: int) -> bool:
        try:
            answer = await self._adb.shell(f"emulator-{port}", "getprop sys.boot_completed", _ASK_S, asks=True)
        except (PhoneError, CallError):
            return False
        return answer.text.strip() == "1"
