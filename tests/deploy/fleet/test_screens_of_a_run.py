"""One run, by what its roles are shown: a page that forbids screenshots, captions from a model, tips from a file."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.actors.memory import write_shortcuts
from manyhands.deploy.fleet.run_files.recorded_run import read_recorded
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import EpisodeStarted, Perceived
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.roles.role import MOST_CAPTIONS
from manyhands.protocol.roles.sections import Section
from manyhands.protocol.screens.element_rows import parse_elements
from manyhands.protocol.screens.screen import Screen
from tests.deploy.scripted_model import scripted_model

SAID = "forbids screenshots"
GOALS = ("Look at one", "Look at two")
PEEK = Shortcut(name="Peek", precondition="A list is shown.", steps=(ShortcutStep(name="Back"),))


class Curious:
    """Opens the browser's page of passwords and goes back from it, because it is told that it cannot look at it."""

    def __init__(self) -> None:
        self.seen: defaultdict[str, list[str]] = defaultdict(list)
        """By goal, what the operator was shown of each screen."""
        self.tips: defaultdict[str, set[str]] = defaultdict(set)
        """By goal, the tips and the shortcuts that any role was told."""

    def __call__(self, reply: str, sections: Mapping[Section, str]) -> dict[str, Any]:
        goal = sections.get(Section.GOAL, "").strip()
        seen = self.seen[goal]  # a trial request has no goal and no screen
        self.tips[goal] |= {sections.get(section, "").strip() for section in (Section.TIPS, Section.SHORTCUTS)}
        if reply == "PlanReply":
            status = "finished" if len(seen) == 3 else "continue"
            return {"thought": "", "plan": "Look", "change": "keep", "subgoal": "Look", "status": status}
        if reply == "ReflectChangeReply":
            return {"change": "", "outcome": "A", "error": "", "progress": ""}
        if reply == "AddedNotesReply":
            return {"notes": ""}
        screen = sections.get(Section.SCREEN, "")
        seen.append(screen)
        return {"thought": "", "action": self._action(screen), "expectation": ""}

    def _action(self, screen: str) -> dict[str, Any]:
        if SAID in screen:
            return {"name": "Back"}
        for item in parse_elements(screen):
            if item.content == "Saved passwords":
                return {"name": "Tap", "x": item.x, "y": item.y}
        return {"name": "Open_App", "app": "Browser"}


class Namer:
    """Calls each icon of its picture something that it has called no other."""

    def __init__(self) -> None:
        self.pictures = 0

    def __call__(self, reply: str, _: Mapping[Section, str]) -> dict[str, Any]:
        assert reply == "CaptionReply"
        self.pictures += 1
        numbers = range(1, MOST_CAPTIONS + 1)
        return {"icons": [{"number": number, "name": f"thing {self.pictures} {number}"} for number in numbers]}


@dataclass(frozen=True)
class Run:
    folder: Path
    operator: Curious
    namer: Namer
    output: str
    errors: str
    screens: list[list[Screen]]
    """Of each episode, in their order."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, adb_server: tuple[str, int]) -> Run:
    """Of two phones that look at the same pages, with a model for captions of its own; starting takes most of it."""
    folder = tmp_path_factory.mktemp("screens")
    page = {"path": "foreground.page", "equals": "start"}
    check = {"source": "content://manyhands.simulator/state", "holds": page}
    tasks = folder / "tasks.yaml"
    tasks.write_text(yaml.safe_dump([{"id": goal.split()[-1], "goal": goal, "check": check} for goal in GOALS]))
    (folder / "tips.txt").write_text("0. Passwords are shown in the dark.\n")
    (folder / "shortcuts.json").write_text(write_shortcuts([PEEK]))
    operator, namer = Curious(), Namer()
    with scripted_model(operator) as operating, scripted_model(namer) as naming:
        config = folder / "config.yaml"
        settings = {
            "phones": ["virtual:2"],
            "virtual": {"size": "720x1600"},
            "mllm_url": [operating],
            "models": {"caption": {"url": [naming]}},
            "perception": {"names": {"on": False}},
            "episode": {"captions": True, "caption_wait_s": 30},
            "tips": str(folder / "tips.txt"),
            "shortcuts": str(folder / "shortcuts.json"),
            "adb_port": adb_server[1],
            "state_dir": str(folder / "state"),
            "out": str(folder / "run"),
        }
        config.write_text(yaml.safe_dump(settings), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "manyhands", "run", str(tasks), "--json", "--config", str(config)],
            capture_output=True,
            text=True,
            timeout=110,
            env=os.environ,
        )
    assert done.returncode == 0, done.stderr
    journals = RunFolder(folder / "run").journals.values()
    screens = [[record.screen for record in journal.records if isinstance(record, Perceived)] for journal in journals]
    return Run(folder / "run", operator, namer, done.stdout, done.stderr, screens)


@pytest.mark.slow
def test_the_operator_is_told_of_a_page_that_forbids_screenshots(run: Run) -> None:
    assert json.loads(run.output)["verified"] == len(GOALS), run.errors
    for goal in GOALS:  # it was asked another question before the first task
        assert [SAID in screen for screen in run.operator.seen[goal]] == [False, False, True]
    assert len(run.screens) == len(GOALS)
    for screens in run.screens:
        assert [screen.black is not None for screen in screens] == [False, False, True, False]


@pytest.mark.slow
def test_icons_of_a_run_have_the_names_that_a_model_gave_them(run: Run) -> None:
    names = [
        [[icon.content for icon in screen.elements if icon.kind == "icon"] for screen in screens]
        for screens in run.screens
    ]
    assert all(itertools.chain.from_iterable(itertools.chain.from_iterable(names)))
    # Both phones begin at home: whoever saw an icon first, its name is the same on both.
    one, other = (episode[0] for episode in names)
    assert len(one) >= 8
    assert len(set(one) & set(other)) >= 0.8 * len(one)
    assert 1 <= run.namer.pictures <= 8
    for said in (run.output, run.errors):
        assert "no captions" not in said


@pytest.mark.slow
def test_tasks_know_the_lessons_of_their_files_also_after_a_resume(run: Run) -> None:
    for goal in GOALS:
        (tips,) = (text for text in run.operator.tips[goal] if "Passwords are shown in the dark." in text)
        assert "Never enter payment data." in tips
        assert any("Peek" in text and "A list is shown." in text for text in run.operator.tips[goal])
    journals = RunFolder(run.folder).journals.values()
    known, *others = [record.memory for one in journals for record in one.records if isinstance(record, EpisodeStarted)]
    assert others == [known]
    assert (len(known.tips), known.tips[-1]) == (5, "Passwords are shown in the dark.")
    assert known.shortcuts[-1] == PEEK
    assert read_recorded(run.folder, {}).memory == known
