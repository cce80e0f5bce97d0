"""Compute the figures of ``manyhands bench memory``, and compare them with their limits."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.usage import Percentiles

SEARCH_MS, SNAPSHOT_MS, RESIDENT_MIB = 20.0, 5.0, 100.0
"""Limits: a search and a snapshot in ms at p95, and the memory service's process in MiB."""


class MemoryTimes(Message):
    """Hold the times of calls in the memory service's process, in ms, including the way to its thread."""

    tips: int
    shortcuts: int
    search_ms: tuple[float, ...]
    snapshot_ms: tuple[float, ...]
    """Snapshots while nothing changes."""
    changed_ms: tuple[float, ...]
    """Snapshots that come first after a change of the file."""
    resident_mib: float
    """Resident memory of the process, including Python and our modules."""


class MemoryFigures(Message):
    """Hold the percentiles of these times."""

    tips: int
    shortcuts: int
    search_ms: Percentiles | None
    snapshot_ms: Percentiles | None
    changed_ms: Percentiles | None
    resident_mib: float
    beyond: tuple[str, ...]
    """Lines about what exceeds its limit."""


def memory_figures(times: MemoryTimes) -> MemoryFigures:
    """Return the figures of times, and what exceeds its limit."""
    search, snapshot, changed = (percentiles(one) for one in (times.search_ms, times.snapshot_ms, times.changed_ms))
    held = [("a search", search, SEARCH_MS), ("a snapshot", snapshot, SNAPSHOT_MS)]
    held.append(("a snapshot after a change", changed, SNAPSHOT_MS))
    beyond = [
        f"{what} takes {taken.p95:.1f} ms at p95; it may take {most:.0f}"
        for what, taken, most in held
        if taken is not None and taken.p95 > most
    ]
    if times.resident_mib > RESIDENT_MIB:
        beyond.append(f"the process has {times.resident_mib:.0f} MiB; it may have {RESIDENT_MIB:.0f}")
    return MemoryFigures(
        tips=times.tips,
        shortcuts=times.shortcuts,
        search_ms=search,
        snapshot_ms=snapshot,
        changed_ms=changed,
        resident_mib=times.resident_mib,
        beyond=tuple(beyond),
    )


def rows(figures: MemoryFigures) -> Sequence[tuple[str, str, str, str]]:
    """Return the rows of a table: call, p50, p95, limit."""
    timed = [
        ("search", figures.search_ms, SEARCH_MS),
        ("snapshot", figures.snapshot_ms, SNAPSHOT_MS),
        ("snapshot after a change", figures.changed_ms, SNAPSHOT_MS),
    ]
    return [(what, f"{one.p50:.2f}", f"{one.p95:.2f}", f"{most:.0f}") for what, one, most in timed if one is not None]
