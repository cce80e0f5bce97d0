"""What came of a chaos, judged from journals that were written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.deploy.benchmarks.chaos.blame import NO_FAULT
from manyhands.deploy.benchmarks.chaos.figures import ChaosFigures
from manyhands.deploy.benchmarks.chaos.judging import judged
from manyhands.deploy.benchmarks.chaos.run import Played, Round
from manyhands.evaluation.faults import Fault
from manyhands.protocol.actions import Atom, Tap
from manyhands.protocol.base import Ending
from manyhands.protocol.journal import encode
from manyhands.protocol.memory import LongTermMemory
from manyhands.protocol.phones import Receipt
from manyhands.protocol.records import (
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    PhonePrepared,
    Record,
    Resumed,
    Span,
    StageResult,
)
from manyhands.protocol.tasks import TaskSpec

SERIAL = "phone-1"
DARK = {"source": "content://manyhands.simulator/state", "holds": {"path": "dark", "equals": True}}
TASK = TaskSpec.model_validate({"id": "dark", "goal": "Dark mode.", "check": DARK})


class Story:
    """Journals, ledger and left states, as a run and a phone would write them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journals: dict[str, list[Record]] = {}
        self.rows: list[dict[str, Any]] = []
        self.left: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.state: dict[str, Any] = {"dark": False}

    def begin(self, episode: str, at: float, attempt: int = 1) -> None:
        memory = LongTermMemory()
        started = EpisodeStarted(
            at=at, run="r", episode=episode, attempt=attempt, task=TASK, serial=SERIAL, epoch=1, profile="e",
            schedule="overlap", memory=memory,
        )  # fmt: skip
        self.journals[episode] = [started]
        self.reset(episode, f"{episode}:reset", at)

    def reset(self, episode: str, key: str, at: float) -> None:
        self.left.append({"lines": len(self.rows), "state": self.state})
        self.state = {"dark": False}
        self.receive(key)
        self.journals[episode].append(PhonePrepared(at=at, receipts=(receipt(key, at),)))

    def act(self, episode: str, step: int, at: float, action: Atom | None = None) -> None:
        key = f"{episode}:{step}:0"
        self.journals[episode] += [
            ActionSent(at=at, step=step, key=key, action=action or Tap(x=step, y=1)),
            ActionReceived(step=step, receipt=receipt(key, at)),
        ]
        self.receive(key)

    def work(self, episode: str, stage: str, start: float, end: float) -> None:
        self.journals[episode].append(StageResult(step=0, stage=stage, span=Span(start=start, end=end), data={}))

    def receive(self, key: str) -> None:
        self.rows.append({"key": key, "line": "input tap 1 1"})

    def resume(self, episode: str, step: int, at: float) -> None:
        self.journals[episode].append(Resumed(at=at, step=step, serial=SERIAL, epoch=2, cause="its host died"))

    def end(self, episode: str, at: float, verified: bool | None, ending: Ending = Ending.FINISHED) -> None:
        self.journals[episode].append(
            EpisodeEnded(at=at, ending=ending, reason="why", steps=1, verified=verified, rubrics={})
        )

    def hit(self, kind: str, at: float, over: float | None = None) -> None:
        self.faults.append(Fault(kind=kind, at=at, over=over or at, hit={SERIAL: "whatever ran"}))

    def figures(self, tasks: Sequence[str] = ("dark",)) -> ChaosFigures:
        self.folder.mkdir()
        asked = [{**TASK.model_dump(mode="json", by_alias=True, exclude_defaults=True), "id": task} for task in tasks]
        (self.folder / "run.yaml").write_text(yaml.safe_dump({"tasks": asked}))
        for episode, records in self.journals.items():
            path = self.folder / "episodes" / episode
            path.mkdir(parents=True)
            (path / "journal.mh").write_bytes(b"".join(encode(record, episode) for record in records))
        played = Round(self.folder, len(tasks), faults=self.faults)
        return judged(Played([played], {SERIAL: self.rows}, {SERIAL: self.left}, {SERIAL: self.state}))


def receipt(key: str, at: float) -> Receipt:
    return Receipt(key=key, status="done", sent_at=at, ms=1.0)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "run")


def test_an_episode_that_goes_on_in_place_does_nothing_again(story: Story) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.hit("kill-host", 12.0)
    story.resume("e1", 0, 14.0)
    story.act("e1", 1, 15.0)
    story.state = {"dark": True}
    story.end("e1", 16.0, verified=True)
    figures = story.figures()
    [row] = figures.rows
    assert (row.fault, row.times, row.episodes, row.next_p50_s) == ("kill-host", 1, 1, 3.0)
    assert (figures.lost, figures.repeated, figures.wrong, figures.redone, figures.continuations) == (0, 0, 0, 0, 1)
    assert (figures.tasks, figures.verified, figures.actions, figures.contradictions) == (1, 1, 2, {})


