"""Runs whose tasks learn: on one phone, then on one of another size, then tasks that no scenario had."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from manyhands.evaluation.recorded_calls import recorded_calls
from manyhands.protocol.journals.records import Learned, Recalled
from manyhands.protocol.roles.role import Role
from manyhands.simulator.suites import HERE
from tests.deploy.fleet.learning_runs import LearningRuns, manyhands, records, worked

LEARNED = {"Write_Titled_Note", "Delete_Note", "Turn_On_Switch", "Send_Message"}
SCENARIOS, UNSEEN = HERE / "evolution.yaml", HERE / "unseen.yaml"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_scenarios_teach_is_used_on_another_phone_and_for_other_tasks(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    runs = LearningRuns(tmp_path, adb_server[1])
    first = runs.run(SCENARIOS, "first")
    assert worked(first) >= LEARNED
    known = manyhands("memory", "list", runs.memory)
    assert {one["shortcut"]["name"] for one in known["shortcuts"]} == LEARNED
    assert len([one for one in records(first) if isinstance(one, Learned) and one.taken is not None]) == 10

    other_size = runs.run(SCENARIOS, "other-size", "--size", "720x1600")
    assert worked(other_size) >= LEARNED
    assert len(recorded_calls(other_size)) < len(recorded_calls(first))
    still = manyhands("memory", "list", runs.memory)
    assert {one["id"] for one in still["shortcuts"]} == {one["id"] for one in known["shortcuts"]}

    for one in (*known["tips"], *known["shortcuts"]):
        manyhands("memory", "promote", runs.memory, one["id"])
    settings = tmp_path / "settings.yaml"
    settings.write_text("memory_tokens: 450\n", encoding="utf-8")
    unseen = runs.run(UNSEEN, "unseen", "--config", settings)
    assert worked(unseen) >= LEARNED
    assert Counter(call.role for call in recorded_calls(unseen))[Role.RECALL] >= 2
    assert all(one.left_out for one in records(unseen) if isinstance(one, Recalled))
