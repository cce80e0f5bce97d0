"""Two real runs with planted failures and changes: results, JUnit's XML and the comparison name these and no others.

One virtual phone and the rehearsed model, both stand-ins.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import Failure, JUnitXml, TestCase
from junitparser.junitparser import SystemOut

from tests.deploy.cluster.head import short_folder

pytestmark = [pytest.mark.ray, pytest.mark.slow, pytest.mark.timeout(600)]

DARK, QUIET = "Turn on dark mode.", "Set the system sound to Do Not Disturb."
SEARCH = "Use the search in Settings to find these switches, and turn them on: Bluetooth, Battery percentage and Wi-Fi."
SWITCH = "Switch the system theme to the other one and stay on the page where that is done."


def task(id: str, goal: str, path: str, expected: bool, **fields: Any) -> dict[str, Any]:
    check = {"source": "content://manyhands.simulator/state", "holds": {"path": path, "equals": expected}}
    return {"id": id, "goal": goal, "reset_seed": 0, "check": check, **fields}


THEME = "settings.dark_mode"
CALM = [
    task("calm", DARK, THEME, True),
    # The phone is as the task before left it, and dark. The first attempt turns that off, the second one on again.
    task("flaky", SWITCH, THEME, True, reset_seed=None, retries=2),
]
BEFORE = [
    *CALM,
    task("breaks", DARK, THEME, True),
    task("mended", DARK, THEME, False),
    task("wrong", DARK, THEME, False),
    task("longer", DARK, "settings.airplane_mode", False),
]
AFTER = [
    *CALM,
    task("breaks", DARK, THEME, False),
    task("mended", DARK, THEME, True),
    task("wrong", DARK, THEME, False),
    task("longer", SEARCH, "settings.airplane_mode", False),
]


@dataclass(frozen=True)
class Runs:
    before: Path
    after: Path
    junit: Path
    codes: tuple[int, int]
    said: tuple[str, str]


def command(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manyhands", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, adb_server: tuple[str, int]) -> Runs:
    folder = tmp_path_factory.mktemp("runs")
    junit = folder / "results.xml"
    with short_folder() as ray:
        codes, said = [], []
        for name, tasks in (("before", BEFORE), ("after", AFTER)):
            file = folder / f"{name}.yaml"
            file.write_text(yaml.safe_dump(tasks), encoding="utf-8")
            words = ["run", file, "--phones", "virtual:1", "--mllm-url", "rehearsed", "--out", folder / name]
            words += ["--adb-port", str(adb_server[1]), *(["--junit", junit, "--report"] if name == "before" else [])]
            done = command(*words, RAY_TMPDIR=str(ray), MANYHANDS_STATE_DIR=str(folder / "state"))
            assert (folder / name).is_dir(), done.stderr
            codes.append(done.returncode)
            said.append(done.stdout)
    return Runs(folder / "before", folder / "after", junit, (codes[0], codes[1]), (said[0], said[1]))


def test_a_run_ends_with_the_address_of_its_report(runs: Runs) -> None:
    before, after = (text.strip().splitlines()[-1] for text in runs.said)
    page = runs.before / "report.html"
    assert before == f"Report: {page.resolve().as_uri()}"
    assert page.is_file()
    assert after.startswith("Next: ")
    assert not (runs.after / "report.html").exists()


def test_junit_has_the_planted_failures_with_their_attachments(runs: Runs) -> None:
    (suite,) = JUnitXml.fromstring(runs.junit.read_bytes())
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 2, 0, 0)
    assert {suite.name, *(case.classname for case in suite)} == {"before"}, "the name of the file of tasks"
    failed = {case.name: case for case in suite if case.result}
    assert failed.keys() == {"mended", "wrong"}
    for case in failed.values():
        (failure,) = case.result
        assert isinstance(failure, Failure)
        assert failure.message == "expected settings.dark_mode is false; found true"
        assert re.search(r"^last action: Tap \(\d+, \d+\)$", failure.text or "", re.MULTILINE)
        assert attachment_of(case).read_bytes().startswith(b"\x89PNG")
    assert runs.codes == (1, 1)


def attachment_of(case: TestCase) -> Path:
    found = case.child(SystemOut)
    assert found is not None
    named = re.search(r"\[\[ATTACHMENT\|(.+)\]\]", str(found.text))
    assert named is not None
    return Path(named[1])


def test_a_pass_on_a_retry_is_no_plain_pass(runs: Runs) -> None:
    rows = {row["id"]: row for row in json.loads(command("results", runs.before, "--json").stdout)}
    flaky = rows["flaky"]
    assert (flaky["verdict"], flaky["retries"], flaky["attempts"]) == ("passed_on_retry", 1, 2)
    (first,) = flaky["failed_tries"]
    assert first["episode"] != flaky["episode"]
    assert first["unmet"] == [{"expected": "settings.dark_mode is true", "found": "false"}]
    assert rows["calm"]["verdict"] == "passed"
    assert "passed on retry 1" in command("results", runs.before).stdout


def test_the_comparison_names_the_planted_changes(runs: Runs) -> None:
    done = command("diff", runs.before, runs.after, "--json")
    assert done.returncode == 1
    tasks = {task["task"]: task for task in json.loads(done.stdout)["tasks"]}
    changes = {name: task["change"] for name, task in tasks.items()}
    # By the clock alone, a task may be slower on a busy machine.
    assert {name: change for name, change in changes.items() if change not in ("same", "slower")} == {
        "breaks": "newly_failing",
        "mended": "newly_passing",
    }
    longer = tasks["longer"]
    assert (longer["change"], longer["steps_more"] >= 2, longer["parting"]["step"]) == ("slower", True, 2)
    others = [task for name, task in tasks.items() if name != "longer"]
    assert [(task["steps_more"], task["parting"]) for task in others] == [(0, None)] * 5


def test_the_page_of_a_comparison_shows_where_the_ways_part(runs: Runs, tmp_path: Path) -> None:
    out = tmp_path / "diff.html"
    assert command("diff", runs.before, runs.after, "--format", "html", "--out", out).returncode == 1
    page = out.read_text(encoding="utf-8")
    assert page.count("data:image/jpeg;base64,") == 2
    assert "other screens from step 2 on" in page
    assert "newly failing" in page
