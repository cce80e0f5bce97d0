"""Train a tiny Qwen3-VL for one step with TRL's GRPOTrainer on a recorded run, and write what came into result.json.

``train_trl.py RUN FOLDER`` runs in TRL's environment; standard input has the prompts as a JSON list. The result has the
batch that TRL got, each sequence's log probability before and after the step, and what TRL logged.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from manyhands.protocol.tasks.task import TaskSpec
from manyhands.rollouts.trajectories import RunTrajectories, Trajectory
from manyhands.rollouts.trl_rollout import FleetRollout, episode_reward

TINY_MODEL = Path(__file__).parents[1] / "vllm" / "tiny_model.py"
GROUP, REPLIES = 4, 2


class RecordedFleet:
    """Yields episodes that were recorded before, each by its task's id."""

    def __init__(self, run: Path) -> None:
        self._recorded = RunTrajectories(run, None)

    async def rollouts(self, tasks: Sequence[TaskSpec]) -> AsyncGenerator[Trajectory, None]:
        for task in tasks:
            trajectory = self._recorded.trajectory(task.id)
            if trajectory is not None:
                yield trajectory


def log_probabilities(model: Any, batch: dict[str, list[Any]]) -> list[float]:
    """Return that of each reply after its prompt."""
    found = []
    for prompt, reply in zip(batch["prompt_ids"], batch["completion_ids"], strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([[*prompt, *reply]])).logits[0, len(prompt) - 1 : -1]
        found.append(float(logits.log_softmax(-1).gather(1, torch.tensor(reply)[:, None]).sum()))
    return found


def train(rollout: FleetRollout, prompts: Sequence[str], folder: Path) -> dict[str, Any]:
    model = folder / "model"
    subprocess.run([sys.executable, TINY_MODEL, model, "--family", "qwen3_vl"], check=True)
    result: dict[str, Any] = {}

    def observed(prompts: Sequence[str], trainer: GRPOTrainer) -> dict[str, list[Any]]:
        result["batch"] = batch = rollout(prompts, trainer)
        result["before"] = log_probabilities(trainer.model, batch)
        return dict(batch)

    config = GRPOConfig(
        output_dir=str(folder / "out"),
        max_steps=1,
        per_device_train_batch_size=GROUP * len(prompts),
        num_generations=GROUP,
        shuffle_dataset=False,
        learning_rate=1e-3,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    rows = Dataset.from_dict({"prompt": list(prompts)})
    trainer = GRPOTrainer(str(model), episode_reward, config, rows, rollout_func=observed)
    trainer.train()
    return {**result, "after": log_probabilities(trainer.model, result["batch"]), "log": trainer.state.log_history[0]}


async def main(run: Path, folder: Path) -> None:
    rollout = FleetRollout(RecordedFleet(run), REPLIES)
    result = await asyncio.to_thread(train, rollout, json.load(sys.stdin), folder)
    (folder / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
