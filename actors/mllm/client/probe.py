"""Ask a server what belongs to no episode: does it answer, what does it read, what does it cache?"""

from __future__ import annotations

from manyhands.actors.mllm.client.answers import ChatCompletion, read_completion
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import Prompt, messages_of, wire_body
from manyhands.protocol.messages import CallContext
from manyhands.protocol.utilities.host_clock import HOST_CLOCK


def probe_context(limit_s: float) -> CallContext:
    """Return the context of a request that belongs to no episode, and whose answer may take ``limit_s``."""
    return CallContext(episode="", step=0, deadline=HOST_CLOCK.now() + limit_s)


async def read_prompt(
    transport: Transport, url: str, model: str, prompt: Prompt, limit_s: float = 0.0, session: str = ""
) -> ChatCompletion:
    """Let a server read a prompt and write one token.

    Prompts of one ``session`` go to one replica where a router stands before several. Raises RequestFailed.
    """
    body = {"model": model, "messages": messages_of(prompt), "temperature": 0, "max_tokens": 1}
    images = {image.content_id: image.jpeg for image in prompt.images}
    context = probe_context(limit_s).model_copy(update={"episode": session})
    return read_completion(url, await transport.post(url, wire_body(body, images), context))
