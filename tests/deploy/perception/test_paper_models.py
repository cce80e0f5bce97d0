"""What can stand in for the papers' models, as the command and the documents have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.deploy.command_line.commands.perceive import PAPER_MODELS, PaperModel
from manyhands.deploy.settings.loading import load_settings
from tests.deploy.command_line.called import manyhands

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("model", PAPER_MODELS, ids=lambda model: model.model)
def test_settings_that_are_named_can_be_set_as_they_stand(model: PaperModel, tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(model.settings.replace("DIR", str(tmp_path)))
    load_settings({}, config)


def test_the_documents_have_the_same_table() -> None:
    rows = [
        f"| {one.model} | {one.purpose} | {one.ours} | {one.stand_in} | `{one.settings}` | {one.environment} |"
        for one in PAPER_MODELS
    ]
    assert "\n".join(rows) in (ROOT / "docs" / "perception.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("flag", ["--backends", "--backend"])
def test_the_command_names_them_and_reads_nothing(flag: str) -> None:
    done = manyhands("perceive", flag)
    assert (done.returncode, done.stderr) == (0, "")
    for one in PAPER_MODELS:
        assert f"{one.model}: {one.purpose}\n" in done.stdout
        assert f"  stand-in  {one.stand_in}\n  settings  {one.settings}\n  runs in   {one.environment}\n" in done.stdout
    told = json.loads(manyhands("perceive", flag, "--json").stdout)["backends"]
    assert [row["model"] for row in told] == [one.model for one in PAPER_MODELS]
