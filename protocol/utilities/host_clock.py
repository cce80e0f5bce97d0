"""Tell the time of a host in Unix seconds. A change of the machine's clock does not move this time.

A process reads the machine's clock once, at its start. From then on it adds what the host's monotonic clock counts. All
processes of a host share the monotonic clock; it stands still while the machine is suspended. So no duration and no
deadline changes when the machine's clock is set (by NTP, a person, or a machine that wakes up).

A process that starts another one for the same work passes its anchor on. Then both tell the same time, even if the
machine's clock was set in between.
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
    """Return the id of this host's current boot. Processes with the same id share the monotonic clock.

    Where the system has no such id, return a random one: then no other process is taken to share the clock.
    """
    return _linux_boot_id() or _darwin_boot_id() or secrets.token_hex(16)


def _linux_boot_id(path: Path = _LINUX) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def _darwin_boot_id() -> str | None:
    """Return the UUID that macOS makes at each start; None on other systems."""
    buffer, size = ctypes.create_string_buffer(_UUID_BYTES), ctypes.c_size_t(_UUID_BYTES)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(_DARWIN, buffer, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (AttributeError, OSError):  # the C library of Linux and of Windows has no such function
        return None
    return None if failed else buffer.value.decode() or None


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """Hold the Unix time at zero of the monotonic clock, for one boot of a host."""

    boot: str
    zero_at: float
    """Unix seconds."""


class HostClock:
    """Tell Unix seconds that a change of the machine's clock does not move.

    ``boot``: the id of the host's current boot. ``monotonic``: the host's monotonic clock, in seconds.
    """

    def __init__(self, boot: str | None = None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._boot = boot or boot_id()
        self._zero_at = time.time() - monotonic()

    @property
    def anchor(self) -> ClockAnchor:
        """Return the anchor that other processes adopt to tell the same time."""
        return ClockAnchor(self._boot, self._zero_at)

    def now(self) -> float:
        return self._zero_at + self._monotonic()

    def adopt(self, anchor: ClockAnchor) -> None:
        """Tell the same time as another process from now on. Ignore an anchor of another host or boot."""
        if anchor.boot == self._boot:
            self._zero_at = anchor.zero_at

    def advance_to(self, moment: float) -> None:
        """From now on, tell no time before ``moment`` (Unix seconds), so that later records get later times.

        The machine's clock may have been set back since ``moment``.
        """
        self._zero_at += max(0.0, moment - self.now())

    def here(self, moment: float, anchor: ClockAnchor, told_at: float) -> float:
        """Convert a moment to this clock.

        The moment comes from another process, which sent it at ``told_at`` by its own clock. Within a host the
        conversion is exact. Between hosts it neglects the time that the message took.
        """
        if anchor.boot == self._boot:
            return moment - anchor.zero_at + self._zero_at
        return moment - told_at + self.now()


HOST_CLOCK = HostClock()
"""The clock of this process. All parts of the process use it."""
