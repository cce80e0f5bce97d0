"""Three failures whose reasons are known: the report of a real run on virtual phones leads to each of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.report.opened import read_payload
from tests.evaluation.report.planted_failures import NOT_TYPED, REFUSAL, REFUSED, WRONG_PAGE, run_planted


@pytest.mark.slow
@pytest.mark.ray
@pytest.mark.timeout(400)
async def test_the_report_leads_to_what_was_planted(adb_server: tuple[str, int], tmp_path: Path) -> None:
    host, port = adb_server
    async with asyncio.timeout(360):
        folder = await run_planted(tmp_path / "run", adb_host=host, adb_port=port, virtual={"size": "720x1600"})
    page = read_payload(folder, "run")
    tasks = {task["row"]["id"]: task for task in page["tasks"]}
    why = {task: cause["reason"] for cause in page["causes"] for task in cause["tasks"]}
    assert {task["verdict"] for task in tasks.values()} == {"failed"}

    def failing(task: str) -> dict[str, Any]:
        row = tasks[task]["episodes"][-1]
        steps: list[dict[str, Any]] = read_payload(folder, f"episodes/{row['id']}")["steps"]
        return next(step for step in steps if step["step"] == row["failure_step"])

    assert (failing(WRONG_PAGE)["outcome"], failing(WRONG_PAGE)["action_kind"]) == ("B", "Tap")
    assert (failing(NOT_TYPED)["outcome"], failing(NOT_TYPED)["action_kind"]) == ("C", "Wait")
    assert "keyboard" in failing(NOT_TYPED)["expectation"]
    assert REFUSAL in failing(REFUSED)["failures"][0]
    assert REFUSAL in tasks[REFUSED]["row"]["reason"]
    assert (", Tap" in why[WRONG_PAGE], ", Wait 1 s: " in why[NOT_TYPED], REFUSAL in why[REFUSED]) == (True, True, True)
