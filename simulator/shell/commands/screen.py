"""Provide ``screencap`` and ``wm``."""

from __future__ import annotations

from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command
from manyhands.simulator.system.phone_system import NO_LOCK, SWIPE


async def screencap(call: Call) -> int:
    """Write the screen to stdout or into a file: as a PNG with ``-p`` or if the file ends in .png, else as raw pixels.

    The display of ``-d`` is ignored.
    """
    options, names = call.options("pd:")
    target = names[-1] if names else None
    png = "-p" in options or (target is not None and target.endswith(".png"))
    data = await (call.phone.capture.png() if png else call.phone.capture.raw())
    if target is None:
        await call.stdio.stdout.write(data)
        return 0
    try:
        call.phone.files.write(call.path(target), bytes(data))
    except OSError as error:
        await call.complain(f"Error opening file: {target} ({error.strerror})")
        return FAILED
    return 0


async def wm(call: Call) -> int:
    """Print the size or the density, which are fixed, or dismiss a lock screen that asks for no credential."""
    device = call.phone.device
    if call.args == ("dismiss-keyguard",) and call.phone.lock == SWIPE:
        call.phone.lock = NO_LOCK
    if call.args in (("dismiss-keyguard",), ("size", "reset"), ("density", "reset")):
        return 0
    if call.args == ("size",):
        await call.print(f"Physical size: {device.width}x{device.height}")
        return 0
    if call.args == ("density",):
        await call.print(f"Physical density: {device.density}")
        return 0
    await call.complain("Error: this phone's size, density and rotation are fixed (wm size | wm density)")
    return BAD_USAGE


COMMANDS = {"screencap": Command(screencap), "wm": Command(wm)}
