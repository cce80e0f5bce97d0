"""Runs of profile e+evo on virtual phones with the rehearsed model, and what their journals say of shortcuts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent, StageResult
from manyhands.protocol.roles.lessons import ShortcutUseReport

Records = list[Any]


def manyhands(*arguments: str | Path, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Return what a command printed as JSON. ``codes``: the exit codes that are expected."""
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in codes, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


class LearningRuns:
    """Runs that share a memory, and an adb server."""

    def __init__(self, folder: Path, adb_port: int) -> None:
        self.folder = folder
        self.memory = folder / "fleet.memory"
        self._adb_port = adb_port

    def run(self, suite: Path, name: str, *options: str | Path, verified: bool = True) -> RunFolder:
        """Carry out tasks of a suite. ``verified``: whether all of them have to be."""
        fleet = ("--phones", "virtual:1", "--mllm-url", "rehearsed", "--adb-port", str(self._adb_port))
        profile = ("--profile", "e+evo", "--memory", self.memory, "--out", self.folder / name)
        said = manyhands("run", suite, *fleet, *profile, *options, codes=(0,) if verified else (0, 1))
        assert not verified or said["verified"] == said["tasks"]
        assert manyhands("audit", self.folder / name)["verdict"] == "agrees"
        return RunFolder(self.folder / name)


def records(run: RunFolder) -> Records:
    return [one for journal in run.journals.values() for one in journal.records]


def episode(run: RunFolder, task: str) -> Records:
    """Return the records of the one episode of a task."""
    (journal,) = [journal for name, journal in run.journals.items() if name.rsplit("-", 2)[0] == task]
    return list(journal.records)


def uses(of: Records) -> list[ShortcutUseReport]:
    """Return the uses of shortcuts that were reported, in their order."""
    return [
        ShortcutUseReport.model_validate(one.data)
        for one in of
        if isinstance(one, StageResult) and one.stage == "watch"
    ]


def worked(run: RunFolder) -> set[str]:
    """Return the names of the shortcuts that did what they were meant to."""
    return {one.use.shortcut.rsplit("-", 1)[0] for one in uses(records(run)) if one.use.outcome == "worked"}


def sent(episode: Records, step: int) -> list[str]:
    """Return the names of the actions of a step that were sent."""
    return [one.action.name for one in episode if isinstance(one, ActionSent) and one.step == step]
