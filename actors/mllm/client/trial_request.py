"""Send a trial request to every server, to see whether the server accepts requests of this kind.

The answer is discarded.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from manyhands.actors.mllm.client.answers import advice, read_completion
from manyhands.actors.mllm.client.errors import ErrorStatus, RequestFailed, TimedOut
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import Prompt, recorded_body, wire_body, without_priority
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput, ModelRefused
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_TIMEOUT_S = 30.0
_SOON = ["{", "<", "#", " "]
"""Stop strings that occur early in every reply format, so that the model writes only a few tokens."""
_log = logging.getLogger(__name__)


async def try_question(settings: ModelSettings, role: Role, prompt: Prompt, reply: type[Reply]) -> None:
    """Ask all servers of a model. The settings must name the model.

    Raises BadInput with the message of a server that refuses. A server that is too busy or slow is accepted.
    """
    body = {**recorded_body(settings, role, reply, prompt), "stop": _SOON}
    images = {image.content_id: image.jpeg for image in prompt.images}
    transport = Transport(settings)
    transport.open()
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_refusal(transport, url, body, images)) for url in settings.urls]
    finally:
        await transport.close()
    refusals = [refusal for task in tasks if (refusal := task.result()) is not None]
    if refusals:
        raise BadInput(f"the model refuses what every task asks it: {'; '.join(refusals)}")


async def _refusal(transport: Transport, url: str, body: dict[str, Any], images: dict[str, bytes]) -> str | None:
    """Return the server's reason for refusing the request.

    None if the server accepts the request, or cannot tell now.
    """
    context = CallContext(episode="trial", step=0, deadline=HOST_CLOCK.now() + _TIMEOUT_S)
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            try:
                answer = await transport.post(url, wire_body(body, images), context)
            except ErrorStatus as error:
                if error.priority_refused and "priority" in body:
                    answer = await transport.post(url, wire_body(without_priority(body), images), context)
                elif error.status == 500:  # some servers answer 500 to a picture that they cannot read
                    answer = await transport.post(url, wire_body(body, images), context)
                else:
                    raise
            read_completion(url, answer)
    except (TimeoutError, TimedOut):
        _log.warning("%s has not answered a trial request within %g s", url, _TIMEOUT_S)
    except ModelRefused as error:
        return str(error)
    except RequestFailed as error:
        if isinstance(error, ErrorStatus) and error.retried and error.status != 500:
            _log.warning("%s did not accept a trial request now: %s", url, error)
            return None
        return f"{error}{advice(str(error))}"
    return None
