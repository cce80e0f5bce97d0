"""One task of `bench edge`: it is verified through a real broker, and what broker and gateway used is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_a_task_is_verified_and_processes_are_measured(tmp_path: Path) -> None:
    words = ["bench", "edge", "--phones", "1", "--sites", "1", "--tasks", "dark_mode", "--size", "360x800", "--json"]
    command = [sys.executable, "-m", "manyhands", *words, "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["verified"], figures["malformed"]) == (1, 0)
    assert set(figures["processes"]) == {"broker", "gateways"}
    assert 0 < figures["processes"]["broker"]["cores"] < 2
    assert figures["processes"]["gateways"]["rss_mb_last"] > 50
