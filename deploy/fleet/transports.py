"""Choose how the phones of a run are reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.actors.seams import PhoneTransport
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput

MakeTransport = Callable[[FleetSettings], PhoneTransport]
"""Makes a transport that is not started yet: a fleet starts one, and so does its gateway, in a process of its own."""


def adb(settings: FleetSettings) -> AdbTransport:
    """Make a transport to phones behind an adb server."""
    return AdbTransport(
        AdbSettings(
            host=settings.adb_host,
            port=settings.adb_port,
            state_dir=settings.state_dir,
            label_providers=settings.label_providers,
            reset_provider=settings.reset_provider,
            limits=settings.phone_limits,
            threads=min(1024, max(64, len(settings.phones))),
        )
    )


TRANSPORTS: Mapping[str, MakeTransport] = {"adb": adb}
"""Ways to reach phones, by the name that the setting ``transport`` has for each."""


def transport_of(settings: FleetSettings) -> PhoneTransport:
    """Make the transport that the settings name. Raises BadInput."""
    if settings.transport not in TRANSPORTS:
        raise BadInput(f"transport {settings.transport}: unknown; there are {', '.join(TRANSPORTS)}")
    return TRANSPORTS[settings.transport](settings)
