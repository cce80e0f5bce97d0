"""What a run learned, counted from journals: lessons, uses of shortcuts, and what that took beside the steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.learning import uses_of
from manyhands.evaluation.summary import summarise, summary_of
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import Acted, Fault, Record
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.run_summary import LearningFigures, RunSummary, TaughtCounts, UseCounts
from manyhands.protocol.screens.actions import RunShortcut
from tests.evaluation.run_records import acted, decided, ended, reflected, span, started
from tests.evaluation.taught_run import LAST, ONE, SEARCH_ID, START, write_taught


@pytest.fixture
def learning(tmp_path: Path) -> LearningFigures:
    found = summarise(write_taught(tmp_path)).learning
    assert found is not None
    return found


def test_lessons_and_what_they_changed(learning: LearningFigures) -> None:
    assert (learning.lessons, learning.failed) == (2, 1)
    assert learning.tips == TaughtCounts(added=1, changed=1)
    assert learning.shortcuts == TaughtCounts(added=1, refused=1)
    assert learning.lesson_ms is not None
    assert learning.lesson_ms.p50 == 2000


def test_uses_by_what_became_of_them(learning: LearningFigures) -> None:
    assert learning.used == {
        "initial": UseCounts(worked=1),
        "learned": UseCounts(worked=1, surprised=1, put_aside=1),
    }
    assert (learning.used["learned"].total, learning.used["learned"].misused) == (3, 2)
    assert learning.put_aside == (f"{SEARCH_ID}@1",)


def test_what_works_beside_the_steps_is_counted_apart(learning: LearningFigures) -> None:
    calls = {asker: (used.calls, used.input_tokens) for asker, used in learning.model.items()}
    assert calls == {"steps": (14, 1150), "verifier": (3, 90), "retriever": (1, 7), "learners": (6, 90)}


def test_what_each_episode_knew_used_and_taught(learning: LearningFigures) -> None:
    rows = [(row.task, row.scenario, row.place, row.lesson) for row in learning.by_episode]
    assert rows == [
        ("one", "shop", 1, "taught"),
        ("two", "shop", 2, "taught"),
        ("three", "shop", 3, "failed"),
        ("alone", None, None, "none"),
    ]
    knew = [(row.tips, row.new_tips, row.shortcuts, row.new_shortcuts, row.left_out) for row in learning.by_episode]
    assert knew == [(1, 0, 1, 0, 0), (2, 1, 2, 1, 5), (2, 1, 2, 1, 0), (1, 0, 1, 0, 0)]
    one, two, three, _ = learning.by_episode
    assert (one.taught_tips, one.taught_shortcuts) == (TaughtCounts(added=1), TaughtCounts(added=1, refused=1))
    assert (one.problem, three.problem) == ("step 2 <was> not", "tips learner: no answer")
    assert (two.used["learned"].total, two.used["initial"].total) == (2, 1)


def test_a_run_without_lessons_has_no_such_figures() -> None:
    assert summary_of({}, [LAST]).learning is None


def test_a_summary_is_written_with_it_and_read_again(tmp_path: Path) -> None:
    summary = summarise(write_taught(tmp_path))
    assert RunSummary.model_validate(json.loads((tmp_path / "summary.json").read_text())) == summary


# ---------------------------------------------------------------------------- uses that nobody keeps
def played(*records: Record, memory: LongTermMemory) -> RecordedEpisode:
    begun = started("e", ONE).model_copy(update={"memory": memory})
    step = decided(0, span(0, 1), action=RunShortcut(shortcut=START.name, arguments={}))
    episode = episode_of((begun, step, *records, ended(9, steps=1)))
    assert episode is not None
    return episode


def failed(fault: Fault | None) -> Acted:
    return acted(0, span(1, 2)).model_copy(update={"problem": "why not", "fault": fault})


@pytest.mark.parametrize(
    ("records", "fate"),
    [
        ((acted(0, span(1, 2)), reflected(0, span(2, 3))), "worked"),
        ((acted(0, span(1, 2)), reflected(0, span(2, 3), Outcome.C)), "failed"),
        ((acted(0, span(1, 2)),), "untold"),
        ((failed("surprise"), reflected(0, span(2, 3), Outcome.B)), "surprised"),
        ((failed("precondition"),), "refused"),
        ((failed("action"),), "untold"),
        ((failed(None), reflected(0, span(2, 3), Outcome.C)), "untold"),
        ((), "untold"),
    ],
)
def test_in_a_profile_that_keeps_no_uses_they_are_told_by_what_was_done_and_judged(
    records: tuple[Record, ...], fate: str
) -> None:
    (use,) = uses_of(played(*records, memory=LongTermMemory(shortcuts=(START,))))
    assert (use.fate, use.origin, use.id, use.name) == (fate, "initial", "", START.name)
