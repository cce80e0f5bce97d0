"""Measure which of a run's processes keep memory or open files: early in their life, and at their end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median

import psutil

from manyhands.benchmarks.chaos.processes import RunProcesses, name_of
from manyhands.benchmarks.cpu import DRIVER, resident_mib
from manyhands.protocol.base import Message

READ_EVERY_S = 5.0
EARLY_S = (120.0, 240.0)
"""The seconds of a process's life whose readings count as early. Before, caches fill."""
LATE_S = 120.0
"""The last seconds of a process's life, which are compared with the early ones."""
SHORTEST_LIFE_S = 600.0
"""A process that lived for less is not compared."""
MOST_GROWTH = 0.05
MOST_FILES = 2
"""So many more open files do not count, because connections come and go."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold what a process used at a moment."""

    at: float
    """Seconds of any clock that never jumps."""
    mib: float
    """Resident memory that is not shared."""
    files: int


class ProcessGrowth(Message):
    """Compare a process early in its life and at its end. All figures are medians."""

    kind: str
    pid: int
    minutes: float
    """How long the process was seen."""
    early_mib: float
    late_mib: float
    early_files: float
    late_files: float

    @property
    def growth(self) -> float:
        """Return the share by which the process's memory has grown."""
        return self.late_mib / self.early_mib - 1

    @property
    def is_steady(self) -> bool:
        """Return whether the process keeps neither memory nor files."""
        return self.growth <= MOST_GROWTH and self.late_files - self.early_files <= MOST_FILES


@dataclass(slots=True)
class ProcessReadings:
    """Collect readings of processes by kind and process id; of each, only those that are compared."""

    early: dict[tuple[str, int], list[Reading]] = field(default_factory=dict)
    late: dict[tuple[str, int], list[Reading]] = field(default_factory=dict)
    first_at: dict[tuple[str, int], float] = field(default_factory=dict)

    def add(self, readings: Mapping[tuple[str, int], Reading]) -> None:
        """Add one reading of each process that lives."""
        for process, reading in readings.items():
            age = reading.at - self.first_at.setdefault(process, reading.at)
            if EARLY_S[0] <= age < EARLY_S[1]:
                self.early.setdefault(process, []).append(reading)
            if age >= EARLY_S[1]:
                recent = [one for one in self.late.get(process, ()) if reading.at - one.at < LATE_S]
                self.late[process] = [*recent, reading]

    def growth(self) -> tuple[ProcessGrowth, ...]:
        """Compare each process that lived long enough; the one that grew most comes first."""
        rows = [
            ProcessGrowth(
                kind=process[0],
                pid=process[1],
                minutes=(late[-1].at - self.first_at[process]) / 60,
                early_mib=median(one.mib for one in early),
                late_mib=median(one.mib for one in late),
                early_files=median(one.files for one in early),
                late_files=median(one.files for one in late),
            )
            for process, late in self.late.items()
            if late[-1].at - self.first_at[process] >= SHORTEST_LIFE_S and (early := self.early.get(process))
        ]
        return tuple(sorted(rows, key=lambda row: -row.growth))


@asynccontextmanager
async def read_processes(processes: RunProcesses) -> AsyncIterator[ProcessReadings]:
    """Read what the processes of a run use, again and again, while the context is open."""
    readings = ProcessReadings()

    async def read() -> None:
        while True:
            await asyncio.sleep(READ_EVERY_S)
            readings.add(await asyncio.to_thread(read_once, processes))

    task = asyncio.create_task(read())
    try:
        yield readings
    finally:
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()


def read_once(processes: RunProcesses) -> dict[tuple[str, int], Reading]:
    """Return what each process of a run uses, by kind and process id. Blocks."""
    readings = {}
    for process in processes.everything():
        kind = DRIVER if process.pid == processes.driver else name_of(process)
        try:
            reading = Reading(time.monotonic(), resident_mib(process), process.num_fds())
        except psutil.Error:
            continue
        readings[kind, process.pid] = reading
    return readings
