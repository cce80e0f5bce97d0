"""Refuse limits on replies that a model could not write to their end within the deadline.

A thinking model's thoughts count as output, so its limit is several times that of other models. If the server is too
slow for such a limit, long replies would pass the deadline of their stage, one after another, and the episode would
fail after minutes. So the server's speed is measured before the first task, and compared.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.profiles import profile_of
from manyhands.deploy.fleet.model_servers.output_speed import MeasuredSpeed, measure_speed
from manyhands.protocol.errors import BadInput, first_error
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings

SLOWEST = 25.0
"""Tokens a second that any server is taken to write. Limits that need no more are not measured."""
LIMIT_S = 10.0
_USUAL_S = 180.0
"""The deadline of roles that no stage is named after."""
_ROLES_OF_STAGES = {"verify": Role.REFLECT, "memory": Role.NOTE}
"""Roles of stages that have other names than their roles."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Hold the longest reply of a role, in tokens, and how long its call may take."""

    role: Role
    tokens: int
    deadline_s: float
    stage: str | None

    @property
    def per_s(self) -> float:
        """Return the tokens a second without which the longest reply misses its deadline."""
        return self.tokens / self.deadline_s

    def refusal(self, url: str, speed: float) -> str:
        """Return the arithmetic, and what to do, for a server that writes so many tokens a second."""
        takes, fits = math.ceil(self.tokens / speed), int(speed * self.deadline_s)
        longer = f", raise episode.deadlines.{self.stage} to {takes} or more" if self.stage else ""
        return (
            f"models.{self.role}.max_tokens: {url} writes {speed:.0f} tokens a second for one request, so a reply of "
            f"{self.tokens} tokens takes {takes} s, and its deadline is {self.deadline_s:g} s: lower the limit to "
            f"{fits}{longer}, or take a model that thinks less"
        )


def attempt_limit_s(episode: EpisodeSettings) -> float:
    """Return the time limit of one attempt of a call: no deadline of a stage may be longer."""
    return max(_USUAL_S, *profile_of(episode.profile).deadlines(episode).values())


def token_budget(episode: EpisodeSettings, role: Role, model: ModelSettings) -> TokenBudget:
    """Return the longest reply of a role and its deadline."""
    deadlines = profile_of(episode.profile).deadlines(episode)
    stages = {_ROLES_OF_STAGES.get(stage, stage): stage for stage in deadlines}
    stage = stages.get(role)
    return TokenBudget(role, model.max_tokens[role], _USUAL_S if stage is None else deadlines[stage], stage)


async def check_token_budgets(episode: EpisodeSettings, models: Mapping[Role, ModelSettings]) -> None:
    """Raise BadInput, with the arithmetic, for a limit on replies that a server cannot fulfil in time.

    The settings must name the models. A speed that cannot be measured is only logged.
    """
    budgets: defaultdict[tuple[str, str | None], list[TokenBudget]] = defaultdict(list)
    models_by_server: dict[tuple[str, str | None], ModelSettings] = {}
    for role, model in models.items():
        budget = token_budget(episode, role, model)
        for url in model.urls if budget.per_s > SLOWEST else ():
            budgets[url, model.model].append(budget)
            models_by_server[url, model.model] = model
    with first_error():
        async with asyncio.TaskGroup() as group:
            for key, model in models_by_server.items():
                group.create_task(_check_server(key[0], model, max(budgets[key], key=lambda budget: budget.per_s)))


async def _check_server(url: str, model: ModelSettings, budget: TokenBudget) -> None:
    measured = await _measure(url, model)
    speed = measured.per_s or measured.below
    if speed is None:
        _log.warning("%s: its speed could not be measured: %s", url, measured.why)
    elif speed < budget.per_s:
        raise BadInput(budget.refusal(url, speed))


async def _measure(url: str, model: ModelSettings) -> MeasuredSpeed:
    transport = Transport(model)
    transport.open()
    try:
        return await measure_speed(transport, model, url, 1, LIMIT_S)
    finally:
        await transport.close()
