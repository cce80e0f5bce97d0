"""Compare each process early in a long run with the same process at its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from manyhands.deploy.benchmarks.cpu import Group, group_of
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput

MOST_GROWTH = 0.05
FILES_APART = 2
"""Differences of up to so many open files do not count, because connections come and go."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold what each process used at a step of the run, by kind and process id."""

    steps: int
    processes: Mapping[tuple[str, int], tuple[float, int]]
    """Resident memory in MiB, and number of open files."""


class ProcessRow(Message):
    """Hold the medians of one process early in the run and at its end."""

    kind: str
    pid: int
    early_mib: float
    late_mib: float
    early_files: float
    late_files: float

    @property
    def group(self) -> Group:
        """Return the group of the process."""
        return group_of(self.kind)

    @property
    def growth(self) -> float:
        """Return the share by which the process's memory has grown at the end."""
        return self.late_mib / self.early_mib - 1

    @property
    def is_steady(self) -> bool:
        """Return whether the process keeps neither memory nor files.

        The adb server and the stand-ins always count as steady. The adb server is not ours, and virtual phones store
        every input for the audit.
        """
        if self.group in ("adb", "stand-ins"):
            return True
        return self.growth <= MOST_GROWTH and self.late_files - self.early_files <= FILES_APART


class SoakFigures(Message):
    """Hold the figures of ``bench soak``."""

    steps: int
    early_steps: int
    seconds: float
    rows: tuple[ProcessRow, ...]
    """The largest process first. Processes that exist only early are in ``went``. Those that exist only late are in
    ``came``."""
    came: tuple[str, ...]
    went: tuple[str, ...]

    @property
    def is_steady(self) -> bool:
        return all(row.is_steady for row in self.rows) and not self.came and not self.went


def is_compared(reading: Reading, early: int, end: int) -> bool:
    """Return whether ``soak_figures`` uses this reading in a run of ``end`` steps."""
    return early <= reading.steps < early + _width(early) or end - _width(early) <= reading.steps


def _width(early: int) -> int:
    return max(1, early // 10)


def soak_figures(readings: Sequence[Reading], early: int, end: int, seconds: float) -> SoakFigures:
    """Compare readings from step ``early`` on with the last readings. Both cover ``early`` / 10 steps.

    Raises BadInput if one side has no readings.
    """
    width = _width(early)
    first = [reading for reading in readings if early <= reading.steps < early + width]
    last = [reading for reading in readings if end - width <= reading.steps]
    if not first or not last or first[-1].steps >= last[0].steps:
        raise BadInput(f"no readings at step {early} and at the end, step {end}: take more steps")
    before, after = _medians(first), _medians(last)
    rows = [
        ProcessRow(
            kind=kind,
            pid=pid,
            early_mib=before[kind, pid][0],
            late_mib=after[kind, pid][0],
            early_files=before[kind, pid][1],
            late_files=after[kind, pid][1],
        )
        for kind, pid in before.keys() & after.keys()
    ]
    return SoakFigures(
        steps=end,
        early_steps=early,
        seconds=seconds,
        rows=tuple(sorted(rows, key=lambda row: -row.late_mib)),
        came=tuple(sorted(kind for kind, _ in after.keys() - before.keys())),
        went=tuple(sorted(kind for kind, _ in before.keys() - after.keys())),
    )


def _medians(readings: Sequence[Reading]) -> dict[tuple[str, int], tuple[float, float]]:
    """Return the medians of processes that are in more than half of the readings; the others are short-lived."""
    found: defaultdict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    for reading in readings:
        for process, used in reading.processes.items():
            found[process].append(used)
    return {
        process: (median(mib for mib, _ in used), median(files for _, files in used))
        for process, used in found.items()
        if 2 * len(used) > len(readings)
    }
