"""What does not fit in a real cluster is said at once by a run, in one line, and by the doctor, in a table."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.simulator.canned.server import CannedServer
from manyhands.simulator.serving.settings import ServerSettings
from tests.deploy.cluster.head import Head, ray_head
from tests.deploy.cluster.nodes.several import joining_node, out_of_step

# A cluster of its own, and commands that join it: a minute and a half.
pytestmark = [pytest.mark.ray, pytest.mark.slow, pytest.mark.timeout(400)]

AHEAD_S, UNSURE_S = 1000.0, 60.0
"""How far a node's clock is ahead, and by how much a busy machine may measure it wrongly: half of a round trip."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Head]:
    """Two nodes of one kind."""
    with ray_head() as head, joining_node(head, "gpu=no,rack=7"):
        yield head


async def manyhands(head: Head, folder: Path, *words: str) -> tuple[int, str, str, float]:
    """Return the exit code, what was said, what was complained of, and the seconds that it took."""
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "manyhands", *words, "--ray-address", head.address),
        env={**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(head.token), "HOME": str(folder)},
        cwd=folder,  # Ray has nodes look there for modules first: a checkout would be found before what they have
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        limit=2**20,
    )
    out, complaints = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode or 0, out.decode(), complaints.decode(), time.monotonic() - began


def seconds(pattern: str, said: str) -> float:
    """Return the seconds that ``pattern`` finds in what was said."""
    match = re.search(pattern, said)
    assert match is not None, said
    return float(match[1])


async def refused(head: Head, folder: Path, port: int, *words: str) -> str:
    """What a run says that is refused: one line, exit code 2, no folder left."""
    goal = ("run", "--goal", "Turn on dark mode.", "--phones", "virtual:1", "--adb-port", str(port))
    code, said, complaints, _ = await manyhands(head, folder, *goal, *words, "--json", "--out", str(folder / "out"))
    assert (code, complaints.splitlines()) == (2, []), complaints
    assert not (folder / "out").exists()
    return str(json.loads(said)["error"])


async def test_labels_that_no_node_has_and_a_model_that_nobody_else_reaches(
    cluster: Head, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump({"perception_labels": {"gpu": "yes"}}))
    said = await refused(cluster, tmp_path, adb_server[1], "--mllm-url", "rehearsed", "--config", str(config))
    assert said == (
        "perception_labels: no node has gpu=yes; there are gpu=no (1 of 2 nodes), rack=7 (1 of 2 nodes); "
        "for a cluster that grows, set node_wait_s"
    )
    async with CannedServer(ServerSettings()) as model:
        said = await refused(cluster, tmp_path, adb_server[1], "--mllm-url", model.url)
    assert said.startswith(
        f"--mllm-url {model.url}: only this machine can reach that, and the cluster has 1 other node"
    )


async def test_the_doctor_tells_of_every_node_and_finds_the_one_that_does_not_fit(
    cluster: Head, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    code, said, _, _ = await manyhands(cluster, tmp_path, "doctor", "--json")
    report: dict[str, Any] = json.loads(said)
    assert (code, report["fits"], len(report["nodes"])) == (0, True, 2)
    for node in report["nodes"]:
        assert abs(node["clock_off_s"]) < UNSURE_S
        assert len(node["files"]) >= 3  # weights
        assert node["misfits"] == []

    with joining_node(cluster, "rack=8", **out_of_step(tmp_path / "other", "9.9.9", AHEAD_S)):
        code, said, _, _ = await manyhands(cluster, tmp_path, "doctor")
        assert code == 2
        *rows, version, clock = said.splitlines()
        assert len(rows) == 4  # a header, and three nodes
        (row,) = [row for row in rows if "rack=8" in row]
        assert "9.9.9" in row
        assert seconds(r"\+(\d+\.\d+) s", row) == pytest.approx(AHEAD_S, abs=UNSURE_S)
        assert "has manyhands 9.9.9, this machine 0.1.0" in version
        assert seconds(r"its clock is (\d+\.\d+) s ahead of ours; let both follow NTP", clock) == pytest.approx(
            AHEAD_S, abs=UNSURE_S
        )
        said = await refused(cluster, tmp_path, adb_server[1], "--mllm-url", "rehearsed")
        assert said.startswith("the cluster does not fit: ")
        assert "has manyhands 9.9.9, this machine 0.1.0; " in said
        assert " s ahead of ours" in said


async def test_the_rehearsed_model_is_reached_from_other_nodes(
    cluster: Head, adb_server: tuple[str, int], tmp_path: Path
) -> None:
    words = ("--goal", "Turn on dark mode.", "--phones", "virtual:1", "--adb-port", str(adb_server[1]))
    code, said, complaints, _ = await manyhands(
        cluster, tmp_path, "run", *words, "--mllm-url", "rehearsed", "--json", "--out", str(tmp_path / "out")
    )
    assert code == 0, complaints
    (row,) = json.loads(said)["by_task"]
    assert (row["finished"], row["attempts"]) == ("finished", 1)
    asked = yaml.safe_load((tmp_path / "out" / "run.yaml").read_text())["models"]
    (url,) = {url for model in asked.values() for url in model["servers"]}
    assert "127.0.0.1" not in url  # its actors were on both nodes
