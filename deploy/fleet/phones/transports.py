"""Make the transport that reaches the phones of a run. A gateway on a machine with phones needs this and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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


TRANSPORTS: Mapping[str, MakeTransport] = {"adb": adb}
"""Ways to reach phones, by the names that the setting ``transport`` accepts."""


def transport_of(settings: FleetSettings) -> PhoneTransport:
    """Make the transport that the settings name. Raises BadInput."""
    if settings.transport not in TRANSPORTS:
        raise BadInput(f"transport {settings.transport}: unknown; there are {', '.join(TRANSPORTS)}")
    return TRANSPORTS[settings.transport](settings)
