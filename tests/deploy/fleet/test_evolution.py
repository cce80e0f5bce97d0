"""Runs whose tasks learn: on one phone, then on one of another size, then tasks that no scenario had."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.records import Learned, Recalled, StageResult
from manyhands.protocol.roles import Role
from manyhands.simulator.suites import HERE

LEARNED = {"Write_Titled_Note", "Delete_Note", "Turn_On_Switch", "Send_Message"}


def manyhands(*arguments: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_scenarios_teach_is_used_on_another_phone_and_for_other_tasks(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    memory = tmp_path / "fleet.memory"

    def run(suite: str, name: str, *options: str | Path) -> RunFolder:
        fleet = ("--phones", "virtual:1", "--mllm-url", "rehearsed", "--adb-port", str(adb_server[1]))
        out = ("--profile", "e+evo", "--memory", memory, "--out", tmp_path / name)
        said = manyhands("run", HERE / suite, *fleet, *out, *options)
        assert said["verified"] == said["tasks"]
        assert manyhands("audit", tmp_path / name)["verdict"] == "agrees"
        return RunFolder(tmp_path / name)

    first = run("evolution.yaml", "first")
    assert used(first) >= LEARNED
    known = manyhands("memory", "list", memory)
    assert {one["shortcut"]["name"] for one in known["shortcuts"]} == LEARNED
    assert len([one for one in records(first) if isinstance(one, Learned) and one.taken is not None]) == 10

    other_size = run("evolution.yaml", "other-size", "--size", "720x1600")
    assert used(other_size) >= LEARNED
    assert len(recorded_calls(other_size)) < len(recorded_calls(first))
    assert {one["id"] for one in manyhands("memory", "list", memory)["shortcuts"]} == {
        one["id"] for one in known["shortcuts"]
    }

    for one in (*known["tips"], *known["shortcuts"]):
        manyhands("memory", "promote", memory, one["id"])
    settings = tmp_path / "settings.yaml"
    settings.write_text("memory_tokens: 450\n", encoding="utf-8")
    unseen = run("unseen.yaml", "unseen", "--config", settings)
    assert used(unseen) >= {"Turn_On_Switch", "Delete_Note", "Send_Message", "Write_Titled_Note"}
    assert Counter(call.role for call in recorded_calls(unseen))[Role.RECALL] >= 2
    assert all(one.left_out for one in records(unseen) if isinstance(one, Recalled))


def records(run: RunFolder) -> list[Any]:
    return [one for journal in run.journals.values() for one in journal.records]


def used(run: RunFolder) -> set[str]:
    """Return the names of the shortcuts that were carried out and did what they were meant to."""
    reports = [one.data["use"] for one in records(run) if isinstance(one, StageResult) and one.stage == "watch"]
    return {use["shortcut"].rsplit("-", 1)[0] for use in reports if use["outcome"] == "worked"}
