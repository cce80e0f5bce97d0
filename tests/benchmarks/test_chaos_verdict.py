"""What came of a chaos, judged from journals that were written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from manyhands.benchmarks.chaos.judged_round import NO_FAULT
from manyhands.benchmarks.chaos.run import PlayedRound, Round
from manyhands.benchmarks.chaos.verdict import ChaosFigures, judged
from manyhands.evaluation.run_folder import InjectedFault
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import (
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
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.screens.actions import AtomicAction, Tap
from manyhands.protocol.tasks.task import TaskSpec

SERIAL = "phone-1"
DARK = {"source": "content://manyhands.simulator/state", "holds": {"path": "dark", "equals": True}}
TASK = TaskSpec.model_validate({"id": "dark", "goal": "Dark mode.", "check": DARK})
OTHER = TASK.model_copy(update={"id": "other"})


class Story:
    """Journals, ledger and left states, as a run and a phone would write them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journals: dict[str, list[Record]] = {}
        self.rows: list[dict[str, Any]] = []
        self.reached: dict[str, tuple[str, ...]] = {}
        self.exit_code: int | None = None
        self.told: dict[str, Any] = {}
        self.left: list[dict[str, Any]] = []
        self.faults: list[InjectedFault] = []
        self.state: dict[str, Any] = {"dark": False}

    def begin(self, episode: str, at: float, attempt: int = 1, task: TaskSpec = TASK) -> None:
        memory = LongTermMemory()
        started = EpisodeStarted(
            at=at, run="r", episode=episode, attempt=attempt, task=task, serial=SERIAL, epoch=1, profile="e",
            schedule="overlap", memory=memory,
        )  # fmt: skip
        self.journals[episode] = [started]
        self.reset(episode, f"{episode}:reset", at)

    def reset(self, episode: str, key: str, at: float) -> None:
        self.left.append({"lines": len(self.rows), "state": self.state})
        self.state = {"dark": False}
        self.receive(key)
        self.journals[episode].append(PhonePrepared(at=at, receipts=(receipt(key, at),)))

    def act(
        self, episode: str, step: int, at: float, action: AtomicAction | None = None, reached: str | None = None
    ) -> None:
        """``reached``: what the phone says, by default something else at each step; nothing where it is empty."""
        key = f"{episode}:{step}:0"
        self.journals[episode] += [
            ActionSent(at=at, step=step, key=key, action=action or Tap(x=step, y=1)),
            ActionReceived(step=step, receipt=receipt(key, at)),
        ]
        self.receive(key)
        self.reached[key] = (f"view {step}" if reached is None else reached,) if reached != "" else ()

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
        self.faults.append(InjectedFault(kind=kind, at=at, over=over or at, hit={SERIAL: "whatever ran"}))

    def figures(self, tasks: Sequence[str] = ("dark",), written: Sequence[str] | None = None) -> ChaosFigures:
        """``written``: the tasks that the run itself wrote down, by default those that it was given."""
        self.folder.mkdir()
        asked = self._asked(tasks)
        (self.folder / "run.yaml").write_text(yaml.safe_dump({"tasks": self._asked(written or tasks)}))
        for episode, records in self.journals.items():
            path = self.folder / "episodes" / episode
            path.mkdir(parents=True)
            (path / "journal.mh").write_bytes(b"".join(encode(record, episode) for record in records))
        played = Round(self.folder, asked, faults=self.faults, exit_code=self.exit_code, told=self.told)
        reached = {SERIAL: self.reached}
        return judged(PlayedRound([played], {SERIAL: self.rows}, {SERIAL: self.left}, reached, {SERIAL: self.state}))

    def _asked(self, tasks: Sequence[str]) -> list[dict[str, Any]]:
        return [{**TASK.model_dump(mode="json", by_alias=True, exclude_defaults=True), "id": task} for task in tasks]


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
    for episode, task, serial, reason in (
        ("e1", TASK, "", "drained by manyhands control"),
        ("e2", OTHER, "", "the run was cancelled before the task ran"),
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
    story.act("e1", 1, 14.0, Tap(x=4, y=2), reached="view 0")
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
        story.begin("e2", 13.0, task=OTHER)
        story.end("e2", 14.0, verified=False)
    figures = story.figures(("dark", "other") if followed else ("dark",))
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


@pytest.mark.parametrize(
    ("before", "after", "redone"),
    [
        (("tap Save",), ("tap Save",), 1),
        (("tap Notes", "tap New"), ("tap Notes", "tap New"), 2),
        (("tap Home", "tap Notes", "tap New"), ("tap Notes", "tap New", "type x"), 2),
        (("scroll from 0",), ("scroll from 300",), 0),
        (("",), ("",), 0),
        (("tap Save", ""), ("", "tap Save"), 1),
    ],
)
def test_done_again_is_what_reached_the_same_wherever_it_was_sent(
    story: Story, before: tuple[str, ...], after: tuple[str, ...], redone: int
) -> None:
    story.begin("e1", 10.0)
    for step, reached in enumerate(before):
        story.act("e1", step, 11.0 + step, Tap(x=step, y=1), reached)
    story.hit("kill-host", 15.0)
    story.resume("e1", len(before) - 1, 16.0)
    for step, reached in enumerate(after, len(before)):
        story.act("e1", step, 17.0 + step, Tap(x=50 + step, y=1), reached)
    story.state = {"dark": True}
    story.end("e1", 30.0, verified=True)
    assert story.figures().redone == redone


def test_a_task_that_the_run_itself_forgot_is_lost(story: Story) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.state = {"dark": True}
    story.end("e1", 12.0, verified=True)
    figures = story.figures(("dark", "forgotten"), written=("dark",))
    assert (figures.tasks, figures.lost_tasks) == (2, {"forgotten": "never begun"})


def test_a_task_that_nobody_gave_to_the_run_is_judged_by_its_journal(story: Story) -> None:
    story.begin("e1", 10.0)
    story.end("e1", 12.0, verified=False)
    story.begin("e2", 13.0, task=OTHER)
    figures = story.figures(("dark",))
    assert (figures.tasks, figures.lost_tasks) == (2, {"other": "its journal has no end"})


@pytest.mark.parametrize(("exit_code", "clean"), [(0, True), (1, False), (None, False)])
def test_a_run_must_end_with_the_exit_code_that_its_tasks_deserve(
    story: Story, exit_code: int | None, clean: bool
) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.state = {"dark": True}
    story.end("e1", 12.0, verified=True)
    story.exit_code = exit_code
    figures = story.figures()
    assert figures.is_clean is clean
    assert figures.wrong_exits == ({} if clean else {"run": f"{exit_code}, and 0 was due"})


def test_every_figure_that_tells_of_a_failure_counts(story: Story) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.state = {"dark": True}
    story.end("e1", 12.0, verified=True)
    story.exit_code = 0
    figures = story.figures()
    assert figures.is_clean
    names = ("not_verified", "lost", "repeated", "wrong", "damaged", "unrecovered", "left_over", "not_json")
    spoilt: dict[str, Any] = dict.fromkeys(names, 1) | {
        "contradictions": {"missing": 1},
        "wrong_exits": {"run": "1"},
        "told_otherwise": {"dark": "else"},
    }
    for name, value in {**spoilt, "tasks": 0}.items():
        changed = figures.model_copy(update={name: value})
        assert (changed.is_clean, changed.failures) == (False, (name,))


def test_a_pair_has_a_row_of_its_own_and_is_told_in_those_of_its_kinds(story: Story) -> None:
    story.begin("e1", 10.0)
    pair = InjectedFault(
        kind="pair", at=11.0, over=12.0, hit={SERIAL: "e1"}, pair=("disk-full", "kill-host"), clock_s=7200.0
    )
    story.faults.append(pair)
    story.act("e1", 0, 7211.5)  # the run's clock is off
    story.act("e1", 1, 14.0)
    story.state = {"dark": True}
    story.end("e1", 15.0, verified=True)
    rows = {row.fault: (row.times, row.in_pairs, row.next_p50_s) for row in story.figures().rows}
    assert rows == {"pair": (1, 0, 0.5), "disk-full": (0, 1, None), "kill-host": (0, 1, None)}


@pytest.mark.parametrize(("finished", "verified"), [("finished", True), ("host_lost", None), ("finished", False)])
def test_what_a_command_printed_is_held_against_the_journals(
    story: Story, finished: str, verified: bool | None
) -> None:
    story.begin("e1", 10.0)
    story.act("e1", 0, 11.0)
    story.state = {"dark": True}
    story.end("e1", 12.0, verified=True)
    story.exit_code = 0
    story.told = {"by_task": [{"id": "dark", "finished": finished, "verified": verified}]}
    figures = story.figures()
    assert set(figures.told_otherwise) == (set() if verified else {"dark"})
    assert figures.is_clean is bool(verified)
