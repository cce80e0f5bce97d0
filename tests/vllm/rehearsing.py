"""Runs with the rehearsed model on virtual phones, whose prompts are sent to a real engine afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.evaluation.run_folder import RunFolder

SUITE = Path(__file__).parents[2] / "simulator" / "suites" / "everyday.yaml"
LONGEST_S = 400


def rehearsed_run(folder: Path, adb_port: int, tasks: Sequence[str], *options: str) -> RunFolder:
    """Carry out tasks of the everyday suite on two phones, and return the run's folder."""
    command = [sys.executable, "-m", "manyhands", "run", str(SUITE), "--phones", "virtual:2"]
    command += ["--mllm-url", "rehearsed", "--adb-port", str(adb_port), "--out", str(folder / "run"), *options]
    command += [word for task in tasks for word in ("--task", task)]
    environment = {**os.environ, "MANYHANDS_STATE_DIR": str(folder / "state")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode in (0, 1), done.stderr
    return RunFolder(folder / "run")
