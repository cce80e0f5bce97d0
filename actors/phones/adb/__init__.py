"""Phones behind an adb server.

``transport``                                        all phones: ``actors.seams.PhoneTransport``
``phone``                                            one phone: ``actors.seams.Phone``
``wire``, ``server``                                 blocking exchanges, async access to one adb server
``starting``, ``keeping``                            starting a server, and again when it is gone
``tracking``                                         which phones there are, told at each change
``quoting``, ``text_input``, ``commands``, ``apps``  what is sent for an action, or why it is refused
``screencap``, ``pictures``, ``screenshots``         frames, and screenshots once the screen is at rest
``dumps``                                            readers of what Android's commands print
``keyboard``, ``input_methods``                      ADBKeyboard while a phone is held, its owner's afterwards
"""

from __future__ import annotations

from manyhands.actors.phones.adb.settings import AdbSettings
from manyhands.actors.phones.adb.transport import AdbTransport

__all__ = ["AdbSettings", "AdbTransport"]
