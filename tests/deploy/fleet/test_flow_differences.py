"""Flows on phones that differ from the one of the recording: nothing wrong is touched, and most are carried on.

The differences are planted on virtual phones (``simulator.phone.content.planted``), one for each seed. The agent is the
rehearsed model, which knows its apps by their words: where a word that it looks for is another one, it gives up.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adbutils
import pytest
import yaml

from manyhands.actors.phones.adb.dumps import json_row
from manyhands.actors.policy.letters import normalise
from manyhands.actors.profiles.flow.targets import DISMISSALS
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent, StageResult
from manyhands.protocol.profiles.flow import FlowMove
from tests.actors.profiles.flow.differences import DIFFERENCES, SEEDS, WITHOUT_HARM, Difference, suite
from tests.deploy.fleet.planted_phones import planted_phones

PROVIDER = "content://manyhands.simulator"
PHONES = 3


@dataclass(frozen=True)
class Outcomes:
    """What a run came to: its rows, its episodes, and what the phones' inputs reached, by their keys."""

    rows: Mapping[str, Any]
    episodes: Mapping[str, RecordedEpisode]
    reached: Mapping[str, Sequence[str]]

    def moves(self, name: str) -> Mapping[int, FlowMove]:
        results = (one for one in self.episodes[name].records if isinstance(one, StageResult))
        return {one.step: move for one in results if (move := one.read(FlowMove)) is not None}

    def sent(self, name: str) -> Iterator[ActionSent]:
        return (one for one in self.episodes[name].records if isinstance(one, ActionSent))

    def touched(self, name: str) -> list[str]:
        return [what for one in self.sent(name) for what in self.reached.get(one.key, ())]


@pytest.fixture(scope="module")
def outcomes(adb_server: tuple[str, int], tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    folder, server = tmp_path_factory.mktemp("differences"), adbutils.AdbClient(*adb_server)
    (folder / "tasks.yaml").write_text(yaml.safe_dump(suite(), allow_unicode=True), "utf-8")
    planted = {SEEDS[one.name]: one.planted for one in DIFFERENCES}
    with planted_phones(server, planted, PHONES, folder) as serials:
        rows = _run(folder, serials, adb_server[1])
        reached: dict[str, Sequence[str]] = {}
        for serial in serials:
            answer = str(server.device(serial=serial).shell(f"content query --uri {PROVIDER}/reached"))
            reached |= {row["key"]: row["reached"] for row in json_row(answer, PROVIDER)["rows"] if row["key"]}
    found = (episode_of(scan.records) for scan in RunFolder(folder / "run").journals.values())
    episodes = {one.started.task.id: one for one in found if one is not None}
    return Outcomes({row["id"]: row for row in rows}, episodes, reached)


def _run(folder: Path, serials: Sequence[str], adb_port: int) -> Any:
    phones = ("--phones", ",".join(serials), "--adb-port", str(adb_port))
    profile = ("--profile", "flow", "--mllm-url", "rehearsed")
    words = ("run", str(folder / "tasks.yaml"), *phones, *profile, "--out", str(folder / "run"), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words], capture_output=True, text=True, timeout=800, check=False
    )
    assert (folder / "run" / "summary.json").exists(), f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return json.loads((folder / "run" / "summary.json").read_text("utf-8"))["by_task"]


pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif("MH_FLOW_DIFFERENCES" not in os.environ, reason="for an idle machine: MH_FLOW_DIFFERENCES=1"),
]


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.name)
def test_a_difference(one: Difference, outcomes: Outcomes) -> None:
    row, moves = outcomes.rows[one.name], outcomes.moves(one.name)
    touched = outcomes.touched(one.name)
    told = f"{row}\n{[(at, move.kind, move.step, move.reason) for at, move in moves.items()]}\n{touched}"
    asked = [move for move in moves.values() if move.kind == "agent"]
    assert not row["unexpected_changes"], told
    assert all(str(WITHOUT_HARM["path"]) not in test["expected"] for test in row["unmet"]), told
    assert not [what for what, words in itertools.product(touched, one.never) if words in what], told
    by = "nobody" if not row["verified"] else "agent" if asked else "flow"
    assert by == one.by or (one.by == "either" and by != "nobody"), told
    assert by == "flow" or all(move.reason for move in asked), told
    assert by != "nobody" or row["reason"], told


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.name)
def test_the_flow_touches_what_it_names_and_nothing_else(one: Difference, outcomes: Outcomes) -> None:
    steps, moves = outcomes.episodes[one.name].started.task.flow, outcomes.moves(one.name)
    assert steps is not None
    for sent in outcomes.sent(one.name):
        move, reached = moves.get(sent.step), outcomes.reached.get(sent.key, ())
        if move is None or sent.action.name not in ("Tap", "Long_Press"):
            continue
        target = steps.steps[move.step].action.target if move.kind == "step" else None
        if target is not None and target.kind == "text":
            assert all(target.text in what.replace(" | ", " ") for what in reached), (target.words, reached)
        if move.kind == "dismiss":
            assert all(any(word in normalise(what) for word in DISMISSALS) for what in reached), reached


def test_at_least_fifteen_are_verified(outcomes: Outcomes) -> None:
    assert sum(row["verified"] is True for row in outcomes.rows.values()) >= 15
