"""``manyhands suite judge``: its address, its end by Ctrl-C, and its errors."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.evaluation.judged_run import FIRST, SECOND, write_judged_run

JUDGE = (sys.executable, "-m", "manyhands", "suite", "judge")


@contextmanager
def judging(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*JUDGE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Ctrl-C: the exit code, and what is printed after it."""
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out


def say(url: str, kind: str, name: str, value: object) -> None:
    body = json.dumps({"episode": FIRST, "kind": kind, "name": name, "value": value}).encode()
    headers = {"Origin": "/".join(url.split("/")[:3]), "Content-Type": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{url}judgements", body, headers, method="PUT"), timeout=30
    ) as answer:
        assert answer.status == 200


def test_ctrl_c_is_its_end_with_what_was_judged(tmp_path: Path) -> None:
    run = write_judged_run(tmp_path / "run")
    with judging(run, "--judge", "ann", "--json") as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        say(url, "actions", "2", False)
        say(url, "success", "success", True)
        code, out = interrupted(process)
    assert code == 0
    assert [path.name for path in (run / "judgements").iterdir()] == ["ann.json"]
    told = json.loads(out)
    episodes = told.pop("episodes")
    assert told == {
        "judge": "ann",
        "source": "person",
        "file": str(run / "judgements" / "ann.json"),
        "judged": 2,
        "questions": 28,
        "by_kind": {
            "success": 1,
            "rubrics": 0,
            "actions": 1,
            "effects": 0,
            "reflections": 0,
            "operations": 0,
            "statements": 0,
        },
    }
    assert list(episodes) == [FIRST, SECOND]
    assert (episodes[FIRST]["success"], episodes[FIRST]["actions"]) == (True, {"2": False})
    assert json.loads((run / "judgements" / "ann.json").read_text())["episodes"] == {FIRST: episodes[FIRST]}


def test_a_line_tells_what_is_stored(tmp_path: Path) -> None:
    run = write_judged_run(tmp_path / "run")
    with judging(run, "--judge", "ann") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert "0 of 27 questions are answered" in process.stdout.readline()
        say(url, "actions", "2", False)
        assert interrupted(process) == (0, f"1 judgement of 28 stored in {run}/judgements/ann.json\n")
    with judging(run, "--judge", "bob") as process:
        assert process.stdout is not None
        process.stdout.readline(), process.stdout.readline()
        assert interrupted(process) == (0, "nothing was judged, nothing stored\n")


@pytest.mark.parametrize(
    ("file", "arguments", "mistake"),
    [
        (None, ("--judge", "no/name"), "--judge 'no/name': a name has letters"),
        ({"judge": "ann", "source": "person", "episodes": {"gone": {}}}, (), "ann.json: episodes.gone: the run has no"),
        (
            {"judge": "ann", "source": "person", "episodes": {FIRST: {"actions": {"77": True}}}},
            (),
            f"{FIRST}.actions.77",
        ),
        ({"judge": "ann", "source": "model"}, (), "is what a model said"),
    ],
)
def test_bad_input_is_refused_with_one_line(
    tmp_path: Path, file: dict[str, object] | None, arguments: tuple[str, ...], mistake: str
) -> None:
    run = write_judged_run(tmp_path / "run")
    if file is not None:
        (run / "judgements").mkdir()
        (run / "judgements" / "ann.json").write_text(json.dumps(file))
    done = subprocess.run([*JUDGE, run, *(arguments or ("--judge", "ann"))], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert mistake in done.stderr
    assert len(done.stderr.splitlines()) == 1
