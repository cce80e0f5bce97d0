"""Flows of MiniWoB's pages: made of two scripted plays each, then carried out on other seeds without a model.

The pages were chosen by a rule (``flow_pages``). ``MH_FLOW_SEEDS`` says on how many seeds each flow is carried out.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.deploy.flows.common import FlowSource, make_common_flow
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.simulator.miniwob.pages import html_folder, problem_number
from tests.simulator.adb_client import Adb
from tests.simulator.connecting import connect_phone
from tests.simulator.web.miniwob.flow_pages import FLOW_PAGES, goal_values
from tests.simulator.web.miniwob.playing_model import PlayingModel

try:
    html_folder()
except BadInput as missing:
    pytest.skip(f"{missing}; make test-web-phones", allow_module_level=True)

PHONES, SIZE = 2, "540x1200"
RECORDED = (0, 1)
"""The seeds of which a flow is made."""
OTHERS = range(len(RECORDED), len(RECORDED) + int(os.environ.get("MH_FLOW_SEEDS", "5")))
"""The seeds on which it is carried out."""
SHARE = 0.85
RECORDING = (
    *("--profile", "native", "--dialect", "qwen3-vl", "--elements", "accessibility", "--pictures", "none"),
    *("--without", "planner,shortcuts"),
)
REPLAY = ("--profile", "flow", "--without", "agent", "--mllm-url", "rehearsed")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


@pytest.fixture(scope="module")
def serials(adb: Adb) -> Iterator[Sequence[str]]:
    """Phones with MiniWoB's pages."""
    command = [sys.executable, "-m", "manyhands.simulator.fleet", "--web", "miniwob", "--phones", str(PHONES)]
    options = ["--size", SIZE, "--json", "--until-stdin-closes"]
    with subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as fleet:
        assert fleet.stdin is not None
        assert fleet.stdout is not None
        serials = json.loads(fleet.stdout.readline())["serials"]
        for serial in serials:
            connect_phone(adb.client, serial)
        yield serials
        for serial in serials:
            adb.client.disconnect(serial)
        fleet.stdin.close()
        assert fleet.wait(30) in (0, -signal.SIGALRM)


async def manyhands(*words: str) -> str:
    """Run a command to its end, whatever its exit code."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "manyhands", *words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    return out.decode()


async def run(folder: Path, name: str, tasks: Any, serials: Sequence[str], port: int, *how: str) -> RunFolder:
    """Carry out tasks on the phones, and return the run's folder."""
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(tasks, allow_unicode=True), "utf-8")
    phones = ("--phones", ",".join(serials), "--adb-port", str(port), "--out", str(folder / name), "--json")
    said = await manyhands("run", str(folder / f"{name}.yaml"), *phones, *how)
    assert (folder / name / "summary.json").exists(), said[-3000:]
    return RunFolder(folder / name)


def episodes_of(run: RunFolder) -> Mapping[str, RecordedEpisode]:
    """Return the last episode of each task."""
    found = (episode_of(scan.records) for scan in run.journals.values())
    return {one.started.task.id: one for one in found if one is not None}


def flow_entry(page: str, episodes: Mapping[str, RecordedEpisode]) -> dict[str, Any]:
    """Return the flow of a page as its file has it."""
    recorded = [episodes[f"miniwob.{page}.{seed}"] for seed in RECORDED]
    sources = [FlowSource(one, page, goal_values(page, one.started.task.goal)) for one in recorded]
    return dict(make_common_flow(sources).entry)


def replays(page: str, entry: Mapping[str, Any], tasks: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a page's flow with the values that its goals of other seeds name."""
    for seed in OTHERS:
        values = goal_values(page, tasks[f"miniwob.{page}.{seed}"]["goal"])
        own = {"id": f"{page}.{seed}", "reset_seed": problem_number(page, seed)}
        yield {**entry, **own, **({"variables": {**entry["variables"], **values}} if values else {})}


async def test_flows_of_twenty_pages_earn_their_reward_on_other_seeds(
    serials: Sequence[str], adb: Adb, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.yaml"
    pages = [word for page in FLOW_PAGES for word in ("--page", page)]
    said = await manyhands("suite", "miniwob", str(suite), *pages, "--seeds", str(OTHERS.stop))
    assert suite.exists(), said
    tasks = {task["id"]: task for task in yaml.safe_load(suite.read_text("utf-8"))["tasks"]}
    recorded = [tasks[f"miniwob.{page}.{seed}"] for page in FLOW_PAGES for seed in RECORDED]
    async with PlayingModel(adb.client, serials) as model:
        first = await run(tmp_path, "first", recorded, serials, adb.port, *RECORDING, "--mllm-url", model.url)
    episodes = episodes_of(first)
    assert [name for name, one in episodes.items() if not one.has_passed] == []
    flows = [task for page in FLOW_PAGES for task in replays(page, flow_entry(page, episodes), tasks)]
    second = await run(tmp_path, "second", flows, serials, adb.port, *REPLAY)
    summary = json.loads((second.path / "summary.json").read_text("utf-8"))
    assert sum(role["calls"] for role in summary["model"].values()) == 0
    by_task = summary["by_task"]
    told = "\n".join(f"{row['id']}: {row['verified']} {row['reason']}" for row in by_task)
    assert len(by_task) == len(FLOW_PAGES) * len(OTHERS), told
    assert sum(row["verified"] is True for row in by_task) >= SHARE * len(by_task), told
