"""A run with captions: what a model says of icons stands on the screens of all phones, and is asked once."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from evaluation.run_folder import RunFolder
from protocol.records import Perceived
from protocol.replies import MOST_CAPTIONS
from protocol.sections import Section
from tests.deploy.scripted_model import scripted_model

SUITE = Path(__file__).parents[2] / "simulator" / "suites" / "everyday.yaml"
TASKS = ("dark_mode", "do_not_disturb")


class Namer:
    """Calls each icon of its picture something that it has called no other."""

    def __init__(self) -> None:
        self.pictures = 0

    def __call__(self, reply: str, _: Mapping[Section, str]) -> dict[str, Any]:
        assert reply == "CaptionReply"
        self.pictures += 1
        numbers = range(1, MOST_CAPTIONS + 1)
        return {"icons": [{"number": number, "name": f"thing {self.pictures} {number}"} for number in numbers]}


def test_icons_of_a_run_have_the_names_that_a_model_gave_them(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    namer = Namer()
    with scripted_model(namer) as url:
        config = tmp_path / "config.yaml"
        settings = {
            "phones": ["virtual:2"],
            "virtual": {"size": "720x1600"},
            "mllm_url": ["rehearsed"],
            "models": {"caption": {"url": [url]}},
            "perception": {"names": {"on": False}},
            "episode": {"captions": True, "caption_wait_s": 30},
            "adb_port": adb_server[1],
            "state_dir": str(tmp_path / "state"),
            "out": str(tmp_path / "run"),
        }
        config.write_text(yaml.safe_dump(settings), encoding="utf-8")
        chosen = [option for task in TASKS for option in ("--task", task)]
        done = subprocess.run(
            [sys.executable, "-m", "deploy.cli", "run", str(SUITE), *chosen, "--config", str(config)],
            capture_output=True,
            text=True,
            timeout=110,
            env=os.environ,
        )
    assert done.returncode == 0, done.stderr
    journals = RunFolder(tmp_path / "run").journals.values()
    assert len(journals) == len(TASKS)
    first = []
    for journal in journals:
        screens = [record.screen for record in journal.records if isinstance(record, Perceived)]
        names = [[icon.content for icon in screen.elements if icon.kind == "icon"] for screen in screens]
        assert all(itertools.chain(*names))
        first.append(names[0])
    # Both phones begin at home: whoever saw an icon first, its name is the same on both.
    assert len(first[0]) >= 8
    assert len(set(first[0]) & set(first[1])) >= 0.8 * len(first[0])
    assert 1 <= namer.pictures <= 8
    for said in (done.stdout, done.stderr):
        assert "no captions" not in said
