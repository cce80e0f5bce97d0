"""What `bench broker` tells follows from what was read off the processes and from how long answers took."""

from __future__ import annotations

import os

import pytest

from manyhands.deploy.benchmarks.broker.figures import LatencyFigures, ProcessFigures, ProcessSample, sample_process


def test_cores_are_cpu_time_by_time() -> None:
    found = ProcessFigures.between(ProcessSample(10.0, 1.0, 50_000_000), ProcessSample(20.0, 4.0, 51_000_000))
    assert found == ProcessFigures(cores=0.3, rss_mb_first=50.0, rss_mb_last=51.0)


def test_what_a_process_took_is_read_off() -> None:
    taken = sample_process(os.getpid())
    assert taken.cpu_s > 0
    assert taken.rss > 10_000_000


@pytest.mark.parametrize(
    ("seconds", "waits"),
    [
        ([0.002], LatencyFigures(count=1, p50=2.0, p95=2.0, most=2.0)),
        ([number / 1000 for number in range(100, 0, -1)], LatencyFigures(count=100, p50=51.0, p95=96.0, most=100.0)),
    ],
)
def test_waits_are_summed_up(seconds: list[float], waits: LatencyFigures) -> None:
    assert LatencyFigures.of(seconds) == waits
