"""``manyhands bench export``: a run of the store's own making, exported whole and interrupted."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.evaluation.run_folder import RunFolder


def test_an_interrupted_export_has_the_same_bytes(tmp_path: Path) -> None:
    words = ["bench", "export", "--episodes", "3", "--steps", "2", "--out", str(tmp_path / "out"), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures["rows"], figures["pictures"], figures["is_equal"]) == (18, 9, True)
    assert figures["sources"]["phones"] == "canned frames, a stand-in"
    assert figures["whole"]["peak_mib"] > 20
    run = RunFolder(tmp_path / "out" / "run_3_2")
    assert all(not scan.damage for scan in run.journals.values())
    assert len(list((run.path / "screens").iterdir())) == 9
