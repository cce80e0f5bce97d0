"""``manyhands suite score`` and ``compare``: figures by who judged, exit codes, what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from tests.evaluation.metrics.three_episodes import write_judge, write_three
from tests.evaluation.statements_run import STATEMENT, write_statements_run


def suite(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["suite", *map(str, arguments)])


def test_a_score_has_a_column_for_each_source_and_names_stand_ins(tmp_path: Path) -> None:
    done = suite("score", write_three(tmp_path / "run"))
    assert done.exit_code == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[1:4] == [
        "decided: 3; in no figure: 1 phone_lost",
        "model: a stand-in for a model",
        "phones: stand-ins for phones",
    ]
    assert "metric phone's state person anna what" in lines
    assert "DA, % - 60.0 (2 of 3 tasks) right decisions" in lines


def test_a_score_as_json(tmp_path: Path) -> None:
    done = suite("score", write_three(tmp_path / "run", judged=False), "--json")
    (score,) = json.loads(done.stdout)
    assert score["state"]["figures"]["DA"]["value"] is None
    assert "judge" in score["state"]["figures"]["DA"]["reason"]
    assert [task["success"] for task in score["tasks"]] == [True, False, False]


def test_a_person_and_a_model_who_judged_the_same_have_a_kappa(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "run", judged=False)
    write_judge(folder, "ann", "person", {"e-a": {"success": True, "actions": {"0": True, "1": True, "2": False}}})
    write_judge(folder, "bot", "model", {"e-a": {"success": True, "actions": {"0": True, "1": False, "2": False}}})
    (score,) = json.loads(suite("score", folder, "--json").stdout)
    (pair,) = score["agreement"]
    assert (pair["judges"], pair["sources"]) == (["ann", "bot"], ["person", "model"])
    # observed 2/3; by chance (2/3)(1/3) + (1/3)(2/3) = 4/9
    assert pair["kinds"]["actions"] == {"compared": 3, "same": 2, "kappa": pytest.approx(0.4), "reason": ""}
    assert pair["kinds"]["success"]["kappa"] is None
    assert pair["kinds"]["rubrics"]["reason"] == "the two judged nothing in common"
    lines = [" ".join(line.split()) for line in suite("score", folder).stdout.splitlines()]
    assert "judges success rubrics actions effects reflections operations statements" in lines
    assert "person ann and model bot - (all 1 the same) - 0.40 (2 of 3 the same) - - - -" in lines


def test_a_broken_file_of_judgements_is_bad_input(tmp_path: Path) -> None:
    folder = write_three(tmp_path / "run")
    write_judge(folder, "ben", "person", {"e-a": {"actions": {"0": "yes"}}})
    for command in ("score", "compare"):
        done = suite(command, folder, "--json")
        assert done.exit_code == 2
        said = json.loads(done.stdout)["error"]
        assert "ben.json" in said
        assert "e-a.actions.0" in said


def test_a_folder_that_is_no_run_is_bad_input(tmp_path: Path) -> None:
    for command in ("score", "compare"):
        assert suite(command, tmp_path).exit_code == 2


def test_one_command_writes_page_data_and_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two", "three"):
        write_three(tmp_path / "runs" / name)
    done = suite("compare", "runs/one", "runs/two", "other=runs/three", "--write", "out", "--json")
    assert done.exit_code == 0, done.stdout
    found = json.loads(done.stdout)
    assert {system["name"]: system["runs"] for system in found["systems"]} == {"e": ["one", "two"], "other": ["three"]}
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {Path(path).name for path in found["written"]}
    assert {"comparison.md", "comparison.json", "sss.png", "sss.svg", "thirds.png", "thirds.svg"} <= names
    page = (tmp_path / "out/comparison.md").read_text(encoding="utf-8")
    assert "`manyhands suite compare runs/one runs/two other=runs/three --write out`" in page
    assert all(f"]({name})" in page for name in names if name.endswith(".svg"))


def test_a_comparison_as_text(tmp_path: Path) -> None:
    done = suite("compare", write_three(tmp_path / "one"))
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "what was published, not who is better" in lines[0]
    assert "e (phone) all 33.3 - 3.7 3.0 61.1" in lines
    assert "paper: v1, GPT-4V (Mobile-Agent, table 2) Mobile-Eval, simple 91.0 89.0 4.9 4.2 98.2" in lines
    assert "of other models, phones and apps" in done.stdout


def test_a_page_is_not_written_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert suite("compare", write_three(tmp_path / "one"), "--write", tmp_path / "file").exit_code == 2


def test_the_verdicts_of_the_judge_of_checks_are_compared_with_a_persons(tmp_path: Path) -> None:
    folder = write_statements_run(tmp_path / "run")
    said = {"judge_yes": True, "judge_yes_too": False, "judge_no": False}
    write_judge(folder, "ann", "person", {name: {"statements": {STATEMENT: word}} for name, word in said.items()})
    lines = [" ".join(line.split()) for line in suite("score", folder).stdout.splitlines()]
    assert "person ann and model model-judge - - - - - - 0.40 (2 of 3 the same)" in lines
