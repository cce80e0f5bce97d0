"""Measure how many tokens a second a model server writes."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from manyhands.actors.mllm import ModelSettings, Prompt
from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

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
        context = CallContext(episode="trial", step=0, deadline=HOST_CLOCK.now() + limit_s)
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
