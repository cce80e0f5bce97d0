"""The device side of the adb protocol, for virtual phones.

``wire``        packets: a 24-byte header and a payload
``stream``      one multiplexed byte stream of a connection, with its one packet in flight
``connection``  one adb server's connection: handshake, streams, the tasks of their services
``services``    what a stream can be opened to: shell, exec, sync, framebuffer, reverse
``shell_packets`` the packets inside a ``shell,v2`` stream
``endpoint``    the listening phone
"""

from __future__ import annotations

from manyhands.simulator.adbd.endpoint import PhoneEndpoint

__all__ = ["PhoneEndpoint"]
