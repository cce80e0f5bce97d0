"""``manyhands prune`` removes whole runs, the oldest first, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.fleet.run_files.run_folder import only_run_in
from manyhands.deploy.fleet.run_files.run_removal import StoredRun, choose_runs
from manyhands.protocol.tasks.task import TaskSpec
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import ended, started, write_run

DAY_S = 86_400
SIZE = 3_000_000
TASK = TaskSpec(id="a", goal="g")


def make_run(folder: Path, days: float, size: int = SIZE) -> Path:
    """A run into which nothing was written for some days, with a screen of some size."""
    folder.mkdir(parents=True)
    write_run(
        folder,
        {"run_id": folder.name, "tasks": [{"id": "a", "goal": "g"}]},
        {"a-1-x": [started("a-1-x", TASK), ended(1)]},
    )
    (folder / "screens").mkdir()
    (folder / "screens" / "s.png").write_bytes(os.urandom(size))
    (folder / "run.lock").touch()
    at = time.time() - days * DAY_S
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (at, at))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for days in (40, 20, 1):
        make_run(tmp_path / "runs" / f"run{days}", days)
    return tmp_path / "runs"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_old_runs_are_removed(runs: Path) -> None:
    dry = manyhands("prune", runs, "--older-than", "30d", "--dry-run", "--json")
    assert names(runs) == ["run1", "run20", "run40"]
    done = manyhands("prune", runs, "--older-than", "30d", "--json")
    assert (done.returncode, names(runs)) == (0, ["run1", "run20"])
    said = json.loads(done.stdout)
    assert {**said, "dry_run": True} == json.loads(dry.stdout)
    assert [one["run"] for one in said["removed"]] == [str(runs / "run40")]
    assert said["bytes"] >= SIZE
    assert manyhands("prune", runs, "--older-than", "30d").stdout.startswith("0 runs, ")


def test_the_oldest_go_until_the_rest_has_room(runs: Path) -> None:
    said = manyhands("prune", runs, "--max-size", "7MB").stdout
    assert names(runs) == ["run1", "run20"]
    assert said.splitlines()[0].startswith(f"removed {runs / 'run40'} (3")
    assert manyhands("prune", runs, runs / "run1", "--max-size", "7MB").returncode == 0  # run1 counts once
    assert names(runs) == ["run1", "run20"]


def test_a_run_that_goes_on_stays_and_counts(runs: Path) -> None:
    with only_run_in(runs / "run40"):
        done = manyhands("prune", runs, "--older-than", "0s", "--max-size", "1MB")
    assert names(runs) == ["run40"]
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("more than 1MB: runs that go on stay")


def test_links_and_other_folders_stay(runs: Path, tmp_path: Path) -> None:
    outside = make_run(tmp_path / "elsewhere", 90)
    (runs / "link").symlink_to(outside)
    (runs / "notes").mkdir()
    (runs / "notes" / "run.yaml").write_text("no run: it has no journals")
    (runs / "training" / "episodes").mkdir(parents=True)  # of another program
    (runs / "training" / "run.yaml").write_text("seed: 3\n")
    (runs / ".mine.pruned").mkdir()
    (runs / ".mine.pruned" / "thesis.txt").touch()
    (runs / "run40" / "logs").symlink_to(outside / "screens")
    (runs / "run20" / "screens" / "s.png").unlink()
    (runs / "run20" / "screens" / "s.png").symlink_to(outside / "screens" / "s.png")
    assert manyhands("prune", runs, "--older-than", "0s").returncode == 0
    assert names(runs) == [".mine.pruned", "link", "notes", "training"]
    assert (outside / "screens" / "s.png").stat().st_size == SIZE


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["runs"], "say which runs to remove"),
        (["linked", "--older-than", "1d"], "is a link; name the folder that it leads to"),
        (["other", "--older-than", "1d"], "and none is in it"),
        (["missing", "--older-than", "1d"], "is no folder"),
        (["runs", "--older-than", "long"], "--older-than long: write a time"),
        (["runs", "--max-size", "50 apples"], "a size is written like"),
    ],
)
def test_bad_input_removes_nothing(runs: Path, tmp_path: Path, words: Sequence[str], why: str) -> None:
    (tmp_path / "linked").symlink_to(runs)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    done = manyhands("prune", tmp_path / words[0], *words[1:])
    assert done.returncode == 2
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert names(runs) == ["run1", "run20", "run40"]


KILLED = """
import os, signal, sys
def kill(event, arguments):
    if event in ("os.remove", "os.rename", "os.rmdir"):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
left = [int(sys.argv[1])]
sys.addaudithook(kill)
from manyhands.deploy.command_line.cli import app
app(["prune", sys.argv[2], "--older-than", "30d"])
"""


@pytest.mark.parametrize("calls", [1, 2, 4, 8])
def test_what_a_killed_prune_leaves_is_no_run(runs: Path, calls: int) -> None:
    """A hook kills the process after so many renamed and removed files."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(calls), str(runs)], capture_output=True, timeout=100)
    assert done.returncode == -signal.SIGKILL
    assert names(runs) == [".run40.pruned", "run1", "run20"]
    if calls > 1:
        assert not (runs / ".run40.pruned" / "run.yaml").exists()
    assert manyhands("resume", runs / "run40").returncode == 2
    assert manyhands("prune", runs, "--older-than", "9999d").returncode == 0
    assert names(runs) == ["run1", "run20"]


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1000)), max_size=12),
    st.none() | st.integers(0, 100),
    st.none() | st.integers(0, 4000),
)
def test_no_more_runs_go_than_must(runs: list[tuple[int, int]], age: int | None, most: int | None) -> None:
    stored = [StoredRun(Path(f"/none/{at}"), -days, size) for at, (days, size) in enumerate(sorted(runs, reverse=True))]
    chosen = list(choose_runs(stored, 0, age, most))
    assert chosen == stored[: len(chosen)]
    left = sum(run.size for run in stored[len(chosen) :])
    assert most is None or left <= most
    assert age is None or all(-run.written_at <= age for run in stored[len(chosen) :])
    if chosen:
        last = chosen[-1]
        assert (age is not None and -last.written_at > age) or (most is not None and left + last.size > most)
