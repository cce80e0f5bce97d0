"""Phones of a host, for all who hold leases on them.

``gateway``, ``leases``, ``locks``  leases, turns and action keys: ``actors.seams.Gateway``
``adb``                            phones behind an adb server: ``actors.seams.Phone``
``settling``                       when a screen is at rest, and whether two screenshots show the same
"""

from __future__ import annotations

from manyhands.actors.phones.adb.phone import AdbPhone
from manyhands.actors.phones.adb.starting import server_runs, start_server
from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings

__all__ = ["AdbPhone", "GatewaySettings", "PhoneGateway", "server_runs", "start_server"]
