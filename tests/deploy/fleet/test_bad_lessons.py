"""The failures of shortcuts that Mobile-Agent-E shows (figures 9 to 11), planted: what is sent, what becomes of them.

With ``--paper-exact`` they are carried out blind, as there: the last of them shows it in a run, the tests of the
episode's stages (``tests.actors.episode``) the others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import ActionDecided, EpisodeStarted, Reflected
from manyhands.protocol.screens.actions import RunShortcut
from manyhands.simulator.suites import EVERYDAY, HERE
from tests.deploy.fleet.learning_runs import LearningRuns, Records, episode, manyhands, sent, uses

SCENARIOS = HERE / "evolution.yaml"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


LACKING = {
    "name": "Write_Titled_Note",
    "arguments": ["x", "y", "title", "text"],
    "description": "Begin a new note from the list of notes, with the sign at (x, y), give it a title and a text.",
    "precondition": 'The screen shows "Notes" at the top. The screen shows "Search notes". The keyboard is away.',
    "atomic_action_sequence": [
        {"name": "Tap", "arguments_map": {"x": "x", "y": "y"}},
        {"name": "Type", "arguments_map": {"text": "title"}},
        {"name": "Click_Text", "arguments_map": {"text": "Write something"}},
        {"name": "Type", "arguments_map": {"text": "text"}},
        {"name": "Click_Text", "arguments_map": {"text": "Save"}},
    ],
}
"""Nobody has tapped the title before it is typed."""


@pytest.fixture
def runs(tmp_path: Path, adb_server: tuple[str, int]) -> LearningRuns:
    return LearningRuns(tmp_path, adb_server[1])


def called(episode: Records, name: str) -> list[int]:
    """Return the steps at which a shortcut was chosen."""
    return [
        one.step
        for one in episode
        if isinstance(one, ActionDecided)
        and isinstance(one.decision.action, RunShortcut)
        and one.decision.action.shortcut == name
    ]


def outcome(episode: Records, step: int) -> Outcome | None:
    return next(one.reflection.outcome for one in episode if isinstance(one, Reflected) and one.step == step)


def test_a_search_field_that_holds_text_is_typed_into_by_other_means(runs: LearningRuns) -> None:
    planted = ("--lessons", "full-field", "--task", "sale_items")
    checked = episode(runs.run(EVERYDAY, "checked", *planted), "sale_items")
    first, second, *_ = called(checked, "Tap_Type_and_Enter")
    assert sent(checked, first) == ["Tap", "Type", "Enter"]
    assert (sent(checked, second), outcome(checked, second)) == ([], Outcome.C)


def test_a_shortcut_that_is_called_in_the_wrong_app_sends_nothing(runs: LearningRuns) -> None:
    planted = ("--lessons", "wrong-app", "--task", "notes_first", "--task", "notes_pair")
    checked = episode(runs.run(SCENARIOS, "checked", *planted), "notes_pair")
    at_home, *in_notes = called(checked, "Write_Titled_Note")
    assert (sent(checked, at_home), outcome(checked, at_home)) == ([], Outcome.C)
    assert [one.use.outcome for one in uses(checked)] == ["refused", "worked", "worked"]
    assert [len(sent(checked, step)) for step in in_notes] == [6, 6]


def test_a_shortcut_that_lacks_a_tap_is_stopped_put_aside_and_mended(runs: LearningRuns) -> None:
    lacking = runs.folder / "lacking.json"
    lacking.write_text(json.dumps({LACKING["name"]: LACKING}), encoding="utf-8")
    known = ("--shortcuts", lacking, "--scope", "task:notes_in_order")
    tasks = [part for name in ("first", "draft", "pair") for part in ("--task", f"notes_{name}")]
    manyhands("memory", "import", runs.memory, *known)
    run = runs.run(SCENARIOS, "checked", *tasks)
    first = episode(run, "notes_first")
    (step,) = called(first, "Write_Titled_Note")
    assert sent(first, step) == ["Tap", "Type"]
    (use,) = uses(first)
    assert (use.use.outcome, use.put_aside != "") == ("surprised", True)
    told = next(one.memory for one in episode(run, "notes_draft") if isinstance(one, EpisodeStarted))
    assert not any(one.endswith("@1") for one in told.shortcut_ids if not one.startswith("initial"))
    later = uses(episode(run, "notes_pair"))
    assert [(one.use.outcome, one.use.shortcut[-2:]) for one in later] == [("worked", "@2")] * 2
    history: Any = manyhands("memory", "history", runs.memory)
    assert [one["kind"] for one in history if one["id"].startswith("Write_Titled_Note")] == [
        "imported",
        "put_aside",
        "changed",
    ]

    runs.memory.unlink()
    manyhands("memory", "import", runs.memory, *known)
    blind = runs.run(SCENARIOS, "blind", *tasks, "--paper-exact", verified=False)
    for name, times in (("notes_first", 1), ("notes_draft", 1), ("notes_pair", 2)):
        steps = called(episode(blind, name), "Write_Titled_Note")
        assert len(steps) == times
        for step in steps:
            assert sent(episode(blind, name), step) == ["Tap", "Type", "Tap", "Type", "Tap"]
            assert outcome(episode(blind, name), step) is not Outcome.A
