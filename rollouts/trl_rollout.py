"""Let TRL 1's GRPOTrainer train on episodes of a fleet whose prompts have no pictures: a ``rollout_func``.

::

    async with Fleet(mllm_url=["http://gpu:8000/v1"], record_tokens=True, temperature=1.0, ...) as fleet:
        await asyncio.to_thread(train, FleetRollout(fleet, replies=4))

    def train(rollout):
        config = GRPOConfig(use_vllm=True, vllm_server_base_url="http://gpu:8000", num_generations=32, ...)
        GRPOTrainer(..., args=config, rollout_func=rollout, reward_funcs=episode_reward).train()

The server is ``trl vllm-serve``, which gets the trainer's weights before each batch. A row's ``prompt`` is a task as
JSON. TRL wants one sequence for each of the ``num_generations`` places of a row, but an episode has a prompt and a
reply for each step. So an episode fills as many places as ``replies`` says, with replies drawn at random from its own,
and each has the episode's reward.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import TaskSpec

if TYPE_CHECKING:
    from manyhands.rollouts.trajectories import Trajectory
    from manyhands.rollouts.verl_loop import TrajectorySource

Place = dict[str, Any]
"""What TRL gets for one place, by the key of the column."""


def episode_reward(episode_reward: Sequence[float | None], **_: Any) -> Sequence[float | None]:
    """Return the rewards of the places' episodes, as ``reward_funcs``. TRL leaves out places without one."""
    return episode_reward


class FleetRollout:
    """Carry out the tasks of a batch. It is made on the fleet's event loop and called in the trainer's thread."""

    def __init__(self, fleet: TrajectorySource, replies: int = 1, roles: Sequence[str] = (Role.DECIDE.value,)) -> None:
        """``replies``: how many of an episode's replies TRL gets. ``roles``: those trained."""
        self._fleet = fleet
        self._replies = replies
        self._roles = frozenset(roles)
        self._loop = asyncio.get_running_loop()

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, list[Any]]:
        """Return a sequence for each prompt, with ``episode_reward``; equal prompts are a group.

        A place that no episode fills, because a fault ended it, has one masked token and no reward. Raises BadInput.
        """
        places_of = asyncio.run_coroutine_threadsafe(self._play(Counter(prompts)), self._loop).result()
        tokenizer = getattr(trainer.processing_class, "tokenizer", trainer.processing_class)
        end = [tokenizer.eos_token_id]
        empty = _place(end, end, [0.0], mask=0, reward=None)
        places = [next(places_of[prompt], empty) for prompt in prompts]
        return {column: [place[column] for place in places] for column in empty}

    async def _play(self, counts: Mapping[str, int]) -> dict[str, Iterator[Place]]:
        """Return the places that episodes fill, by prompt."""
        samples: list[TaskSpec] = []
        places: dict[str, list[Place]] = {}
        for prompt, count in counts.items():
            episodes, rest = divmod(count, self._replies)
            if rest:
                raise BadInput(f"num_generations: {count} places are not whole episodes of {self._replies} replies")
            task = TaskSpec.model_validate_json(prompt)
            if task.id in places:
                raise BadInput(f"{task.id}: two tasks have this id")
            samples += expand_groups([task], episodes)
            places[task.id] = []
        async with aclosing(self._fleet.rollouts(samples)) as trajectories:
            async for trajectory in trajectories:
                places[trajectory.facts.group] += self._fill_places(trajectory)
        return dict(zip(counts, map(iter, places.values()), strict=True))

    def _fill_places(self, trajectory: Trajectory) -> Iterator[Place]:
        rows = [row for row in trajectory.rows if row.facts.role in self._roles]
        if trajectory.reward is None or not rows:
            return
        order = random.Random(trajectory.facts.episode).sample(rows, len(rows))
        for row in islice(cycle(order), self._replies):
            if row.pictures:
                raise BadInput(f"{trajectory.facts.episode}: TRL's rollout_func takes no pictures, and its prompts do")
            if row.tokens is None:
                raise BadInput(f"{trajectory.facts.episode}: no token ids; give the fleet record_tokens=True")
            ids, logprobs = row.tokens.reply_ids, row.tokens.reply_logprobs
            yield _place(row.tokens.prompt_ids, ids, logprobs, mask=1, reward=trajectory.reward)


def _place(
    prompt: Sequence[int], reply: Sequence[int], logprobs: Sequence[float], mask: int, reward: float | None
) -> Place:
    return {
        "prompt_ids": list(prompt),
        "completion_ids": list(reply),
        "logprobs": list(logprobs),
        "env_mask": [mask] * len(reply),
        "episode_reward": reward,
    }
