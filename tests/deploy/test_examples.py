"""The examples of the public API run and do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(
    ("example", "says"), [("one_goal.py", "finished after 3 steps"), ("batch.py", "2 of 2 verified")]
)
def test_example(example: str, says: str, adb_server: tuple[str, int], tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "MANYHANDS_ADB_PORT": str(adb_server[1]),
        "MANYHANDS_STATE_DIR": str(tmp_path / "state"),
        "MANYHANDS_OUT": str(tmp_path / "run"),
    }
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / example)], capture_output=True, text=True, timeout=110, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
