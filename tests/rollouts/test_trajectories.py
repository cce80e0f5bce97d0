"""What users' functions and trainers see of an episode, and what becomes of what the functions say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.evaluation.rewards import REWARDS_FILE, RecordedReward, RewardFile
from manyhands.evaluation.summary import summarise
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.screens.actions import Tap
from manyhands.rollouts.trajectories import EpisodeView, RunTrajectories, load_reward
from tests.evaluation.run_records import write_run
from tests.rollouts.sketched_run import Sketch, jpeg, picture_id, sketch_run
from tests.rollouts.test_export import export, facts, rows


def taps(view: EpisodeView) -> float:
    """A user's function: a tenth for each tap, and something wrong for each goal that says so."""
    if view.goal == "Raise":
        raise ValueError("a broken reward")
    if view.goal == "Nan":
        return float("nan")
    return sum(isinstance(step.action, Tap) for step in view.steps) / 10


TAPS = f"{__name__}:taps"


def test_a_trajectory_holds_steps_pictures_and_rows(tmp_path: Path) -> None:
    sketch = Sketch("one-1-a", outcomes=[Outcome.A, Outcome.B], verified=False)
    run = sketch_run(tmp_path / "run", sketch)
    trajectory = RunTrajectories(run, None).trajectory("one-1-a")
    assert trajectory is not None
    view = trajectory.view
    assert (trajectory.reward, trajectory.facts.group, trajectory.facts.fault) == (0.0, "one", None)
    assert (view.goal, view.ending, view.verified, view.answer) == (sketch.goal, Ending.FINISHED, False, None)
    steps = [(step.number, step.verdict, step.by) for step in view.steps if step.action is not None]
    assert steps == [(0, Outcome.A, ""), (1, Outcome.B, "")]
    assert view.steps[1].action == Tap(x=1, y=1)
    assert [step.picture for step in view.steps] == [picture_id(number) for number in range(3)]
    assert view.picture(picture_id(1)) == jpeg(1)
    assert [row.facts.role for row in trajectory.rows] == ["decide", "reflect"] * 2
    assert RunTrajectories(run, None).trajectory("another") is None


def test_a_function_is_asked_once_for_each_episode_that_no_fault_ended(tmp_path: Path) -> None:
    sketches = [
        Sketch("one-1-a", task="one"),
        Sketch("two-1-a", task="two", goal="Raise", verified=False),
        Sketch("three-1-a", task="three", goal="Nan"),
        Sketch("four-1-a", task="four", ending=Ending.PHONE_LOST, verified=None),
    ]
    settings = {"dialect": "qwen3-vl", "reward": TAPS}
    run = sketch_run(tmp_path / "run", *sketches, settings=settings)
    function = load_reward(TAPS)
    RunTrajectories(run, function).record_rewards()
    written = (run / REWARDS_FILE).read_bytes()
    RunTrajectories(run, function).record_rewards()
    assert (run / REWARDS_FILE).read_bytes() == written
    earned = {row.id: (row.reward, row.fault) for row in summarise(run).by_task}
    assert earned == {
        "one": (0.2, None),
        "two": (None, "reward: ValueError: a broken reward"),
        "three": (None, "reward: it returned nan"),
        "four": (None, "phone_lost"),
    }
    summary = export(tmp_path / "out", run)
    assert {facts(row)["reward"] for row in rows(tmp_path / "out")} == {0.2}
    assert summary.episodes_left_out == {
        "fault: phone_lost": 1, "fault: reward: ValueError: a broken reward": 1, "fault: reward: it returned nan": 1,
    }  # fmt: skip


def test_journals_that_have_not_grown_are_read_once(tmp_path: Path) -> None:
    lost = Sketch("one-1-a", ending=Ending.LEASE_LOST)
    run = sketch_run(tmp_path / "run", lost, settings={"reward": TAPS})
    journal = run / "episodes" / "one-1-a" / "journal.mh"
    lost.ending = Ending.STEP_LIMIT
    second = tmp_path / "second"
    second.mkdir()
    write_run(second, {}, {"one-1-a": lost.records()})
    other = (second / "episodes" / "one-1-a" / "journal.mh").read_bytes()
    assert len(other) == journal.stat().st_size
    trajectories = RunTrajectories(run, load_reward(TAPS))
    trajectories.record_rewards()
    journal.write_bytes(other)
    trajectories.record_rewards()
    assert not (run / REWARDS_FILE).exists()
    journal.write_bytes(other + b"more")
    trajectories.record_rewards()
    assert RewardFile(run).read()["one-1-a"].reward == 0.2


