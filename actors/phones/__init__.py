"""Phones over adb.

``wire``, ``connection``, ``server``  an adb server: blocking exchanges, async access, starting one
``quoting``, ``typing``, ``commands``, ``apps``  what is sent for an action, or why it is refused
``changes``, ``quiet``, ``settle``, ``late``  what changed, how long to wait for more, when a screen rests
``capture``, ``likeness``, ``camera``  pictures, whether two show the same, screenshots
``dumps``                            readers of what Android's commands print
``keyboard``                         ADBKeyboard while a phone is held, its owner's afterwards
``adb_phone``                        one phone: ``actors.seams.Phone``
``leases``, ``locks``, ``gateway``   all phones of a host for all runs: ``actors.seams.Gateway``
"""

from __future__ import annotations

from manyhands.actors.phones.adb_phone import AdbPhone
from manyhands.actors.phones.gateway import AdbGateway
from manyhands.actors.phones.server import server_runs, start_server
from manyhands.actors.phones.settings import GatewaySettings

__all__ = ["AdbGateway", "AdbPhone", "GatewaySettings", "server_runs", "start_server"]
