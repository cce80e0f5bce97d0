"""The failures of shortcuts that Mobile-Agent-E shows (figures 9 to 11), planted: what is sent, and what becomes of them.

With ``--paper-exact`` they are carried out blind, as there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.protocol.actions import RunShortcut
from manyhands.protocol.base import Outcome
from manyhands.protocol.records import Decided, Reflected
from manyhands.simulator.suites import EVERYDAY, HERE
from tests.deploy.fleet.learning_runs import LearningRuns, Records, manyhands, records, sent, uses

SCENARIOS = HERE / "evolution.yaml"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def runs(tmp_path: Path, adb_server: tuple[str, int]) -> LearningRuns:
    return LearningRuns(tmp_path, adb_server[1])


def called(episode: Records, name: str) -> list[int]:
    """Return the steps at which a shortcut was chosen."""
    return [
        one.step
        for one in episode
        if isinstance(one, Decided)
        and isinstance(one.decision.action, RunShortcut)
        and one.decision.action.shortcut == name
    ]


def outcome(episode: Records, step: int) -> Outcome | None:
    return next(one.reflection.outcome for one in episode if isinstance(one, Reflected) and one.step == step)


def test_a_search_field_that_holds_text_is_typed_into_by_other_means(runs: LearningRuns) -> None:
    planted = ("--lessons", "full-field", "--task", "sale_items")
    checked = records(runs.run(EVERYDAY, "checked", *planted))
    first, second, *_ = called(checked, "Tap_Type_and_Enter")
    assert sent(checked, first) == ["Tap", "Type", "Enter"]
    assert (sent(checked, second), outcome(checked, second)) == ([], Outcome.C)

    blind = records(runs.run(EVERYDAY, "blind", *planted, "--paper-exact", verified=False))
    _, second, *_ = called(blind, "Tap_Type_and_Enter")
    assert sent(blind, second) == ["Tap", "Type", "Enter"]


def test_a_shortcut_that_is_called_in_the_wrong_app_sends_nothing(runs: LearningRuns) -> None:
    planted = ("--lessons", "wrong-app", "--task", "quiet_dark", "--task", "quiet_disturb")
    checked = records(runs.run(SCENARIOS, "checked", *planted))
    refused = [one.use for one in uses(checked) if one.use.outcome == "refused"]
    assert {use.shortcut.rsplit("-", 1)[0] for use in refused} == {"Send_Message"}
    learned = [one for one in checked if getattr(one, "step", None) is not None]
    first = called(second_episode(learned), "Send_Message")[0]
    assert sent(second_episode(learned), first) == []
    assert "Send_Message" in {one.use.shortcut.rsplit("-", 1)[0] for one in uses(checked) if one.use.outcome == "worked"}


def test_a_shortcut_that_lacks_a_tap_is_stopped_put_aside_and_mended(runs: LearningRuns) -> None:
    tasks = [part for name in ("first", "draft", "pair", "gym") for part in ("--task", f"notes_{name}")]
    checked = records(runs.run(SCENARIOS, "checked", "--lessons", "missing-tap", *tasks))
    of_note = [one.use for one in uses(checked) if one.use.shortcut.startswith("Write_Titled_Note")]
    assert of_note[0].outcome == "surprised"
    assert {use.outcome for use in of_note[1:]} == {"worked"}
    assert len({use.shortcut for use in of_note}) == 2
    (known,) = [
        one
        for one in manyhands("memory", "list", runs.memory)["shortcuts"]
        if one["shortcut"]["name"] == "Write_Titled_Note"
    ]
    assert known["version"] == 2
    assert [step["name"] for step in known["shortcut"]["steps"]][:3] == ["Tap", "Click_Text", "Type"]
