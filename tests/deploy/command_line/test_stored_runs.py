"""A run folder of version 1 is read by every command that takes one.

``stored_runs/version_1.tar.xz`` is the folder of a run of 0.1.0, the first version whose journals later ones read:
three instructions of Mobile-Eval under the profile ``e+evo``, one virtual phone of 270x600, the rehearsed model (a
stand-in). Its processes were killed at the first step of its third task, before the store had written its screenshot.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from tests.deploy.cluster.head import short_folder
from tests.evaluation.report.opened import read_payload

ARCHIVE = Path(__file__).parent / "stored_runs" / "version_1.tar.xz"
RUN = "old_run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / RUN


def run(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manyhands", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )


def tell(*words: str, code: int = 0, environment: dict[str, str] | None = None) -> Any:
    """Return the JSON value of a command that ends with an exit code."""
    done = run(*words, "--json", environment=environment)
    assert done.returncode == code, done.stderr + done.stdout[-2000:]
    return json.loads(done.stdout)


def test_report_shows_what_was_done(folder: Path) -> None:
    told = tell("report", str(folder))
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert (summary["profile"], summary["verified"], summary["steps"]) == ("e+evo", 2, 9)
    assert {row["id"]: row["finished"] for row in summary["by_task"]} == {
        "caps_search": "finished",
        "hello_note": "finished",
        "airplane_mode": "host_lost",
    }
    assert told["report"] == str(folder / "report.html")
    tasks = read_payload(folder, "run")["tasks"]
    assert [task["verdict"] for task in tasks] == ["done", "done", "undecided"]
    assert tasks[1]["goal"].startswith("Create a new note in Notes and write")
    [row] = tasks[0]["episodes"]
    assert len(read_payload(folder, f"episodes/{row['id']}")["steps"]) == 5
    assert len(read_payload(folder, f"calls/{row['id']}")) == 5
    assert all((folder / "thumbnails" / f"{path.stem}.jpg").is_file() for path in (folder / "screens").iterdir())


def test_audit_knows_every_key_and_misses_the_phones_ledger_alone(folder: Path) -> None:
    found = tell("audit", str(folder), code=1)
    assert found["keys"] == {"done": 14, "unanswered": 1}
    assert (found["damaged"], found["violations"], found["verdict"]) == (0, [], "incomplete")


def test_score_counts_the_tasks_that_ended(folder: Path) -> None:
    (scored,) = tell("suite", "score", str(folder))
    assert (scored["profile"], scored["asked"], scored["decided"], scored["left_out"]) == (
        "e+evo",
        3,
        2,
        {"host_lost": 1},
    )
    figures = scored["state"]["figures"]
    assert {name: (figures[name]["amount"], figures[name]["of"]) for name in ("SR", "CR", "SS")} == {
        "SR": (2.0, 2.0),
        "CR": (11.0, 11.0),
        "SS": (8.0, 8.0),
    }


def test_results_are_the_same_in_every_format(folder: Path, tmp_path: Path) -> None:
    rows = tell("results", str(folder))
    assert [(row["id"], row["verdict"], row["steps"]) for row in rows] == [
        ("caps_search", "passed", 4),
        ("hello_note", "passed", 5),
        ("airplane_mode", "undecided", 0),
    ]
    last_screens = {row["id"]: row["last_screen"] for row in rows}
    assert last_screens.pop("airplane_mode") is None
    assert all((folder / screen).is_file() for screen in last_screens.values())
    out = tmp_path / "results.xml"
    written = run("results", str(folder), "--format", "junit", "--out", str(out))
    assert written.returncode == 0, written.stderr
    (suite,) = JUnitXml.fromstring(out.read_bytes())
    cases = {case.name: case for case in suite}
    assert [name for name, case in cases.items() if case.result] == ["airplane_mode"]


def test_a_run_does_not_differ_from_itself(folder: Path) -> None:
    found = tell("diff", str(folder), str(folder))
    assert [task["change"] for task in found["tasks"]] == ["same"] * 3


def test_replay_sends_the_requests_of_then(folder: Path) -> None:
    found = tell("replay", str(folder), "--mllm-url", "rehearsed", "--role", "decide", code=1)
    decided = found["roles"]["decide"]
    assert decided["recorded_parsed"] == decided["requests"] == found["replayed"] == 10
    assert decided["failures"] == {"store": 1}  # the screenshot that was not written
    assert decided["identical"] == decided["parsed"] == 9


def test_export_writes_its_calls_and_screens(folder: Path, tmp_path: Path) -> None:
    told = tell("export", str(folder), "--format", "swift", "--out", str(tmp_path / "rows"))
    assert (told["rows"], told["episodes_left_out"], told["problems"]) == ({"train": 39}, {"fault: host_lost": 1}, [])
    assert sum(told["roles"].values()) == 39
    pictures = {path.name for path in (tmp_path / "rows" / "images").iterdir()}
    rows = [json.loads(line) for path in tmp_path.glob("rows/train/*.jsonl") for line in path.read_text().splitlines()]
    assert {Path(path).name for row in rows for path in row["images"]} == pictures
    assert rows[0]["messages"][-1]["loss"]
    told = tell("export", str(folder), "--format", "androidlab", "--out", str(tmp_path / "traces"))
    assert told["rows"] == {"train": 2}


@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_resume_does_what_was_left_and_nothing_again(folder: Path, tmp_path: Path, adb_server: tuple[str, int]) -> None:
    finished = {path: path.read_bytes() for path in folder.glob("episodes/*/journal.mh") if "airplane" not in str(path)}
    with short_folder() as ray:
        environment = {"RAY_TMPDIR": str(ray), "MANYHANDS_STATE_DIR": str(tmp_path / "state")}
        summary = tell("resume", str(folder), "--adb-port", str(adb_server[1]), environment=environment)
    assert summary["verified"] == 3
    assert len(finished) == 2
    assert {path: path.read_bytes() for path in finished} == finished
