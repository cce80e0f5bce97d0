"""Phones behind an adb server.

``transport``                    all phones: ``actors.interfaces.PhoneTransport``; which are connected
``phone``                        one phone: ``actors.interfaces.Phone``
``wire``, ``server``             blocking exchanges, async access to one adb server
``server_start``                 starting a server, also after it was lost
``shell``, ``commands``, ``apps``  what is sent for an action, or why it is refused
``frame_source``, ``view_tree``  frames of a phone, in the form that it returns faster; the views in front
``fitness``, ``device_facts``    whether a phone is fit for tasks; what it says of itself
``dumps``                        readers of what Android's commands print
``state``                        what checks ask of a phone
``keyboard``                     ADBKeyboard while a phone is leased, its owner's afterwards
"""

from __future__ import annotations

from manyhands.actors.phones.adb.settings import AdbSettings
from manyhands.actors.phones.adb.transport import AdbTransport

__all__ = ["AdbSettings", "AdbTransport"]
