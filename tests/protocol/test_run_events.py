"""What happened in a run between two reports of its progress."""

from __future__ import annotations

from typing import Any

from manyhands import (
    Ending,
    EpisodeResult,
    RunEvent,
    RunProgress,
    StepBegan,
    TaskBegan,
    TaskEnded,
    WaitBegan,
    WaitEnded,
)
from manyhands.protocol.runs.progress import EpisodeProgress, RunChanges, RunWait, TasksDone

AWAY = RunWait(what="phone p2", since=1.0, reason="unplugged")
FIRST = {"task": "a", "episode": "a-1", "serial": "p1"}


def report(**given: Any) -> RunProgress:
    """Return a report with these parts."""
    return RunProgress(**{"total": 2, "waiting": 0, "running": (), "done": TasksDone(), "latest": (), **given})


def at_step(step: int) -> EpisodeProgress:
    """Return the first episode at a step."""
    return EpisodeProgress(**FIRST, step=step, doing="Tap")


def ended(task: str) -> EpisodeResult:
    """Return the result of a task."""
    return EpisodeResult(
        episode=f"{task}-1", task=task, serial="p1", attempt=1, ending=Ending.FINISHED, reason="", steps=2,
        verified=None, rubrics={}, started_at=1.0, ended_at=2.0,
    )  # fmt: skip


def test_events_are_what_differs_from_the_report_before() -> None:
    changes = RunChanges()
    reports: list[tuple[RunProgress, list[RunEvent]]] = [
        (report(), []),
        (report(running=(at_step(0),)), [TaskBegan(**FIRST), StepBegan(**FIRST, step=0, doing="Tap")]),
        (report(running=(at_step(0),), away=(AWAY,)), [WaitBegan(wait=AWAY)]),
        (report(running=(at_step(1),)), [WaitEnded(wait=AWAY), StepBegan(**FIRST, step=1, doing="Tap")]),
        (report(latest=(ended("a"),)), [TaskEnded(result=ended("a"))]),
        # Another one began and ended between two reports.
        (
            report(latest=(ended("a"), ended("b"))),
            [TaskBegan(task="b", episode="b-1", serial="p1"), TaskEnded(result=ended("b"))],
        ),
        (report(latest=(ended("a"), ended("b"))), []),
    ]
    for now, events in reports:
        assert list(changes.since_last(now)) == events
