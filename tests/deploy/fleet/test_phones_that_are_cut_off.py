"""Every phone's connection is cut in mid-run, as by a network that is gone for 6 s: no task ends for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from manyhands.evaluation.audit import audit_folders
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import EpisodeEnded, EpisodeStarted

SUITE = Path(__file__).parents[3] / "simulator" / "suites" / "everyday.yaml"
TASKS = ("dark_mode", "do_not_disturb", "switch_theme")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_run_goes_on_when_every_phone_was_cut_off_for_6_s(adb_server: tuple[str, int], tmp_path: Path) -> None:
    """Two phones, so that for a while there is none; adb lists no phone by itself that it has lost."""
    chosen = [option for task in TASKS for option in ("--task", task)]
    phones = ["--phones", "virtual:2", "--size", "720x1600", "--cut", "6@3", "--adb-port", str(adb_server[1])]
    options = ["--mllm-url", "rehearsed", "--out", str(tmp_path / "run"), "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "manyhands", "run", str(SUITE), *chosen, *phones, *options],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")},
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["verified"] == len(TASKS), run.stderr
    assert "waiting for phone 127.0.0.1:" in run.stderr
    report = audit_folders(tmp_path / "run")
    assert (report.verdict, report.violations) == ("agrees", ())
    lost: Counter[str] = Counter()
    for scan in RunFolder(tmp_path / "run").journals.values():
        started, ended = scan.records[0], scan.records[-1]
        assert isinstance(started, EpisodeStarted)
        assert isinstance(ended, EpisodeEnded)
        ends = [record.ending for record in scan.records if isinstance(record, EpisodeEnded)]
        assert set(ends) <= {Ending.FINISHED, Ending.PHONE_LOST}
        lost[started.serial] += ends.count(Ending.PHONE_LOST)
    assert len(lost) == 2
    assert sum(lost.values()) >= 2, "each phone was cut off"
    assert {row["attempts"] for row in json.loads(run.stdout)["by_task"]} == {1}
