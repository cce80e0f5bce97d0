"""Describe a measurement's conditions: the machine, and what stood in for phones, model and perception."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from manyhands.protocol.base import Message


class Machine(Message):
    """Describe this machine for readers of a benchmark."""

    cores: int
    """The cores that this process may use."""
    memory_gib: float | None
    load: tuple[float, float, float] | None
    """Runnable processes, averaged over the last 1, 5 and 15 minutes; None if the system does not tell."""
    python: str
    system: str

    def summary_line(self) -> str:
        """Return one line to print under a table."""
        memory = "" if self.memory_gib is None else f", {self.memory_gib:.0f} GiB"
        load = "" if self.load is None else f", load {self.load[0]:.1f} when it began"
        return f"{self.cores} cores{memory}{load}, Python {self.python}, {self.system}"


def this_machine() -> Machine:
    """Describe this machine. Call it before a measurement, because afterwards the load is the measurement's own."""
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


@dataclass(frozen=True, slots=True)
class Provenance:
    """Hold the origin of a benchmark's figures, and the files that the benchmark left."""

    sources: Mapping[str, str]
    """What stood in for phones, model and perception."""
    machine: Machine
    out: Path
    plots: Sequence[Path] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the keys that the JSON of every benchmark has."""
        return {
            "sources": dict(self.sources),
            "machine": self.machine.model_dump(mode="json"),
            "out": str(self.out),
            "plots": [str(path) for path in self.plots],
        }

    def print(self, console: Console) -> None:
        """Print the lines at the end of every benchmark's tables."""
        for line in (
            *(f"{what}: {source}" for what, source in self.sources.items()),
            f"machine: {self.machine.summary_line()}",
        ):
            console.print(line, style="dim", markup=False, soft_wrap=True)
        for line in (*(f"Plot: {path}" for path in self.plots), f"Output: {self.out}"):
            console.print(line, markup=False, soft_wrap=True)
