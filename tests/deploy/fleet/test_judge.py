"""Checks that a model judges, in whole runs on a virtual phone: a true statement, a false one, and one of nobody's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import StatementJudged
from manyhands.protocol.roles.role import Role
from tests.deploy.fleet.learning_runs import manyhands

GOAL = "Turn on dark mode."
DARK: dict[str, Any] = {"path": "settings.dark_mode", "equals": True}
STATE = "content://manyhands.simulator/state"
CHECKS: dict[str, dict[str, Any]] = {
    "true": {"holds": {"judge": 'The screen shows "Dark mode".'}},
    "false": {"holds": {"judge": 'The screen shows "Laptop".'}},
    "unanswered": {"holds": {"judge": "The agent was friendly."}},
    "both": {"source": STATE, "holds": {"all": [DARK, {"judge": 'The screen shows "Dark mode".'}]}},
    "phone": {"source": STATE, "holds": {"any": [DARK, {"judge": "The agent was friendly."}]}},
}


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_model_judges_what_the_phone_cannot_tell(tmp_path: Path, adb_server: tuple[str, int]) -> None:
    tasks = [{"id": id, "goal": GOAL, "check": check, "reset_seed": 0} for id, check in CHECKS.items()]
    (tmp_path / "tasks.yaml").write_text(yaml.safe_dump(tasks), encoding="utf-8")
    fleet = ("--phones", "virtual:2", "--mllm-url", "rehearsed", "--adb-port", str(adb_server[1]))
    manyhands("run", tmp_path / "tasks.yaml", *fleet, "--out", tmp_path / "run", codes=(1,))
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    found = {row["id"]: (row["finished"], row["verified"], row["verified_by"]) for row in summary["by_task"]}
    assert found == {
        "true": ("finished", True, "judge"),
        "false": ("finished", False, "judge"),
        "unanswered": ("finished", None, None),
        "both": ("finished", True, "judge"),
        "phone": ("finished", True, "phone"),
    }
    assert [summary[name] for name in ("verified", "judged_done", "judged_not_done")] == [1, 2, 1]
    assert "judge" in summary["models"]

    run = RunFolder(tmp_path / "run")
    judged = {
        scan.records[0].task.id: record  # type: ignore[union-attr]
        for scan in run.journals.values()
        for record in scan.records
        if isinstance(record, StatementJudged)
    }
    assert {id: record.verdict for id, record in judged.items()} == {
        "true": "yes",
        "false": "no",
        "unanswered": "cannot tell",
        "both": "yes",
    }
    assert all(
        (tmp_path / "run" / "screens").glob(f"{shot.content_id}*") for one in judged.values() for shot in one.screens
    )
    assert all(len(one.shown) == 2 for one in recorded_calls(run) if one.role is Role.JUDGE)
