"""What a trainer's gateway is told that an episode earned."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError

from manyhands.deploy.fleet.model_servers.sessions import EpisodeReward
from manyhands.evaluation.rewards import RewardFile
from manyhands.rollouts.trajectories import EpisodeView
from tests.rollouts.sketched_run import Sketch, sketch_run

MEETING_S = 0.3
_meeting = Barrier(2)


def meet(_: EpisodeView) -> float:
    """Return 1 if another thread asks at the same time, else 0."""
    try:
        _meeting.wait(MEETING_S)
    except BrokenBarrierError:
        return 0.0
    return 1.0


MEET = f"{__name__}:meet"


def test_one_episode_is_judged_at_a_time(tmp_path: Path) -> None:
    sketches = [Sketch(f"{task}-1-a", task=task) for task in ("one", "two", "three")]
    run = sketch_run(tmp_path / "run", *sketches, settings={"reward": MEET})
    reward = EpisodeReward(run, MEET)
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(reward, [one.records() for one in sketches])) == [0.0] * 3
    assert {name: one.reward for name, one in RewardFile(run).read().items()} == {one.episode: 0.0 for one in sketches}


def test_a_run_is_read_once_for_all_its_episodes(tmp_path: Path) -> None:
    done, failed = Sketch("one-1-a"), Sketch("two-1-a", task="two", verified=False)
    run = sketch_run(tmp_path / "run", done, failed)
    reward = EpisodeReward(run, "check")
    assert reward(done.records()) == 1.0
    (run / "run.yaml").unlink()
    assert reward(failed.records()) == 0.0


def test_another_process_gets_what_says_rewards(tmp_path: Path) -> None:
    sketch = Sketch("one-1-a")
    reward = EpisodeReward(sketch_run(tmp_path / "run", sketch), "check")
    reward(sketch.records())
    there: EpisodeReward = pickle.loads(pickle.dumps(reward))
    assert (there(sketch.records()), there([])) == (1.0, None)
