"""Many canned phones on four nodes: no queue grows. Stand-ins: no figure is one of Qwen-VL or of real phones."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, Self

import pytest

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent, StageRecord
from tests.cluster.cluster import HEAD, PYTHON, WORKERS, Cluster, cluster_of
from tests.cluster.conftest import Tell
from tests.cluster.lab import HOME, Machine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
PHONES = int(os.environ.get("MH_TEST_PHONES", "200"))
SECONDS = float(os.environ.get("MH_TEST_SECONDS", "300"))
LATENCY_S = {"reflect": 3.0, "plan": 4.5, "decide": 4.5, "note": 2.0}
"""With the capture and the wait for a screen at rest, a step takes about 12 s."""
WAITING = ("model_waiting", "perception_waiting", "server_waiting")
MARGIN, SLACK_MS = 0.1, 250.0
"""What the last part may be worse by than the first."""
FOURTH = "192.0.2.13"
RUN = HOME / "run"
PARTS = 5
"""The time is divided into so many parts; the last is compared with the first."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    addresses = (HEAD, *WORKERS, FOURTH)
    labels = {address: {"phones": "yes"} for address in addresses}
    with cluster_of(tmp_path_factory.mktemp("lab"), labels) as cluster:
        cluster.up()
        cluster.nodes(len(addresses), 180)
        yield cluster


def test_no_queue_grows_with_many_phones(cluster: Cluster, tell: Tell) -> None:
    phones = [
        f"{machine.name}/{serial}"
        for machine in cluster.machines
        for serial in _canned("phones", cluster, machine, "--phones", str(PHONES // len(cluster.machines)))["serials"]
    ]
    latencies = [word for role, seconds in LATENCY_S.items() for word in ("--latency", f"{role}={seconds}")]
    model = _canned("model", cluster, cluster.head, "--host", HEAD, *latencies)
    load = cluster.head.start(
        *(PYTHON, "-m", "tests.cluster.canned_load", ",".join(phones), model["url"], str(SECONDS), RUN),
        cwd="/opt/manyhands",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, errors = load.communicate(timeout=SECONDS + 600)
    finally:
        load.kill()
    assert load.returncode == 0, errors
    readings = [reading for reading in map(json.loads, out.splitlines()) if reading.get("all")]
    assert not any(reading["ended"] for reading in readings), readings[-1]["ended"]
    assert {reading["working"] for reading in readings} == {PHONES}
    first, last = (Part.of(cluster.head.path(RUN), since, until) for since, until in _ends(readings))
    tell(f"{PHONES} phones, 4 nodes, the first and the last {SECONDS / PARTS:g} s of {SECONDS:g}:")
    tell(f"  steps {first.steps} and {last.steps}; a step takes {first.step_s:.1f} and {last.step_s:.1f} s")
    stages = (f"{stage} {took:.0f}, {last.stage_ms[stage]:.0f}" for stage, took in first.stage_ms.items())
    tell(f"  stages with their waiting, ms: {'; '.join(stages)}")
    for name in WAITING:
        tell(f"  {name}, every 10 s: {[round(reading[name]) for reading in readings]}")
    assert last.steps >= first.steps * (1 - MARGIN)
    assert last.step_s <= first.step_s * (1 + MARGIN)
    grown = {stage: last.stage_ms[stage] for stage, ms in first.stage_ms.items() if last.stage_ms[stage] > _most(ms)}
    assert not grown, f"stages, with their waiting, take longer at the end: {grown}"


@dataclass(frozen=True)
class Part:
    """What was done in a part of the time."""

    steps: int
    step_s: float
    """From one action of a phone to its next, in the mean."""
    stage_ms: Mapping[str, float]
    """How long each stage took with all its waiting, in the mean."""

    @classmethod
    def of(cls, folder: Path, since: float, until: float) -> Self:
        """Read it from the journals."""
        between: list[float] = []
        stages: dict[str, list[float]] = {}
        steps = 0
        for scan in RunFolder(folder).journals.values():
            actions = [record.at for record in scan.records if isinstance(record, ActionSent)]
            steps += sum(since <= at < until for at in actions)
            between += [later - at for at, later in pairwise(actions) if since <= later < until]
            for record in scan.records:
                if isinstance(record, StageRecord) and since <= record.span.end < until:
                    stages.setdefault(record.stage, []).append((record.span.end - record.span.start) * 1000)
        return cls(steps, mean(between), {stage: mean(took) for stage, took in sorted(stages.items())})


def _most(ms: float) -> float:
    return ms * (1 + MARGIN) + SLACK_MS


def _ends(readings: Sequence[Mapping[str, Any]]) -> Sequence[tuple[float, float]]:
    """Return from when until when the first and the last part are."""
    begin, end = readings[0]["at"], readings[-1]["at"]
    part = (end - begin) / PARTS
    return (begin, begin + part), (end - part, end)


def _canned(what: str, cluster: Cluster, machine: Machine, *options: str) -> dict[str, Any]:
    command: list[str | Path] = [
        PYTHON,
        "-m",
        f"manyhands.simulator.canned.{what}",
        *options,
        "--json",
        "--until-stdin-closes",
    ]
    return cluster.serve(machine, *command)
