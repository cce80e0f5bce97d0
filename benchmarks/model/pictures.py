"""Measure how many new pictures a second a server takes, apart from the tokens a second that it reads.

One thread of each API process of vLLM prepares pictures, on the CPU. So pictures may limit a server whose GPU could
read more. Each picture is sent under a name of its own, by which vLLM tells that it is new.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np

from manyhands.actors.frames import ModelImage, encode_jpeg
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.client.errors import InvalidAnswer
from manyhands.actors.mllm.client.probe import read_prompt
from manyhands.actors.mllm.client.transport import Transport
from manyhands.protocol.base import Message
from manyhands.protocol.errors import first_error

AT_ONCE = 16
"""Requests at a time. More than one thread can prepare, and enough to fill a batch."""
LONGEST_S = 5.0
LIMITING = 2.0
"""Pictures limit a server that reads text of their length this many times as fast. The rest may be the encoder's work
on the GPU."""
MOST_API_SERVERS = 8
_WORDS = "the phone shows a list of shops and one of them is open now "
_WORDS_TOKENS = 14
_TILE = 24
_SCREEN = (2400 // _TILE, 1080 // _TILE, 3)


class PictureFigures(Message):
    """Hold the speed of one server with new pictures, and with text that is about as long."""

    pictures_s: float
    picture_tokens: float
    """Input tokens of a request with one picture."""
    text_tokens_s: float
    """Input tokens a second of requests with text alone."""

    @property
    def slowness(self) -> float:
        """Return how many times as long a picture takes as text of its length."""
        return self.text_tokens_s / (self.pictures_s * self.picture_tokens)

    @property
    def api_servers(self) -> int:
        """Return how many API processes would prepare pictures as fast as text is read; 1 if they are no limit."""
        return 1 if self.slowness < LIMITING else min(MOST_API_SERVERS, math.ceil(self.slowness))

    @property
    def description(self) -> str:
        """Return the speeds in one line, and what to do if pictures limit the server."""
        speeds = (
            f"{self.pictures_s:.3g} new pictures/s of {self.picture_tokens:,.0f} tokens; text alone "
            f"{self.text_tokens_s:,.0f} tokens/s"
        )
        if self.api_servers == 1:
            return f"{speeds}: pictures do not limit it"
        return (
            f"{speeds}, {self.slowness:.1f} times as fast: pictures limit it, by their preparation or "
            "the encoder. If it has the CPU cores, try manyhands mllm ... -- --api-server-count "
            f"{self.api_servers}. Each process has a picture cache of its own"
        )


@dataclass(frozen=True, slots=True)
class _Speed:
    requests_s: float
    tokens_s: float


async def measure_pictures(transport: Transport, url: str, model: str, seconds: float) -> PictureFigures:
    """Measure one server for about so many seconds, longer if it is slow: set a timeout around this.

    Raises RequestFailed, also if the server does not tell how many tokens it reads.
    """
    salt = secrets.token_hex(6)
    tiles = np.random.default_rng(int(salt, 16)).integers(0, 256, _SCREEN, np.uint8)
    jpeg = await asyncio.to_thread(lambda: encode_jpeg(tiles.repeat(_TILE, axis=0).repeat(_TILE, axis=1)))
    window_s = min(LONGEST_S, seconds / 3)

    async def ask(prompt: Prompt) -> int:
        tokens = (await read_prompt(transport, url, model, prompt)).counted().input_tokens
        if not tokens:
            raise InvalidAnswer(f"{url} does not tell how many tokens it reads")
        return tokens

    def picture(number: int) -> Prompt:
        return Prompt(f"Trial {salt}, {number}.", (ModelImage(content_id=f"{salt}-{number}", jpeg=jpeg),))

    first = await ask(picture(-1))
    text = _WORDS * (first // _WORDS_TOKENS + 1)
    pictures = await _speed(lambda number: ask(picture(number)), window_s)
    texts = await _speed(lambda number: ask(Prompt(f"Trial {salt}, text {number}.", (text,))), window_s)
    return PictureFigures(
        pictures_s=pictures.requests_s,
        picture_tokens=pictures.tokens_s / pictures.requests_s,
        text_tokens_s=texts.tokens_s,
    )


async def _speed(ask: Callable[[int], Awaitable[int]], seconds: float) -> _Speed:
    """Ask without a pause, ``AT_ONCE`` at a time. ``ask`` returns the tokens of a request."""
    numbers, tokens = itertools.count(), list[int]()
    began = time.perf_counter()

    async def repeat() -> None:
        while time.perf_counter() < began + seconds:
            tokens.append(await ask(next(numbers)))

    with first_error():
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(repeat())
    took_s = time.perf_counter() - began
    return _Speed(len(tokens) / took_s, sum(tokens) / took_s)
