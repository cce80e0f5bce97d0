"""Start the stand-ins that settings name, virtual phones and the rehearsed model, in their own processes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.deploy.child_process import SidecarProcess
from manyhands.deploy.fleet.model_servers.resolution import rehearsed_roles
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import RehearsalOptions, RoleModel
from manyhands.deploy.settings.phones import AdbOptions, VirtualOptions
from manyhands.protocol.errors import BadInput, PhoneError

_log = logging.getLogger(__name__)


@asynccontextmanager
async def start_phones(
    virtual: VirtualOptions, adb: AdbOptions, count: int, logs: Path
) -> AsyncIterator[tuple[str, ...]]:
    """Run virtual phones while the context is open, connect them to the adb server, and yield their serials."""
    async with connect_phones(adb, phone_process(virtual, count, logs)) as serials:
        yield serials


def phone_process(virtual: VirtualOptions, count: int, logs: Path, more: Sequence[str] = ()) -> SidecarProcess:
    """Return the process that serves ``count`` virtual phones. ``more``: arguments that no setting gives."""
    arguments = ["--phones", str(count), "--size", virtual.size, "--seed", str(virtual.seed)]
    if virtual.transitions is not None:
        arguments += ["--transitions", virtual.transitions]
    if virtual.cut is not None:
        arguments += ["--cut", virtual.cut]
    arguments += [f"--vendor={name}" for name in virtual.vendors]
    arguments += ["--density", str(virtual.density)] if virtual.density is not None else []
    arguments += [f"--web={virtual.web}"] if virtual.web is not None else []
    arguments += [f"--web-allow={name}" for name in virtual.web_allow]
    arguments += [f"--web-script={virtual.web_script}"] if virtual.web_script is not None else []
    return SidecarProcess("manyhands.simulator.fleet", [*arguments, *more], logs / "virtual_phones.log")


@asynccontextmanager
async def connect_phones(adb: AdbOptions, sidecar: SidecarProcess) -> AsyncIterator[tuple[str, ...]]:
    """Run a process with phones while the context is open, connect them to the adb server, and yield their serials."""
    server = AdbServer(adb.adb_host, adb.adb_port)
    async with sidecar as phones:
        serials = tuple(phones.ready["serials"])
        try:
            await server.connect_all(serials)
            yield serials
        finally:
            try:
                await server.disconnect_all(serials)
            except PhoneError as error:
                _log.warning("virtual phones stay in adb's list: %s", error)
            finally:
                server.close()


@asynccontextmanager
async def virtual_phones(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    """Start the N phones of ``virtual:N`` or ``web:N``, and yield settings with their serials. Raises BadInput."""
    if settings.are_web_phones is (settings.virtual.web is None):
        missing = "--web PAGE" if settings.are_web_phones else "--phones web:N"
        raise BadInput(f"web phones need both --phones web:N and --web PAGE; {missing} is missing")
    async with start_phones(settings.virtual, settings.groups.adb, settings.virtual_phones or 0, logs) as serials:
        yield settings.model_copy(update={"phones": serials})


@asynccontextmanager
async def rehearsed_model(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    """Serve the rehearsed model, and yield settings in which the roles that asked for it ask that server."""
    async with rehearsed_server(settings.rehearsal, 0, logs) as model:
        # The rehearsed model has one name and no key. Names and keys in the settings are for real servers.
        own = {"url": (model.ready["url"],), "model": None, "api_key_env": None}
        models = {
            role: settings.models.get(role, RoleModel()).model_copy(update=own) for role in rehearsed_roles(settings)
        }
        yield settings.model_copy(update={"models": {**settings.models, **models}})


def rehearsed_server(options: RehearsalOptions, port: int, logs: Path, more: Sequence[str] = ()) -> SidecarProcess:
    """Return the process that serves the rehearsed model on ``port``; 0 means a free one.

    ``more``: arguments that no setting gives.
    """
    arguments = [
        "--host",
        options.host,
        "--port",
        str(port),
        "--mistakes",
        str(options.mistakes),
        "--seed",
        str(options.seed),
        "--lessons",
        options.lessons,
    ]
    for role, seconds in sorted(options.latency_s.items()):
        arguments += ["--latency", f"{role.value}={seconds}"]
    if options.tokens_per_s is not None:
        arguments += ["--tokens-per-s", str(options.tokens_per_s)]
    for flag, cost in (
        ("--input-token-ms", options.input_token_ms),
        ("--output-token-ms", options.output_token_ms),
        ("--picture-ms", options.picture_ms),
    ):
        arguments += [flag, str(cost)] if cost else []
    return SidecarProcess("manyhands.simulator.rehearsal", [*arguments, *more], logs / "rehearsed_model.log")
