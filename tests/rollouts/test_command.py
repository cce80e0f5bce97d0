"""``manyhands export``: what it prints, its exit codes, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.protocol.roles.role import Role
from tests.evaluation.run_records import decided, span
from tests.rollouts.sketched_run import Sketch, asked, captured, picture_id, sketch_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return sketch_run(tmp_path / "run", Sketch("one-1-a"), Sketch("two-1-a", task="two", goal="Two", verified=False))


def manyhands(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def test_the_command_prints_counts_and_its_line_stands_in_the_card(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = manyhands(run, "--format", "llamafactory", "--out", out, "--role", "operator", "--verified", "phone")
    assert "train: 2 rows\nfrom 1 of 2 episodes" in shown
    assert "episodes left out: 1 not verified by phone\ncalls left out: 2 role" in shown
    card = (out / "README.md").read_text()
    assert f"    manyhands export {run} --format llamafactory --out DIR --verified phone --role decide\n" in card
    again = manyhands(run, "--format", "llamafactory", "--out", out, "--role", "decide", "--verified", "phone")
    assert again == shown


def test_json_has_the_summary(run: Path, tmp_path: Path) -> None:
    found = json.loads(manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", "--json"))
    assert (found["rows"], found["episodes"], found["problems"]) == ({"train": 8}, 2, [])
    assert found["roles"] == {"decide": 4, "reflect": 4}


def test_missing_pictures_end_with_1(run: Path, tmp_path: Path) -> None:
    (run / "screens" / f"{picture_id(2)}.png").unlink()
    shown = manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", code=1)
    assert "train: 6 rows" in shown
    assert shown.count("not written: ") == 2


def test_redact_reads_a_file_and_prints_what_was_redacted(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "redact.yaml"
    file.write_text("apps: [com.bank]\ntyped: false\n")
    shown = manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", "--redact", file)
    assert "redacted: 3 pictures" in shown
    file.write_text("app: com.bank")
    shown = manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", "--redact", file, code=2)
    assert f"{file}" in shown.replace("\n", "")
    assert "did you mean 'apps'?" in shown


BAD = [
    (("--format", "lamafactory"), "no such format; did you mean llamafactory?"),
    (("--format", "csv"), "no such format; there are llamafactory, swift"),
    (("--role", "driver"), "driver"),
    (("--verdict", "D"), "D"),
    (("--verified", "nobody"), "verified.0: must be phone, judge or person, not 'nobody'"),
    (("--pass-rate", "0.5"), "pass_rate"),
    (("--pass-rate", "0.9:0.1"), "pass_rate: the lower bound comes first, as in 0.1:0.9"),
    (("--pass-rate", "0:2"), "pass_rate.1"),
    (("--by", "robot"), "by: must be agent or person, not 'robot'"),
    (("--split", "a=inf,b=1"), "write NAME=SHARE"),
    (("--redact", "no_such.yaml"), "no_such.yaml: No such file"),
    (("--rol", "decide"), "No such option"),
    (("--pick", "best"), "pick: must be shortest or longest, not 'best'"),
    (("--split", "train"), "write NAME=SHARE"),
    (("--split", "a=1,a=1"), "a name stands twice"),
    (("--by", "person"), "a person makes no model calls"),
    (("--role", "planner"), "no row is left to export; calls left out: 8 role"),
]


@pytest.mark.parametrize(("options", "problem"), BAD)
def test_what_cannot_be_exported_ends_with_2(run: Path, tmp_path: Path, options: tuple[str, ...], problem: str) -> None:
    shown = manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", *options, code=2)
    assert problem in shown
    manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out")  # nothing is in its way


def test_what_is_no_run_or_no_folder_ends_with_2(run: Path, tmp_path: Path) -> None:
    assert "not a run folder" in manyhands(tmp_path / "none", "--format", "atif", "--out", tmp_path / "out", code=2)
    shutil.rmtree(run / "episodes")
    assert "it has no journals" in manyhands(run, "--format", "atif", "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()


def test_an_out_that_is_a_file_is_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    assert "is a file; name a folder" in manyhands(run, "--format", "atif", "--out", tmp_path / "out", code=2)


def test_runs_of_other_prompts_are_mixed_and_counted(run: Path, tmp_path: Path) -> None:
    call = asked(Role.DECIDE, "q")
    call.request["messages"][0]["content"] = "Another prompt."
    other = sketch_run(
        tmp_path / "other",
        Sketch("three-1-a", task="three", steps=0, extra=[captured(0, 0), decided(0, span(0, 1), call)]),
        name="another run",
    )
    manyhands(run, other, "--format", "llamafactory", "--out", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "The rows have 3 different system texts." in card
    assert "- `a run`: 2 episodes; profile e" in card
    assert "- `another run`: 1 episode; profile e" in card


def test_a_run_that_goes_on_needs_so_far(run: Path, tmp_path: Path) -> None:
    with (run / "run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shown = manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", code=2)
        assert "its run still goes on; wait for its end, or export --so-far" in shown
        manyhands(run, "--format", "llamafactory", "--out", tmp_path / "out", "--so-far")
