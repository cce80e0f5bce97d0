"""What phones log while a run goes on lies beside their journals, and the report gives it the times of the steps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import ActionSent, EpisodeEnded
from manyhands.protocol.phones import LogHeader, lines_in_unix_time

GOALS = ("Turn on dark mode.",)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("logs", [True, False])
def test_logs_lie_beside_the_steps(tmp_path: Path, logs: bool) -> None:
    command = [sys.executable, "-m", "manyhands.deploy.command_line.cli", "run", "--phones", "virtual:2"]
    command += ["--mllm-url", "rehearsed", "--out", str(tmp_path / "run"), *(["--logcat"] if logs else [])]
    command += [word for goal in GOALS for word in ("--goal", goal)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=380, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunFolder(tmp_path / "run")
    files = sorted(run.path.glob("episodes/*/logcat.txt"))
    assert len(files) == (len(GOALS) if logs else 0)
    for file in files:
        journal = run.journal(file.parent.name)
        assert journal is not None
        sent = [record.at for record in journal.records if isinstance(record, ActionSent)]
        (ended,) = [record.at for record in journal.records if isinstance(record, EpisodeEnded)]
        first, *lines = lines_in_unix_time(file.read_text().splitlines())
        header = LogHeader.read(first)
        assert header is not None
        assert header.left_out == 0
        started = [float(line.split()[0]) for line in lines if "START u0" in line]
        assert any(sent[0] - 2 <= at <= ended for at in started)
