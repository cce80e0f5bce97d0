"""Pauses and takeovers on the timeline of a report."""

from __future__ import annotations

from pathlib import Path

from manyhands.evaluation.report.report_folder import write_report
from manyhands.protocol.journals.records import (
    ActionSent,
    EpisodeHandedBack,
    EpisodePaused,
    EpisodeTakenOver,
    EpisodeUnpaused,
    Record,
)
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.report.opened import read_payload
from tests.evaluation.run_records import HOME, captured, ended, span, started, write_run

HOSTILE = "</script><script>"


def events_of(folder: Path, *records: Record) -> list[dict[str, object]]:
    """Return the events of a report of one episode, which starts at 0."""
    task = TaskSpec(id="one", goal="g")
    asked = {"run_id": "r", "profile": "e", "tasks": [task.model_dump(mode="json")]}
    write_run(folder, asked, {"one-1-a": [started("one-1-a", task), captured(0, span(0, 1)), *records]})
    write_report(folder)
    return list(read_payload(folder, "run")["events"])


def test_pauses_and_takeovers_have_a_beginning_an_end_and_a_person(tmp_path: Path) -> None:
    paused, taken = events_of(
        tmp_path,
        EpisodePaused(at=2.0, by="ann", reason=HOSTILE),
        EpisodeTakenOver(at=5.0, by="ben", last_step=0),
        ActionSent(at=6.0, step=1, key="k1", action=HOME, by="ben"),
        EpisodeHandedBack(at=9.0, by="ben", last_step=1),
        ended(12.0),
    )
    assert (paused["kind"], paused["at"], paused["end"], paused["phone"]) == ("paused", 2.0, 5.0, "p")
    assert paused["text"] == f"ann paused the episode: {HOSTILE}"
    assert (taken["kind"], taken["at"], taken["end"], taken["episode"]) == ("taken_over", 5.0, 9.0, "one-1-a")
    assert taken["text"] == "ben took the episode over, and did 1 action"


def test_a_pause_ends_when_it_is_ended_or_with_the_episode(tmp_path: Path) -> None:
    events = events_of(
        tmp_path,
        EpisodePaused(at=2.0, by="ann"),
        EpisodeUnpaused(at=3.0, by="ann"),
        EpisodePaused(at=4.0, by="ann"),
        ended(7.0),
    )
    assert [(event["at"], event["end"]) for event in events] == [(2.0, 3.0), (4.0, 7.0)]


def test_a_pause_may_last_beyond_the_journal(tmp_path: Path) -> None:
    [event] = events_of(tmp_path, EpisodePaused(at=2.0, by="ann"))
    assert event["end"] is None
