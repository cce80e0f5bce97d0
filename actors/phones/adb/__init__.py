"""Phones behind an adb server.

``transport``                                        all phones: ``actors.interfaces.PhoneTransport``
``phone``                                            one phone: ``actors.interfaces.Phone``
``wire``, ``server``                                 blocking exchanges, async access to one adb server
``server_start``                                     starting a server, also after it was lost
``device_tracking``                                  which phones are connected, reported at each change
``shell``, ``commands``, ``apps``                    what is sent for an action, or why it is refused
``screencap``, ``frame_source``                      frames of a phone, in the form that it returns faster
``dumps``                                            readers of what Android's commands print
``keyboard``                                         ADBKeyboard while a phone is leased, its owner's afterwards
"""

from __future__ import annotations

from manyhands.actors.phones.adb.connection.transport import AdbTransport
from manyhands.actors.phones.adb.settings import AdbSettings

__all__ = ["AdbSettings", "AdbTransport"]
