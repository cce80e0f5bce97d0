"""Let verl 0.9 train on episodes of a fleet: an agent loop with an output for each reply of the trained roles.

Name it in the file of ``agent_loop_config_path``::

    - name: manyhands
      _target_: manyhands.rollouts.verl_loop.FleetAgentLoop
      fleet: my_fleet:fleet_of_process

``fleet`` is a coroutine function of yours. It returns this process's one open ``Fleet``, with ``record_tokens``, with
``mllm_url`` of verl's servers, and with ``ray_address="auto"``, because verl has started Ray. A row of the data set has
a task as JSON in ``extra_info["task"]``.
"""

from __future__ import annotations

import asyncio
import importlib
import io
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Protocol

from PIL import Image
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.rollouts.trajectories import Trajectory


class TrajectorySource(Protocol):
    """Carry out tasks and yield their trajectories, as ``Fleet`` does."""

    def rollouts(self, tasks: Sequence[TaskSpec]) -> AsyncGenerator[Trajectory, None]:
        """Yield the trajectory of each episode that decided a task."""
        ...


class FleetAgentLoop(AgentLoopBase):  # type: ignore[misc]
    """Carry out a row's task on a phone."""

    def __init__(self, *args: Any, fleet: str, roles: Sequence[str] = (Role.DECIDE.value,), **kwargs: Any) -> None:
        """``fleet``: the coroutine function that returns the fleet, as ``module:name``. ``roles``: those trained."""
        super().__init__(*args, **kwargs)
        module, _, name = fleet.partition(":")
        self._fleet_of_process: Callable[[], Awaitable[TrajectorySource]] = getattr(
            importlib.import_module(module), name
        )
        self._roles = frozenset(roles)

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> list[AgentLoopOutput]:
        """Return an output for each reply; none after a fault, so that verl leaves the episode out.

        Groups are verl's (``rollout.n``); the number in the group sets the seed. Raises BadInput if the run records no
        tokens.
        """
        task = TaskSpec.model_validate_json(kwargs["extra_info"]["task"])
        number = int(kwargs.get("session_id", 0))
        sample = expand_groups([task], max(self.rollout_config.n, number + 1))[number]  # more in a validation
        fleet = await self._fleet_of_process()
        async with aclosing(fleet.rollouts([sample])) as trajectories:
            async for trajectory in trajectories:
                return await asyncio.to_thread(outputs_of, trajectory, self._roles)
        return []


def outputs_of(trajectory: Trajectory, roles: frozenset[str]) -> list[AgentLoopOutput]:
    """Return an output for each reply of ``roles``; none for a trajectory without a reward. Blocks to read pictures.

    Raises BadInput if a reply has no token ids, and StoreError.
    """
    if trajectory.reward is None:
        return []
    rows = [row for row in trajectory.rows if row.facts.role in roles]
    outputs = []
    for row in rows:
        if row.tokens is None:
            raise BadInput(
                f"{trajectory.facts.episode}: its replies have no token ids; give the fleet record_tokens=True"
            )
        pictures = [Image.open(io.BytesIO(trajectory.view.picture(picture))) for picture in row.pictures]
        outputs.append(
            AgentLoopOutput(
                prompt_ids=list(row.tokens.prompt_ids),
                response_ids=list(row.tokens.reply_ids),
                response_mask=[1] * len(row.tokens.reply_ids),
                response_logprobs=list(row.tokens.reply_logprobs),
                multi_modal_data={"images": pictures} if pictures else None,
                reward_score=trajectory.reward,
                num_turns=len(rows),
                metrics=AgentLoopMetrics(),
                extra_fields={"reward_extra_info": {}, "step": row.facts.step, "role": row.facts.role},
            )
        )
    return outputs
