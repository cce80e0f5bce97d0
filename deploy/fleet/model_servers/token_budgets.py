"""Measure how many tokens a second a model server writes, and refuse limits on replies that it could not fill in time.

A thinking model's thoughts count as output, so its limit is several times that of other models. If the server is too
slow for such a limit, long replies would pass the deadline of their stage, one after another, and the episode would
fail after minutes. So the server's speed is measured before the first task, and compared.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from manyhands.actors.mllm import ModelSettings, Prompt
from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.probe import probe_context
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.actors.profiles import profile_of
from manyhands.protocol.errors import BadInput, first_error
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings

TOKENS = 64
"""The length of each answer, in tokens."""
_QUESTION = Prompt(system="You count.", content=("Write the numbers from 1 to 400 in words, in a row.",))


@dataclass(frozen=True, slots=True)
class MeasuredSpeed:
    """Hold how fast a server answered several requests that were sent at once."""

    requests: int
    per_s: float | None
    """The tokens a second of all requests together; None if the speed could not be measured."""
    why: str = ""
    """Why the speed could not be measured; empty if it was."""
    below: float | None = None
    """If no answer came in time: the speed that the server did not reach."""


async def measure_speed(
    transport: Transport, settings: ModelSettings, url: str, requests: int, limit_s: float
) -> MeasuredSpeed:
    """Send a server some requests at once and wait for their answers, at most ``limit_s``."""
    body = without_priority(recorded_body(settings, Role.DECIDE, NoteReply, _QUESTION))
    body.pop("response_format", None)  # a schema would end the answers early
    content = wire_body({**body, "max_tokens": TOKENS}, {})

    async def ask() -> ChatCompletion:
        context = probe_context(limit_s)
        return read_completion(url, await transport.post(url, content, context))

    began = time.monotonic()
    try:
        async with asyncio.timeout(limit_s):
            answers = await asyncio.gather(*(ask() for _ in range(requests)))
    except TimeoutError:
        below = requests * TOKENS / limit_s
        return MeasuredSpeed(requests, None, f"less than {below:.0f} tokens/s at {requests}", below)
    except RequestFailed as error:
        return MeasuredSpeed(requests, None, str(error))
    tokens = sum(answer.counted().output_tokens for answer in answers)
    if not tokens:
        return MeasuredSpeed(requests, None, "it does not tell how many tokens it writes")
    return MeasuredSpeed(requests, tokens / max(1e-3, time.monotonic() - began))


SLOWEST = 25.0
"""Tokens a second that any server is taken to write. Limits that need no more are not measured."""
LIMIT_S = 10.0
_USUAL_S = 180.0
"""The deadline of roles that no stage is named after."""
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
    profile = profile_of(episode.profile)
    deadlines = profile.deadlines(episode)
    stage = {stage.asks or stage.name: stage.name for stage in profile.stages(episode)}.get(role)
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
