"""Compute the figures of ``manyhands bench service``, and compare them with their limits."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.runs.usage import Percentiles

CORE_SHARE, RESIDENT_MIB, ACCEPT_S, PAGE_MS, WALL_MB_S = 0.10, 300.0, 2.0, 50.0, 5.0
"""Limits: the share of a core and the memory while the fleet is busy and watched, seconds to accept 1,000 tasks, ms for
a page of a list at p95, and MB a second that the wall of phones sends."""


class ServiceLoad(Message):
    """Hold what was measured of a service's process."""

    phones: int
    """How many phones of the canned fleet carried out tasks."""
    watchers: int
    """How many clients read the events."""
    seconds: float
    """How long the fleet was busy and watched."""
    cpu_s: float
    """Processor time of the service's process in these seconds."""
    resident_mib: float
    """Its resident memory at the end."""
    grown_mib: float
    """By how much its resident memory grew in the second half of these seconds."""
    events: int
    """How many events each watcher read."""
    wall_bytes: int = 0
    """How many bytes the watcher of the wall read."""
    wall_phones: int = 0
    """How many phones the updates of the wall had together."""
    accept_s: float
    """The time from sending 1,000 tasks to the answer that they are stored."""
    tasks: int
    """How many tasks the lists were read from."""
    page_ms: dict[str, tuple[float, ...]]
    """The times of pages of ``GET /tasks``, by the filter."""


class ServiceFigures(Message):
    """Hold the figures of a service."""

    phones: int
    watchers: int
    core_share: float
    """The share of one core that the service's process took while the fleet was busy and watched."""
    resident_mib: float
    grown_mib: float
    events_s: float
    """How many events each watcher read in a second."""
    wall_mb_s: float = 0.0
    """How many MB the wall sent to its watcher in a second."""
    wall_phones_s: float = 0.0
    """How many phones the wall's updates had in a second."""
    accept_s: float
    tasks: int
    page_ms: dict[str, Percentiles] = Field(default_factory=dict)
    beyond: tuple[str, ...]
    """Lines about what exceeds its limit."""


def service_figures(load: ServiceLoad) -> ServiceFigures:
    """Return the figures of a measurement, and what exceeds its limit."""
    share = load.cpu_s / load.seconds
    pages = {name: latencies for name, times in load.page_ms.items() if (latencies := percentiles(times)) is not None}
    beyond = [
        f"a page of {name} takes {latencies.p95:.0f} ms at p95; it may take {PAGE_MS:.0f}"
        for name, latencies in pages.items()
        if latencies.p95 > PAGE_MS
    ]
    if share > CORE_SHARE:
        beyond.append(f"the service takes {100 * share:.0f} % of a core; it may take {100 * CORE_SHARE:.0f} %")
    wall_mb_s = load.wall_bytes / load.seconds / 1e6
    if wall_mb_s > WALL_MB_S:
        beyond.append(f"the wall sends {wall_mb_s:.1f} MB a second; it may send {WALL_MB_S:.0f}")
    if load.resident_mib > RESIDENT_MIB:
        beyond.append(f"the service's process has {load.resident_mib:.0f} MiB; it may have {RESIDENT_MIB:.0f}")
    if load.accept_s > ACCEPT_S:
        beyond.append(f"1,000 tasks are accepted in {load.accept_s:.1f} s; it may take {ACCEPT_S:.0f}")
    return ServiceFigures(
        phones=load.phones,
        watchers=load.watchers,
        core_share=share,
        resident_mib=load.resident_mib,
        grown_mib=load.grown_mib,
        events_s=load.events / load.seconds,
        wall_mb_s=wall_mb_s,
        wall_phones_s=load.wall_phones / load.seconds,
        accept_s=load.accept_s,
        tasks=load.tasks,
        page_ms=pages,
        beyond=tuple(beyond),
    )


def rows(figures: ServiceFigures) -> Sequence[tuple[str, str, str]]:
    """Return the rows of a table: figure, measured, limit."""
    return [
        ("share of a core, busy and watched", f"{100 * figures.core_share:.1f} %", f"{100 * CORE_SHARE:.0f} %"),
        ("resident memory", f"{figures.resident_mib:.0f} MiB", f"{RESIDENT_MIB:.0f} MiB"),
        ("its growth in the second half", f"{figures.grown_mib:.1f} MiB", ""),
        ("events to each watcher", f"{figures.events_s:.1f} a second", ""),
        ("the wall to its watcher", f"{figures.wall_mb_s:.2f} MB a second", f"{WALL_MB_S:.0f} MB a second"),
        ("phones in the wall's updates", f"{figures.wall_phones_s:.0f} a second", ""),
        ("1,000 tasks accepted", f"{figures.accept_s:.2f} s", f"{ACCEPT_S:.0f} s"),
        *(
            (f"a page of {name}, of {figures.tasks:,} tasks, p95", f"{latencies.p95:.1f} ms", f"{PAGE_MS:.0f} ms")
            for name, latencies in figures.page_ms.items()
        ),
    ]
