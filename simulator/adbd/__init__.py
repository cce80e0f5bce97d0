"""Speak the device side of the adb protocol, for virtual phones.

``wire``        packets: a 24-byte header and a payload
``stream``      one byte stream of a connection; it has at most one unacknowledged packet
``connection``  the connection of an adb server: handshake, streams, the tasks of their services
``services``    what a stream can be opened to: shell, exec, sync, framebuffer, reverse
``shell_packets`` the packets inside a ``shell,v2`` stream
``endpoint``    a phone that listens on a port
"""

from __future__ import annotations

from manyhands.simulator.adbd.endpoint import PhoneEndpoint

__all__ = ["PhoneEndpoint"]
