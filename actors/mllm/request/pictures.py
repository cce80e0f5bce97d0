"""Check that a server resizes pictures as its dialect does.

If coordinates are pixels of the resized picture, a wrong size would move them.
"""

from __future__ import annotations

import asyncio
import logging

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.probe import read_prompt
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import Prompt
from manyhands.actors.mllm.request.dialects import Dialect
from manyhands.protocol.errors import BadInput, ModelRefused
from manyhands.protocol.screens.geometry import Size

_SIZE = Size(width=1080, height=2400)
"""The size of a picture that every usual cap reduces."""
_MARKS = 2
"""The tokens around a picture in a prompt: start and end."""
_TIMEOUT_S = 60.0
_log = logging.getLogger(__name__)


async def check_pictures(transport: Transport, urls: tuple[str, ...], model: str, dialect: Dialect) -> None:
    """Ask each server for one token, with a picture and without. The difference is the picture's number of tokens.

    This is done only for dialects whose coordinates are pixels of the resized picture, and only with servers that have
    vLLM's /version. If a server does not answer now, a warning is logged and the server is accepted. Raises BadInput.
    """
    if dialect.full is not None:
        return
    pixels = np.full((_SIZE.height, _SIZE.width, 3), 128, np.uint8)
    picture = ModelImage(content_id=content_id(pixels), jpeg=await asyncio.to_thread(encode_jpeg, pixels))
    async with asyncio.TaskGroup() as group:
        tasks = {url: group.create_task(_tokens(transport, url, model, picture)) for url in urls}
    expected = dialect.image_tokens(_SIZE)
    for url, task in tasks.items():
        tokens = task.result()
        if tokens is None:
            _log.warning("%s does not report how it resizes pictures; its pixel cap must be that of max_pixels", url)
        elif tokens != expected:
            raise BadInput(_mismatch(url, tokens, expected, dialect))


def _mismatch(url: str, tokens: int, expected: int, dialect: Dialect) -> str:
    input_size = dialect.input_size(_SIZE)
    ours = input_size.width * input_size.height
    theirs = tokens * ours // expected
    return (
        f"{url} shows a picture of {_SIZE.width} x {_SIZE.height} in {theirs:,} pixels ({tokens} tokens), but "
        f"{dialect.name} with our max_pixels in {ours:,} ({expected} tokens), so every tap would miss; set max_pixels "
        "to the max_pixels of the server's --mm-processor-kwargs, or leave both out"
    )


async def _tokens(transport: Transport, url: str, model: str, picture: ModelImage) -> int | None:
    """Return how many tokens ``picture`` takes, without its marks. None if the server does not report it."""
    try:
        await transport.get_beside(url, "/version", _TIMEOUT_S)
        with_it = await _prompt_tokens(transport, url, model, picture, "Look.")
        without = await _prompt_tokens(transport, url, model, "Look.")
    except (RequestFailed, ModelRefused) as error:
        _log.debug("%s was asked how it resizes pictures: %s", url, error)
        return None
    return with_it - without - _MARKS if with_it > without > 0 else None


async def _prompt_tokens(transport: Transport, url: str, model: str, *content: str | ModelImage) -> int:
    answer = await read_prompt(transport, url, model, Prompt(system="", content=content), _TIMEOUT_S)
    return answer.counted().input_tokens
