"""Tell the time of a host: Unix seconds that no step of the machine's clock moves.

A process takes the machine's clock once, when it starts, and counts on by the host's monotonic clock, which all
processes of a host share, and which stands still while the machine is suspended. So a clock that is set (NTP, a
person, a machine that wakes) changes no duration and no deadline. Whoever starts a process of the same work hands its
own anchor on, so that both tell the same time also where the clock was set in between.
"""

from __future__ import annotations

import ctypes
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LINUX = Path("/proc/sys/kernel/random/boot_id")
_DARWIN = b"kern.bootsessionuuid"
_UUID_BYTES = 37


@cache
def boot_id() -> str:
    """Return what names this host since it was started: processes with the same one share the monotonic clock.

    Where the system has no such name, it is one of this process alone: no other is then taken to share its clock.
    """
    return _linux_boot_id() or _darwin_boot_id() or secrets.token_hex(16)


def _linux_boot_id(path: Path = _LINUX) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def _darwin_boot_id() -> str | None:
    """Return the UUID that macOS makes at each start; None on other systems."""
    found, size = ctypes.create_string_buffer(_UUID_BYTES), ctypes.c_size_t(_UUID_BYTES)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(_DARWIN, found, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (AttributeError, OSError):  # the C library of Linux and of Windows has no such function
        return None
    return None if failed else found.value.decode() or None


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """Say what the time is at zero of the monotonic clock of one boot of a host."""

    boot: str
    zero_at: float
    """Unix seconds."""


class HostClock:
    """Give Unix seconds. ``boot`` and ``monotonic`` (seconds) are those of the host."""

    def __init__(self, boot: str | None = None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._boot = boot or boot_id()
        self._zero_at = time.time() - monotonic()

    @property
    def anchor(self) -> ClockAnchor:
        """Return what other processes adopt, to tell the same time."""
        return ClockAnchor(self._boot, self._zero_at)

    def now(self) -> float:
        return self._zero_at + self._monotonic()

    def adopt(self, anchor: ClockAnchor) -> None:
        """Tell the time of another process from now on; that of another host, whose clock is another, is left alone."""
        if anchor.boot == self._boot:
            self._zero_at = anchor.zero_at

    def advance_to(self, moment: float) -> None:
        """Show no time before ``moment`` (Unix seconds) again, so that later records get later times.

        The machine's clock may have been set back since.
        """
        self._zero_at += max(0.0, moment - self.now())

    def here(self, moment: float, anchor: ClockAnchor, told_at: float) -> float:
        """Return a moment by this clock that another process told by its own, when that showed ``told_at``.

        Exact within a host; between hosts the way of the message counts as no time.
        """
        if anchor.boot == self._boot:
            return moment - anchor.zero_at + self._zero_at
        return moment - told_at + self.now()


HOST_CLOCK = HostClock()
"""This process's: time is one for all that runs in it."""
