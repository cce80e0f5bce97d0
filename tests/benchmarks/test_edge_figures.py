"""What a broker adds to a step is summed over its calls; what belongs to no step is in the bytes."""

from __future__ import annotations

import os

import pytest

from manyhands.actors.edge.link import LinkCounts
from manyhands.actors.edge.mqtt_gateway import CallLatency
from manyhands.benchmarks.edge import EdgeLoad, ProcessFigures, ProcessUse, edge_figures, measure_use
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.runs.results import EpisodeResult


def result(task: str, verified: bool | None) -> EpisodeResult:
    return EpisodeResult(
        episode=f"run-{task}",
        task=task,
        serial="lab/p",
        attempt=1,
        ending=Ending.FINISHED,
        reason="",
        steps=1,
        verified=verified,
        rubrics={},
        started_at=0,
        ended_at=1,
    )


TOOK = (
    CallLatency("capture", "a", 0, 520, 500),
    CallLatency("perform_and_capture", "a", 0, 610, 600),
    CallLatency("state", "a", 0, 15, 13),
    CallLatency("perform_and_capture", "a", 1, 640, 600),
    CallLatency("perform", "b", 0, 130, 120),
    CallLatency("perform", "b", 0, 131, 120),
    CallLatency("reset", "b", 7, 1000, 10),
)

USED = {"broker": (ProcessUse(10.0, 1.0, 50_000_000), ProcessUse(20.0, 4.0, 51_000_000))}


def test_the_use_of_processes_is_summed_up() -> None:
    one, two = measure_use([os.getpid()]), measure_use([os.getpid(), os.getpid()])
    assert one.rss > 10_000_000
    assert two.cpu_s > one.cpu_s > 0


def test_the_calls_of_a_step_are_taken_together() -> None:
    counts = [LinkCounts(bytes_in=500_000, bytes_out=10_000, requests=7, repeats=1), LinkCounts(bytes_in=90_000)]
    figures = edge_figures(TOOK, counts, [result("x", True), result("y", None), result("z", False)], 60, USED)
    assert (figures.steps, figures.added_ms_p50) == (3, 32)  # of 32, 40 and 21 ms; a reset is no step
    assert figures.bytes_per_step == 200_000
    assert (figures.tasks, figures.verified, figures.unverified) == (3, 1, ("y", "z"))
    assert (figures.requests, figures.repeats) == (7, 1)
    acting = next(one for one in figures.by_method if one.method == "perform_and_capture")
    broker = ProcessFigures(cores=0.3, cpu_ms_per_step=1000.0, rss_mb_first=50.0, rss_mb_last=51.0)
    assert figures.processes == {"broker": broker}
    assert (acting.calls, acting.ms_p50, acting.site_ms_p50, acting.added_ms_p50) == (2, 625, 600, 25)


def test_where_no_step_was_made_there_is_nothing_to_tell() -> None:
    with pytest.raises(CallError, match="no step was made"):
        edge_figures(TOOK[:1], [], [], 60, USED)


@pytest.mark.parametrize(("phones", "sites", "shares"), [(4, 2, [2, 2]), (5, 3, [2, 2, 1]), (1, 1, [1])])
def test_phones_are_shared_out(phones: int, sites: int, shares: list[int]) -> None:
    load = EdgeLoad(load_settings({}), (), phones, sites, False, None)  # type: ignore[arg-type]
    assert list(load.shares().values()) == shares