def test_a_fault_meets_the_stages_under_way_or_the_one_after_that_which_ended_last(story: Story) -> None:
    story.begin("e1", 10.0)
    story.hit("kill-adb", 10.5)
    story.work("e1", "plan", 11.0, 13.0)
    story.work("e1", "perceive", 11.0, 12.0)
    story.hit("kill-store", 11.5)
    story.hit("kill-host", 13.5)  # what it was at left no record
    story.resume("e1", 0, 14.0)
    story.work("e1", "capture", 15.0, 16.0)
    story.end("e1", 19.0, verified=False)
    stages = {row.fault: row.stages for row in story.figures().rows}
    assert stages == {
        "kill-adb": {"at its start": 1},
        "kill-store": {"plan": 1, "perceive": 1},
        "kill-host": {"after plan": 1},
    }


def test_what_waited_when_the_faults_were_over_is_not_lost_and_what_ran_is(story: Story) -> None:
    other = TASK.model_copy(update={"id": "other"})
    for episode, task, serial, reason in (
        ("e1", TASK, "", "drained by manyhands control"),
        ("e2", other, "", "the run was cancelled before the task ran"),
    ):
        started = EpisodeStarted(
            at=10.0, run="r", episode=episode, attempt=1, task=task, serial=serial, epoch=0, profile="e",
            schedule="overlap", memory=LongTermMemory(),
        )  # fmt: skip
        ended = EpisodeEnded(at=11.0, ending=Ending.CANCELLED, reason=reason, steps=0, verified=None, rubrics={})
        story.journals[episode] = [started, ended]
    figures = story.figures(("dark", "other"))
    assert (figures.tasks, figures.lost, list(figures.lost_tasks)) == (1, 1, ["other"])


def test_what_an_episode_did_before_another_was_begun_is_done_again(story: Story) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.act("e1", 1, 12.0)
    story.hit("kill-gateway", 13.0)
    story.end("e1", 14.0, verified=None, ending=Ending.PHONE_LOST)
    story.begin("e2", 15.0, attempt=2)
    story.act("e2", 0, 16.0)
    story.state = {"dark": True}
    story.end("e2", 17.0, verified=True)
    figures = story.figures()
    [row] = figures.rows
    assert (row.fault, row.redone, row.lost, figures.begun_anew) == ("kill-gateway", 2, 0, 1)
    assert figures.redone_share == pytest.approx(2 / 3)


def test_a_reset_throws_away_what_was_done_and_the_same_action_again_counts(story: Story) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.hit("kill-host", 12.0)
    story.resume("e1", 0, 13.0)
    story.act("e1", 1, 14.0, Tap(x=0, y=1))
    story.hit("disk-full", 15.0, over=17.0)
    story.resume("e1", 1, 18.0)
    story.reset("e1", "e1:reset:3", 18.5)
    story.act("e1", 2, 19.0)
    story.state = {"dark": True}
    story.end("e1", 20.0, verified=True)
    figures = story.figures()
    assert {row.fault: (row.redone, row.next_p50_s) for row in figures.rows} == {
        "kill-host": (1, 2.0),
        "disk-full": (2, 2.0),
    }


@pytest.mark.parametrize(("ending", "verified"), [(Ending.HOST_LOST, None), (Ending.FINISHED, None), (None, None)])
def test_a_task_without_a_result_is_lost(story: Story, ending: Ending | None, verified: bool | None) -> None:
    story.begin("e1", 10.0)
    story.hit("kill-dispatcher", 11.0)
    if ending is not None:
        story.end("e1", 12.0, verified, ending)
    figures = story.figures(("dark", "never"))
    assert figures.lost_tasks.keys() == {"dark", "never"}
    assert {row.fault: row.lost for row in figures.rows} == {"kill-dispatcher": 2}


@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("followed", [True, False])
def test_a_result_that_the_phone_contradicts_is_wrong(story: Story, said: bool, followed: bool) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.state = {"dark": not said}
    story.end("e1", 12.0, verified=said)
    if followed:  # the next reset finds what the episode has left
        story.begin("e2", 13.0)
        story.end("e2", 14.0, verified=False)
    figures = story.figures(("dark", "dark") if followed else ("dark",))
    assert [(wrong.episode, wrong.said) for wrong in figures.wrong_results] == [("e1", said)]
    assert [(row.fault, row.wrong) for row in figures.rows] == [(NO_FAULT, 1)]


def test_a_key_that_a_phone_received_twice_is_repeated(story: Story) -> None:
    story.begin("e1", 10.0)
    story.hit("freeze-gateway", 10.5, over=10.6)
    story.act("e1", 0, 11.0)
    story.receive("e1:0:0")
    story.receive("strange")
    story.end("e1", 12.0, verified=False)
    figures = story.figures()
    assert [(row.fault, row.repeated) for row in figures.rows] == [("freeze-gateway", 1)]
    assert figures.contradictions == {"unjournalled": 1}
