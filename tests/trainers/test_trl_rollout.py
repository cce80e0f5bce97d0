"""TRL's GRPOTrainer learns from episodes of a fleet: a rewarded reply gets likelier, the others of its group do not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Record
from manyhands.protocol.messages import CallTokens
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import decided, span
from tests.rollouts.sketched_run import Sketch, asked, captured, sketch_run
from tests.trainers.test_trainers import TRAINERS

pytestmark = pytest.mark.timeout(600)


def words_only(
    name: str, first: int, verified: bool | None, ending: Ending = Ending.FINISHED, steps: int = 3
) -> Sketch:
    """An episode whose operator saw no pictures; its replies have ids from ``first``."""
    calls = [
        asked(Role.DECIDE, f"Step {step}.", tokens=CallTokens.pack([5, 6, step], [first + step, first], [-9.0, -9.5]))
        for step in range(steps)
    ]
    extra: list[Record] = []
    for step, call in enumerate(calls):
        extra += [captured(step, step), decided(step, span(step, step + 1), call)]
    return Sketch(name, name.partition(".")[0], steps=0, verified=verified, ending=ending, extra=extra)


def test_rewarded_replies_get_likelier(tmp_path: Path) -> None:
    episodes = [
        words_only("music.1", 1000, verified=True),
        words_only("music.2", 2000, verified=False, steps=1),
        words_only("alarm.1", 3000, verified=None, ending=Ending.PHONE_LOST),
        words_only("alarm.2", 4000, verified=True),
    ]
    run = sketch_run(tmp_path / "run", *episodes)
    prompts = [TaskSpec(id=id, goal=id).model_dump_json() for id in ("music", "alarm")]
    words = [TRAINERS / "trl" / "bin" / "python", Path(__file__).with_name("train_trl.py"), run, tmp_path]
    done = subprocess.run(words, input=json.dumps(prompts), capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads((tmp_path / "result.json").read_text())
    batch = result["batch"]
    assert batch["episode_reward"] == [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, None, None]
    assert batch["env_mask"] == [[1, 1]] * 6 + [[0]] * 2
    replies = [tuple(ids) for ids in batch["completion_ids"]]
    assert set(replies[:2]) < {(1000, 1000), (1001, 1000), (1002, 1000)}  # two of three
    assert replies[2:4] == [(2000, 2000)] * 2  # its only one twice
    assert all(ids == [5, 6, reply[0] % 1000] for ids, reply in zip(batch["prompt_ids"][:6], replies, strict=False))
    assert batch["logprobs"][:6] == [[-9.0, -9.5]] * 6
    assert result["log"]["rewards/episode_reward/mean"] == pytest.approx(4 / 6)
    gains = [after - before for before, after in zip(result["before"], result["after"], strict=True)]
    assert min(gains[:2]) > 0 > max(gains[2:4])
