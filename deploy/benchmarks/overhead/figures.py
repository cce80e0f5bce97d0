"""Compute CPU by process between two readings, and the steps in between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from manyhands.deploy.benchmarks.cpu import GROUPS, CpuReading, Group, group_of
from manyhands.evaluation.timing import moments_sent
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.records import Record


class ProcessShare(Message):
    """Hold the cost of the processes of one kind."""

    group: Group
    kind: str
    cpu_ms_per_step: float


class OverheadFigures(Message):
    """Hold the figures of ``bench overhead``. CPU is in milliseconds of one core."""

    seconds: float
    """Length of the measurement, without the warm-up."""
    steps: int
    steps_per_s: float
    step_p50_ms: float | None
    """The time from one action sent to the next; None if no episode sent two actions."""
    cpu_ms_per_step: float
    """What Manyhands' own processes use: the driver and the actors."""
    ray_ms_per_step: float
    """What Ray's daemons use beside them."""
    adb_ms_per_step: float
    """What the adb server uses. It may serve other programs, too."""
    stand_ins_ms_per_step: float
    """What canned phones and the canned model use."""
    by_process: tuple[ProcessShare, ...]
    """The most expensive first within each group."""


def overhead_figures(begin: CpuReading, end: CpuReading, journals: Iterable[Sequence[Record]]) -> OverheadFigures:
    """Compute what the steps between two readings cost, from the journals of all episodes.

    A step is an action that was sent. Raises BadInput if none was.
    """
    sent = [[at for at in moments_sent(records) if begin.at <= at < end.at] for records in journals]
    steps = sum(map(len, sent))
    seconds = end.at - begin.at
    if steps == 0 or seconds <= 0:
        raise BadInput("no step was made while the measurement ran; measure for longer")
    times = [(after - before) * 1000 for moments in sent for before, after in pairwise(moments)]
    shares = _shares(begin, end, steps)
    group_ms = {group: sum(share.cpu_ms_per_step for share in shares if share.group == group) for group in GROUPS}
    return OverheadFigures(
        seconds=seconds,
        steps=steps,
        steps_per_s=steps / seconds,
        step_p50_ms=median(times) if times else None,
        cpu_ms_per_step=group_ms["own"],
        ray_ms_per_step=group_ms["ray"],
        adb_ms_per_step=group_ms["adb"],
        stand_ins_ms_per_step=group_ms["stand-ins"],
        by_process=shares,
    )


def _shares(begin: CpuReading, end: CpuReading, steps: int) -> tuple[ProcessShare, ...]:
    shares = [
        ProcessShare(
            group=group_of(kind), kind=kind, cpu_ms_per_step=(used - begin.seconds.get(kind, 0.0)) * 1000 / steps
        )
        for kind, used in end.seconds.items()
    ]
    return tuple(sorted(shares, key=lambda share: (GROUPS.index(share.group), -share.cpu_ms_per_step, share.kind)))
