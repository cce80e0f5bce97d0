"""Phones of a host, for all who hold leases on them.

``gateway``, ``leases``, ``line``, ``calls``, ``turns``, ``locks``
                                                      leases, turns and action keys: ``actors.seams.Gateway``
``directory``                                         what phones there are: ``actors.seams.PhoneDirectory``
``database``                                          what outlives a run, for all runs on a host
``adb``                                               phones behind an adb server: ``actors.seams.PhoneTransport``
``settling``                                          when a screen is at rest, and what a screen shows again
"""

from __future__ import annotations

from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings

__all__ = ["GatewaySettings", "PhoneGateway"]
