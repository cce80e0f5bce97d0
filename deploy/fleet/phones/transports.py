"""Make the transport that reaches the phones of a run. A gateway on a machine with phones needs this and no more."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from manyhands.actors.interfaces import PhoneTransport
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import AdbOptions
from manyhands.protocol.errors import BadInput

MakeTransport = Callable[[FleetSettings], PhoneTransport]
"""Makes a transport without starting it. A fleet starts a transport; the gateway starts another in its own process."""


def adb(settings: FleetSettings) -> AdbTransport:
    """Make a transport to phones behind an adb server."""
    options = settings.values_of(AdbOptions, prefix="adb_")
    threads = min(1024, max(64, len(settings.phones)))
    return AdbTransport(AdbSettings(**options, limits=settings.phone_limits, threads=threads))


ADB = "adb"
"""The name that the setting ``transport`` has for phones behind an adb server."""
GROUP = "manyhands.transports"
"""The entry points by which packages add other ways to reach phones. Each refers to a ``MakeTransport``."""


def transport_of(settings: FleetSettings) -> PhoneTransport:
    """Make the transport that the settings name. Raises BadInput."""
    name, others = settings.transport, {one.name: one for one in entry_points(group=GROUP)}
    if name == ADB:
        return adb(settings)
    if name not in others:
        raise BadInput(f"transport {name}: unknown; there are {', '.join((ADB, *sorted(others)))}")
    try:
        make: MakeTransport = others[name].load()
    except (ImportError, AttributeError) as error:
        raise BadInput(f"transport {name}: {others[name].value}: {error}; mend or remove its package") from error
    return make(settings)
