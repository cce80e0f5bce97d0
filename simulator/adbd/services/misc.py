"""Serve small services: framebuffer, reverse and root."""

from __future__ import annotations

import struct

from manyhands.simulator.adbd.stream import Stream
from manyhands.simulator.system.capture import RAW_HEADER_BYTES, ScreenCapture
from manyhands.simulator.system.phone_system import PhoneSystem

FRAMEBUFFER_HEADER = struct.Struct("<13I")
FRAMEBUFFER_VERSION = 1
BITS = 32


async def framebuffer_service(capture: ScreenCapture, stream: Stream) -> None:
    """Send the screen: version, depth, size, width, height; offset and bits of red, blue, green and alpha; pixels."""
    raw = await capture.raw()
    if not raw:  # its screenshots fail: close the stream without an answer
        return
    width, height = struct.unpack_from("<2I", raw)
    layout = (0, 8, 16, 8, 8, 8, 24, 8)
    await stream.write(FRAMEBUFFER_HEADER.pack(FRAMEBUFFER_VERSION, BITS, 4 * width * height, width, height, *layout))
    await stream.write(raw[RAW_HEADER_BYTES:])


async def root_service(phone: PhoneSystem, stream: Stream) -> None:
    """Answer ``adb root``: a phone that is sold refuses it, and an emulator is root already."""
    answer = b"adbd is already running as root" if phone.is_root else b"adbd cannot run as root in production builds"
    await stream.write(answer + b"\n")


async def reverse_service(argument: str, stream: Stream) -> None:
    """Answer that there are no reverse forwards. Refuse to set one up, in adb's form."""
    if argument == "list-forward":
        await stream.write(b"0000")
        return
    if argument == "killforward-all":
        await stream.write(b"OKAY")
        return
    reason = b"a virtual phone has no reverse forwards"
    await stream.write(b"FAIL%04x%s" % (len(reason), reason))
