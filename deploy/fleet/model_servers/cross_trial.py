"""Ask each server of a model about drawn crosses before the first task: do its answers fit the dialect?"""

from __future__ import annotations

import asyncio
import logging

from manyhands.actors.mllm import ModelSettings, Prompt, dialect_named
from manyhands.actors.mllm.client.answers import read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.deploy.fleet.model_servers.cross_question import (
    CROSSES,
    CrossReply,
    Point,
    cross_prompt,
    judge_crosses,
    read_point,
)
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_TIMEOUT_S = 30.0
_LONGEST = 64
"""The longest answer, in tokens."""
_log = logging.getLogger(__name__)


async def try_crosses(settings: ModelSettings) -> None:
    """Ask every server of a model. The settings must name the model and its dialect.

    Raises BadInput if the answers are right in another space of coordinates: every tap would miss. Answers that fit no
    space, and servers that do not answer now, are only logged: a model may be small, or have random weights.
    """
    dialect = dialect_named(settings.dialect, settings.max_pixels)
    prompts = await asyncio.to_thread(lambda: [cross_prompt(cross, dialect) for cross in CROSSES])
    transport = Transport(settings)
    transport.open()
    try:
        async with asyncio.TaskGroup() as group:
            tasks_by_url = {
                url: [group.create_task(_ask(transport, settings, url, prompt)) for prompt in prompts]
                for url in settings.urls
            }
    finally:
        await transport.close()
    for url, tasks in tasks_by_url.items():
        judged = judge_crosses([task.result() for task in tasks], dialect)
        if judged.dialect is not None:
            raise BadInput(
                f"{url} writes other coordinates than --dialect {dialect.name} says: {judged.description}; say "
                f"--dialect {judged.dialect}, or correct --max-pixels"
            )
        if not judged.right:
            _log.warning("%s: its coordinates could not be checked: %s", url, judged.description)


async def _ask(transport: Transport, settings: ModelSettings, url: str, prompt: Prompt) -> Point | None:
    """Return where a server sees a cross; None if it does not say, or does not answer."""
    context = CallContext(episode="trial", step=0, deadline=HOST_CLOCK.now() + _TIMEOUT_S)
    body = {**recorded_body(settings, Role.DECIDE, CrossReply, prompt), "max_tokens": _LONGEST}
    images = {image.content_id: image.jpeg for image in prompt.images}
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            answer = await transport.post(url, wire_body(without_priority(body), images), context)
            return read_point(read_completion(url, answer).text)
    except (RequestFailed, TimeoutError) as error:
        _log.info("%s: a question about a cross has no answer: %s", url, error)
        return None
