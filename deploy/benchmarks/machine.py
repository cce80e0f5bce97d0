"""What a figure was measured on."""

from __future__ import annotations

import os
import platform

from manyhands.protocol.base import Message


class Machine(Message):
    """This machine, as far as a benchmark's reader needs to know it."""

    cores: int
    """Those that this process may use."""
    memory_gib: float | None
    load: tuple[float, float, float] | None
    """Runnable processes, averaged over the last 1, 5 and 15 minutes; None where the system does not say."""
    python: str
    system: str

    def line(self) -> str:
        """One line for under a table."""
        memory = "" if self.memory_gib is None else f", {self.memory_gib:.0f} GiB"
        load = "" if self.load is None else f", load {self.load[0]:.1f} when it began"
        return f"{self.cores} cores{memory}{load}, Python {self.python}, {self.system}"


def this_machine() -> Machine:
    """Facts as they are now; ask before a measurement, for the load afterwards is the measurement's own."""
    return Machine(
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=_memory_gib(),
        load=os.getloadavg() if hasattr(os, "getloadavg") else None,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
    )


def _memory_gib() -> float | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, ValueError, OSError):
        return None
