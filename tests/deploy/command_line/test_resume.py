"""``manyhands resume`` of a run that has nothing left to do, and of one that has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.evaluation.run_folder import RunFolder, has_finished
from manyhands.protocol import PROTOCOL_VERSION
from manyhands.protocol.base import Ending
from manyhands.protocol.tasks.task import TaskSpec
from tests.deploy.command_line.called import manyhands
from tests.evaluation.run_records import ended, started, write_run

ASKED = {
    "started_at": 1.0,
    "phones": ["p"],
    "phones_away": {},
    "settings": {"phones": ["p"], "mllm_url": ["http://127.0.0.1:9"]},
    "versions": {"protocol": str(PROTOCOL_VERSION)},
    "batches": [{"name": "batch-1", "tasks": 1}],
    "tasks": [{"id": "a", "goal": "g"}],
}


def test_resume_of_a_finished_run_says_that_there_is_nothing_to_do(tmp_path: Path) -> None:
    journal = [started("a-1", TaskSpec(id="a", goal="g")), ended(9, Ending.STEP_LIMIT)]
    write_run(tmp_path, ASKED, {"a-1": journal})
    there = {*tmp_path.iterdir()}
    done = manyhands("resume", str(tmp_path))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"Nothing to do: all tasks of {tmp_path} are decided.")
    assert {*tmp_path.iterdir()} - there == {tmp_path / "summary.json"}
    done = manyhands("resume", str(tmp_path), "--json")
    assert (done.returncode, json.loads(done.stdout)["finished"]) == (0, {"step_limit": 1})


@pytest.mark.parametrize("ending", [Ending.INTERNAL_ERROR, Ending.CANCELLED, None])
def test_a_run_with_an_open_task_has_not_finished(tmp_path: Path, ending: Ending | None) -> None:
    end = [] if ending is None else [ended(9, ending)]
    write_run(tmp_path, ASKED, {"a-1": [started("a-1", TaskSpec(id="a", goal="g")), *end]})
    assert not has_finished(RunFolder(tmp_path), ())
