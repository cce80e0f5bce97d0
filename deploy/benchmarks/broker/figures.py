"""Compute what the processes of ``bench broker`` used, and how long answers took."""

from __future__ import annotations

import time
from dataclasses import dataclass

import psutil

from manyhands.protocol.base import Message


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """Hold what a process had used at a moment: CPU seconds and resident bytes."""

    at: float
    cpu_s: float
    rss: int


def sample_process(pid: int) -> ProcessSample:
    """Return what a process has used so far."""
    process = psutil.Process(pid)
    times = process.cpu_times()
    return ProcessSample(time.monotonic(), times.user + times.system, process.memory_info().rss)


class ProcessFigures(Message):
    """Hold what a process used during the measurement."""

    cores: float
    """CPU seconds for each second of the measurement."""
    rss_mb_first: float
    rss_mb_last: float

    @classmethod
    def between(cls, first: ProcessSample, last: ProcessSample) -> ProcessFigures:
        cores = (last.cpu_s - first.cpu_s) / (last.at - first.at)
        return cls(cores=round(cores, 3), rss_mb_first=round(first.rss / 1e6, 1), rss_mb_last=round(last.rss / 1e6, 1))


class LatencyFigures(Message):
    """Hold how long answers took, in milliseconds."""

    count: int
    p50: float
    p95: float
    most: float

    @classmethod
    def of(cls, seconds: list[float]) -> LatencyFigures:
        """Compute the figures of at least one answer, given in seconds."""
        waits = sorted(1000 * each for each in seconds)
        p50, p95 = (waits[min(len(waits) - 1, int(share * len(waits)))] for share in (0.5, 0.95))
        return cls(count=len(waits), p50=round(p50, 1), p95=round(p95, 1), most=round(waits[-1], 1))


class BrokerFigures(Message):
    """Hold what ``bench broker`` measured."""

    seconds: float
    broker: ProcessFigures
    gateways: ProcessFigures
    commands: LatencyFigures
    """Actions, from the request to the answer."""
    pictures: LatencyFigures
    """Pictures, from the request to the last chunk."""
    failed: int
    """Requests without an answer in time, or with an error."""
    states_told: int
    """Messages about phone states and presence that arrived."""
    repeats: int
    malformed: int
    bytes_in: int
    bytes_out: int
