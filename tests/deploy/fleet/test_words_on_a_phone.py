"""v1 on a virtual phone: texts found 0, 1, 3 and 6 times, an icon without a name, a Stop too early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.deploy.replay import Pictures
from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import Acted, ActionSent, StageResult
from manyhands.protocol.roles.sections import Section
from tests.deploy.scripted_model import scripted_model

OPERATIONS: tuple[dict[str, Any], ...] = (
    {"name": "Open_App", "app": "Notes"},
    {"name": "Click_Icon", "description": "a shape that nobody has named", "position": "bottom right"},
    {"name": "Click_Text", "text": "Write something"},
    {"name": "Type", "text": "Zebra\nZebra\nZebra\nend"},
    {"name": "Click_Text", "text": "Quagga"},
    {"name": "Click_Text", "text": "Zebra"},
    {"name": "Type", "text": "\nZebra\nZebra\nZebra\nover"},
    {"name": "Click_Text", "text": "Zebra"},
    {"name": "Click_Text", "text": "Save"},
    {"name": "Stop"},
    {"name": "Exit"},
    {"name": "Stop"},
)
TASK = {
    "id": "zebras",
    "goal": "Write about zebras.",
    "reset_seed": 0,
    "check": {
        "source": "content://manyhands.simulator/state",
        "holds": {"path": "notes.items.0.body", "contains": "Zebra"},
    },
}


class Agent:
    """Goes through its operations; it stops too early once."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        if not sections.get(Section.GOAL):  # a trial request
            return {}
        self.asked.append(reply)
        if reply == "ChooseReply":
            return {"thought": "The second.", "choice": "2"}
        if reply == "CompleteReply":
            status = "complete" if self.asked.count(reply) == 2 else "incomplete"
            return {"thought": "I look again.", "status": status, "missing": ""}
        return {"observation": "", "thought": "", "action": OPERATIONS[self.asked.count(reply) - 1]}


@pytest.mark.slow
def test_texts_icons_and_a_stop_too_early(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(yaml.safe_dump([TASK]), encoding="utf-8")
    agent = Agent()
    with scripted_model(agent) as url:
        command = [sys.executable, "-m", "manyhands", "run", str(file), "--json", "--phones", "virtual:1"]
        port = ["--adb-port", str(adb_server[1])]
        done = subprocess.run(
            [*command, "--profile", "v1", "--mllm-url", url, "--out", str(tmp_path / "run"), *port],
            capture_output=True,
            text=True,
            timeout=240,
            env={**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")},
        )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["by_task"]
    assert (row["finished"], row["verified"], row["steps"]) == ("finished", True, len(OPERATIONS))
    assert agent.asked.count("CompleteReply") == 2

    run = RunFolder(tmp_path / "run")
    (journal,) = run.journals.values()
    found = {one.step: one.data for one in journal.records if isinstance(one, StageResult) and one.stage == "locate"}
    assert {step: data["found"] for step, data in found.items() if data["kind"] == "text"} == {
        2: 1,
        4: 0,
        5: 3,
        7: 6,
        8: 1,
    }
    assert "position" in found[1]["ways"]  # type: ignore[operator]
    assert found[5]["choice"] == 2
    problems = {one.step: one.problem for one in journal.records if isinstance(one, Acted) and one.problem}
    assert problems == {
        4: "the text 'Quagga' is not on the screen",
        7: "the text 'Zebra' stands on the screen 6 times: too often",
    }
    sent = [one.action.name for one in journal.records if isinstance(one, ActionSent)]
    assert sent == ["Open_App", "Tap", "Tap", "Type", "Tap", "Type", "Tap", "Home"]

    pictures = Pictures(run)
    for call in recorded_calls(run):
        assert pictures.of(call.call.request)
