"""The terminal is closed: a run stops as after SIGTERM, with its summary, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.deploy.cluster.head import short_folder
from tests.deploy.fleet.test_stopping import COMMAND


def on_a_terminal(words: list[str], **environment: str) -> tuple[int, int]:
    """A process whose terminal we hold: its id, and our end."""
    pid, ours = pty.fork()
    if pid == 0:
        os.execve(words[0], words, {**os.environ, **environment, "TERM": "xterm"})
    return pid, ours


def read_until(ours: int, word: bytes, limit_s: float) -> None:
    deadline, read = time.monotonic() + limit_s, b""
    while word not in read:
        assert time.monotonic() < deadline, read
        read += os.read(ours, 4096)


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_what_is_said_after_the_terminal_is_gone_fails_nothing(tmp_path: Path) -> None:
    said = 'print("clean", flush=True)'
    script = COMMAND.replace("loop.add_reader(sys.stdin, again.set)", "again.set()")
    script = script.replace(said, f'{said}; open({str(tmp_path / "clean")!r}, "w")')
    pid, ours = on_a_terminal([sys.executable, "-c", script])
    read_until(ours, b"begun\r\n", 60)
    os.close(ours)
    assert exit_code(pid) == 130
    assert (tmp_path / "clean").exists()


def test_nohup_is_heeded() -> None:
    process = subprocess.Popen(
        ["nohup", sys.executable, "-c", COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "cleaning up\n"
    process.communicate("go on\n", timeout=60)
    assert process.returncode == 130


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(240)
def test_a_run_whose_terminal_is_closed(adb_server: tuple[str, int], tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [sys.executable, "-m", "manyhands", "demo", "--phones", "1", "--size", "540x1200", "--out", str(out)]
    with short_folder() as temporary:
        pid, ours = on_a_terminal(
            [*words, "--adb-port", str(adb_server[1])], HOME=str(tmp_path), RAY_TMPDIR=str(temporary)
        )
        read_until(ours, b"step", 120)
        os.close(ours)
        assert exit_code(pid) == 130
        assert list(temporary.iterdir()) == []
    summary = json.loads((out / "summary.json").read_text())
    assert {row["finished"] for row in summary["by_task"]} <= {"cancelled", "finished"}
    assert any(row["finished"] == "cancelled" for row in summary["by_task"])
