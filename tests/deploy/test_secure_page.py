"""A run meets a page that forbids screenshots: the operator is told so, and goes on from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from evaluation.run_folder import RunFolder
from protocol.records import Perceived
from protocol.sections import Section, parse_element_line
from tests.deploy.scripted_model import scripted_model

SAID = "forbids screenshots"


class Curious:
    """Opens the browser's page of passwords and goes back from it, because it is told that it cannot look at it."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        """What the operator was shown of each screen."""

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        if reply == "PlanReply":
            status = "finished" if len(self.seen) == 3 else "continue"
            return {"thought": "", "plan": "Look", "change": "keep", "subgoal": "Look", "status": status}
        if reply == "ReflectReply":
            return {"outcome": "A", "error": "", "progress": ""}
        if reply == "NoteReply":
            return {"notes": ""}
        screen = sections[Section.SCREEN]
        self.seen.append(screen)
        return {"thought": "", "action": self._action(screen), "expectation": ""}

    def _action(self, screen: str) -> dict[str, Any]:
        if SAID in screen:
            return {"name": "Back"}
        listed = [item for line in screen.splitlines() if (item := parse_element_line(line)) is not None]
        for item in listed:
            if item.content == "Saved passwords":
                return {"name": "Tap", "x": item.x, "y": item.y}
        return {"name": "Open_App", "app": "Browser"}


def test_the_operator_is_told_of_a_page_that_forbids_screenshots(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    model = Curious()
    page = {"path": "foreground.page", "equals": "start"}
    task = {"id": "look", "goal": "Look", "check": {"source": "content://manyhands.simulator/state", "holds": page}}
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(yaml.safe_dump([task]), encoding="utf-8")
    with scripted_model(model) as url:
        command = [sys.executable, "-m", "deploy.cli", "run", str(tasks), "--json", "--phones", "virtual:1"]
        given = ["--size", "720x1600", "--mllm-url", url, "--adb-port", str(adb_server[1])]
        done = subprocess.run(
            [*command, *given, "--out", str(tmp_path / "run")],
            capture_output=True,
            text=True,
            timeout=110,
            env={**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")},
        )
    assert done.stdout, done.stderr
    assert json.loads(done.stdout)["verified"] == 1, done.stderr
    assert [SAID in screen for screen in model.seen] == [False, False, True]
    (journal,) = RunFolder(tmp_path / "run").journals.values()
    screens = [record.screen for record in journal.records if isinstance(record, Perceived)]
    assert [screen.black is not None for screen in screens] == [False, False, True, False]
