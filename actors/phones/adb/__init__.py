"""Phones behind an adb server.

``wire``, ``server``, ``starting``                    blocking exchanges, async access to one adb server, starting one
``quoting``, ``text_input``, ``commands``, ``apps``  what is sent for an action, or why it is refused
``screencap``, ``screenshots``                      frames, and screenshots once the screen is at rest
``dumps``                                           readers of what Android's commands print
``keyboard``                                        ADBKeyboard while a phone is held, its owner's afterwards
``phone``                                           one phone
"""
