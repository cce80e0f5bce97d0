"""A run.yaml that somebody has broken is bad input, for every command that reads it, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import ended, started, write_run

BROKEN = [
    ("settings: [", "not YAML"),
    ("- 1", "not a mapping"),
    ("", "not a mapping"),
    ("tasks: 5", "line 1: tasks: "),
    ("tasks: [5]", "line 1: tasks.0: "),
    ("phones: [p]\ntasks:\n  - {id: 3}", "line 3: tasks.0.id: "),
    ("settings: 5", "line 1: settings: "),
    ("settings:\n  episode: 4", "line 2: settings.episode: "),
    ("settings: {episode: {without: 3}}", "settings.episode.without: "),
    ("models: {plan: {}}", "models.plan.model: "),
    ("versions: [1]", "versions: "),
    ("versions: {protocol: '1.1'}", "an older version of Manyhands wrote the run"),
    ("versions: {protocol: '2'}", "a newer version of Manyhands wrote the run"),
    ("resumed: [{}]", "resumed.0.at: "),
    ("repeated: 7", "repeated: "),
]


def broken(folder: Path, text: str) -> Path:
    write_run(folder, {}, {"a-1": [started("a-1", TaskSpec(id="a", goal="g")), ended(9)]})
    (folder / "run.yaml").write_text(text)
    return folder


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_broken_run_yaml_is_one_line_and_exit_code_2(tmp_path: Path, text: str, said: str) -> None:
    run = broken(tmp_path, text)
    result = CliRunner().invoke(app, ["report", str(run)], catch_exceptions=False)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"error: {run}/run.yaml: ")
    assert said in line
    assert line.count("run.yaml") == 1
    assert "pydantic" not in line


@pytest.mark.parametrize(
    "command",
    [
        ["suite", "score"],
        ["suite", "compare"],
        ["suite", "judge", "--judge", "ann"],
        ["prompt-stats"],
        ["audit"],
        ["control", "status"],
    ],
)
def test_every_command_says_the_same(tmp_path: Path, command: list[str]) -> None:
    run = broken(tmp_path, "tasks: [5]")
    arguments = ["control", str(run), "status"] if command[0] == "control" else [*command, str(run)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {run}/run.yaml: line 1: tasks.0: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_batch_of_a_service_is_told_from_a_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"the results of a batch of a service: manyhands results b17 --server URL"):
        RunFolder(Path("b17"))
