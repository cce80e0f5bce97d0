"""The figures of ``manyhands bench memory``, and what they are held against."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.usage import Percentiles

SEARCH_MS, SNAPSHOT_MS, RESIDENT_MIB = 20.0, 5.0, 100.0
"""Limits: of a search and a snapshot at p95, and of the memory service's process."""


class MemoryTimes(Message):
    """Holds the times of calls in the memory service's process, with their way to its thread, in ms."""

    tips: int
    shortcuts: int
    search_ms: tuple[float, ...]
    snapshot_ms: tuple[float, ...]
    """While nothing changes."""
    changed_ms: tuple[float, ...]
    """Each the first after something changed in the file."""
    resident_mib: float
    """The most that the process had, Python and our modules included."""


class MemoryFigures(Message):
    """The same in figures."""

    tips: int
    shortcuts: int
    search_ms: Percentiles | None
    snapshot_ms: Percentiles | None
    changed_ms: Percentiles | None
    resident_mib: float
    beyond: tuple[str, ...]
    """What goes beyond its limit."""


def memory_figures(times: MemoryTimes) -> MemoryFigures:
    """Return figures of times, and which are beyond a limit."""
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
    """Return the rows of a table: what, p50, p95, limit."""
    timed = [
        ("search", figures.search_ms, SEARCH_MS),
        ("snapshot", figures.snapshot_ms, SNAPSHOT_MS),
        ("snapshot after a change", figures.changed_ms, SNAPSHOT_MS),
    ]
    return [(what, f"{one.p50:.2f}", f"{one.p95:.2f}", f"{most:.0f}") for what, one, most in timed if one is not None]
