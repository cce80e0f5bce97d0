"""A run with ``--redact`` verifies its task, every command reads it, and what was typed is in none of its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from manyhands.actors.frames import is_painted
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import EpisodeStarted
from tests.deploy.command_line.called import manyhands
from tests.deploy.fleet.test_typing_path import Texter
from tests.deploy.scripted_model import scripted_model

TEXT = "https://example.org//a/b?q=1&r=%20#part-2"
TASK = {
    "id": "url",
    "goal": "Send to Alice Carter the text url",
    "reset_seed": 1,
    "check": {
        "source": "content://manyhands.simulator/state",
        "holds": {"path": "messages.threads.*.messages.*.text", "equals": TEXT},
    },
}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_redacted_run_is_verified_and_read(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    (tmp_path / "tasks.yaml").write_text(yaml.safe_dump([TASK]), encoding="utf-8")
    (tmp_path / "redact.yaml").write_text("texts: [Alice Carter]")
    run = tmp_path / "run"
    environment = {**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    with scripted_model(Texter()) as url:
        words = ["tasks.yaml", "--redact", "redact.yaml", "--phones", "virtual:1", "--out", "run", "--json"]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "manyhands", "run", *words),
                *("--mllm-url", url, "--adb-port", str(adb_server[1])),
            ],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == 0, done.stderr
        assert [row["verified"] for row in json.loads(done.stdout)["by_task"]] == [True]
    for words in (["report", run], ["audit", run], ["results", run]):
        assert manyhands(*words).returncode == 0, words
    screens = [path.read_bytes() for path in run.glob("screens/*.png")]
    assert 0 < sum(map(is_painted, screens)) < len(screens)
    for scan in RunFolder(run).journals.values():
        for record in scan.records:
            text = record.model_dump_json()
            assert isinstance(record, EpisodeStarted) or ("example.org" not in text and "Alice" not in text), record
    for path in run.rglob("*"):
        is_named = path.name in ("run.yaml", "journal.mh", "start.mh") or path.suffix in (".html", ".db", ".sqlite")
        if path.is_file() and not is_named:
            content = path.read_bytes()
            assert b"example.org" not in content, path
            assert b"Alice" not in content, path