def test_an_episode_is_asked_again_if_its_reward_could_not_be_written(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"), settings={"reward": TAPS})

    def blocking(view: EpisodeView) -> float:
        (run / REWARDS_FILE).mkdir()
        return 0.3

    trajectories = RunTrajectories(run, blocking)
    with pytest.raises(StoreError, match="cannot be written"):
        trajectories.record_rewards()
    (run / REWARDS_FILE).rmdir()
    with pytest.raises(StoreError, match="cannot be written"):
        trajectories.record_rewards()


def test_a_journal_that_goes_while_rewards_are_asked_is_a_store_error(tmp_path: Path) -> None:
    sketches = [Sketch(f"{task}-1-a", task=task) for task in ("one", "two")]
    run = sketch_run(tmp_path / "run", *sketches, settings={"reward": TAPS})

    def removing(view: EpisodeView) -> float:
        (run / "episodes" / "two-1-a" / "journal.mh").unlink()
        return 0.3

    with pytest.raises(StoreError, match="the journal of two-1-a cannot be read"):
        RunTrajectories(run, removing).record_rewards()


def test_the_first_word_on_an_episode_counts(tmp_path: Path) -> None:
    sketches = [Sketch(f"{task}-1-a", task=task) for task in ("one", "two")]
    run = sketch_run(tmp_path / "run", *sketches, settings={"reward": TAPS})

    def slow(view: EpisodeView) -> float:
        RewardFile(run).append(RecordedReward(episode=view.id, reward=0.5))  # as another process does meanwhile
        return 0.7

    readers = RunTrajectories(run, taps), RunTrajectories(run, slow)
    earned = {}
    for episode, order in (("one-1-a", readers), ("two-1-a", readers[::-1])):
        found = [reader.trajectory(episode) for reader in order]
        earned[episode] = [trajectory and trajectory.reward for trajectory in found]
    assert earned == {"one-1-a": [0.2, 0.2], "two-1-a": [0.5, 0.5]}
    with (run / REWARDS_FILE).open("ab") as file:
        file.write(b'{"episode":"one-1-a","reward":0.9,"problem":""}\n')
    assert RewardFile(run).read()["one-1-a"].reward == 0.2


def test_a_line_whose_writer_died_costs_no_other(tmp_path: Path) -> None:
    run = sketch_run(tmp_path / "run", Sketch("one-1-a"), settings={"reward": TAPS})
    (run / REWARDS_FILE).write_bytes(b'{"episode":"one-1-a","rew')
    RunTrajectories(run, taps).record_rewards()
    assert RewardFile(run).read()["one-1-a"].reward == 0.2


def test_the_share_of_rubrics_is_a_reward_where_the_run_says_so(tmp_path: Path) -> None:
    rubrics = {"rubrics": {"opened": True, "typed": False}}
    run = sketch_run(tmp_path / "run", Sketch("one-1-a", fields=rubrics), settings={"reward": "rubrics"})
    trajectory = RunTrajectories(run, load_reward("rubrics")).trajectory("one-1-a")
    assert trajectory is not None
    assert (trajectory.reward, trajectory.view.rubrics) == (0.5, rubrics["rubrics"])


def test_episodes_of_one_group_stand_together_in_an_export(tmp_path: Path) -> None:
    sketches = [Sketch(f"{task}-1-{at}", task=task, goal=task, at=at) for at, task in enumerate("abab")]
    run = sketch_run(tmp_path / "run", *sketches)
    export(tmp_path / "out", run)
    assert list(dict.fromkeys(facts(row)["episode"] for row in rows(tmp_path / "out"))) == [
        "a-1-0", "a-1-2", "b-1-1", "b-1-3",
    ]  # fmt: skip


@pytest.mark.parametrize(("source", "words"), [("no_such_module:f", "No module"), (f"{__name__}:TAPS", "no function")])
def test_a_function_that_is_not_there_is_refused(source: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        load_reward(source)


def test_a_function_is_found_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_reward_of_a_test.py").write_text("def half(view): return 0.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "nothing")  # and takes the path back at the end
    function: Callable[..., float | None] | None = load_reward("own_reward_of_a_test:half")
    assert function is not None
    assert function(None) == 0.5
