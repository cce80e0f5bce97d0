"""Compute what a broker between a run and its phones adds to a step, and what passes through it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

import psutil

from manyhands.actors.edge.cluster.mqtt_gateway import CallLatency
from manyhands.actors.edge.link import LinkCounts
from manyhands.protocol.base import Message
from manyhands.protocol.errors import CallError
from manyhands.protocol.runs.results import EpisodeResult

ACTS = frozenset(("perform", "perform_and_capture"))
"""The calls that send an action. A step has one, or several if its action is a shortcut."""


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """Hold what some processes had used at a moment: CPU seconds and resident bytes, summed up."""

    at: float
    cpu_s: float
    rss: int


def measure_use(pids: Iterable[int]) -> ProcessUse:
    """Return what these processes have used so far."""
    processes = [psutil.Process(pid) for pid in pids]
    times = [process.cpu_times() for process in processes]
    rss = sum(process.memory_info().rss for process in processes)
    return ProcessUse(time.monotonic(), sum(one.user + one.system for one in times), rss)


class ProcessFigures(Message):
    """Hold what the broker, or all gateways, used while the tasks were played."""

    cores: float
    """CPU seconds for each second of the measurement."""
    cpu_ms_per_step: float
    rss_mb_first: float
    rss_mb_last: float

    @classmethod
    def between(cls, first: ProcessUse, last: ProcessUse, steps: int) -> ProcessFigures:
        """Compute the figures of at least one step."""
        cpu_s = last.cpu_s - first.cpu_s
        return cls(
            cores=round(cpu_s / (last.at - first.at), 3),
            cpu_ms_per_step=round(1000 * cpu_s / steps, 2),
            rss_mb_first=round(first.rss / 1e6, 1),
            rss_mb_last=round(last.rss / 1e6, 1),
        )


class CallFigures(Message):
    """Hold the latency of the calls of one method, in milliseconds."""

    method: str
    calls: int
    ms_p50: float
    """From the request to the answer, with the picture decoded."""
    site_ms_p50: float
    """The part of the latency that the gateway itself needs."""
    added_ms_p50: float


class EdgeFigures(Message):
    """Hold the figures of ``bench edge``."""

    tasks: int
    verified: int
    unverified: tuple[str, ...]
    """The tasks that were not verified."""
    seconds: float
    steps: int
    """Steps in which an action was sent."""
    added_ms_p50: float
    """For each call, the round trip minus the gateway's own time; summed over the calls of a step."""
    added_ms_p95: float
    bytes_per_step: float
    """Bytes of all messages in both directions, divided by the steps. Messages that belong to no step count, too."""
    by_method: tuple[CallFigures, ...]
    """The most frequent method first."""
    processes: Mapping[str, ProcessFigures]
    """By name: ``broker`` and ``gateways``."""
    requests: int
    repeats: int
    refusals: int
    malformed: int


def edge_figures(
    took: Sequence[CallLatency],
    counts: Sequence[LinkCounts],
    results: Sequence[EpisodeResult],
    seconds: float,
    used: Mapping[str, tuple[ProcessUse, ProcessUse]],
) -> EdgeFigures:
    """Compute the figures from the calls of all episodes, and from what processes had ``used`` before and after.

    Raises CallError if there was no step.
    """
    added: defaultdict[tuple[str, int], float] = defaultdict(float)
    for call in took:
        added[call.episode, call.step] += call.ms - call.site_ms
    acting = {(call.episode, call.step) for call in took if call.method in ACTS}
    if not acting:
        raise CallError("no step was made: there is nothing to measure")
    steps = [added[step] for step in acting]
    unverified = tuple(result.task for result in results if result.verified is not True)
    return EdgeFigures(
        tasks=len(results),
        verified=len(results) - len(unverified),
        unverified=unverified,
        seconds=seconds,
        steps=len(acting),
        added_ms_p50=median(steps),
        added_ms_p95=quantiles(steps, n=20)[-1] if len(steps) > 1 else steps[0],
        bytes_per_step=sum(one.bytes_in + one.bytes_out for one in counts) / len(acting),
        by_method=_by_method(took),
        processes={name: ProcessFigures.between(*use, len(acting)) for name, use in used.items()},
        requests=sum(one.requests for one in counts),
        repeats=sum(one.repeats for one in counts),
        refusals=sum(one.refusals for one in counts),
        malformed=sum(one.malformed for one in counts),
    )


def _by_method(took: Sequence[CallLatency]) -> tuple[CallFigures, ...]:
    calls: defaultdict[str, list[CallLatency]] = defaultdict(list)
    for call in took:
        calls[call.method].append(call)
    ordered: Mapping[str, list[CallLatency]] = dict(sorted(calls.items(), key=lambda item: -len(item[1])))
    return tuple(
        CallFigures(
            method=method,
            calls=len(of_method),
            ms_p50=median(call.ms for call in of_method),
            site_ms_p50=median(call.site_ms for call in of_method),
            added_ms_p50=median(call.ms - call.site_ms for call in of_method),
        )
        for method, of_method in ordered.items()
    )
