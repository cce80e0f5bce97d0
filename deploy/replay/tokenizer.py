"""Count tokens by asking the server, which has the tokenizer: vLLM's POST /tokenize."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.protocol.errors import BadInput

CONCURRENCY = 8
TIMEOUT_S = 60.0


class _Counted(BaseModel):
    count: int = Field(ge=0)


async def count_tokens(
    settings: ModelSettings, model: str, texts: Iterable[str], counted: Callable[[], None]
) -> dict[str, int]:
    """Return the number of tokens of each text, without tokens that a chat template would add.

    ``counted`` is called after each text. The first server of ``settings`` is asked, at /tokenize beside its /v1.
    Raises BadInput if this server does not offer /tokenize.
    """
    waiting = iter(dict.fromkeys(texts))
    counts: dict[str, int] = {}
    (url, *_) = settings.urls
    transport = Transport(settings)
    transport.open()

    async def work() -> None:
        for text in waiting:
            counts[text] = await _count(transport, url, {"model": model, "prompt": text, "add_special_tokens": False})
            counted()

    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(CONCURRENCY):
                workers.create_task(work())
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        await transport.close()
    return counts


async def _count(transport: Transport, url: str, body: dict[str, Any]) -> int:
    try:
        answer = await transport.post_beside(url, "/tokenize", body, TIMEOUT_S)
    except RequestFailed as error:
        raise BadInput(f"--mllm-url: exact tokens need a server with /tokenize, as vLLM: {error}") from None
    try:
        return _Counted.model_validate_json(answer).count
    except ValidationError:
        raise BadInput(f"--mllm-url: {url}: /tokenize answered something that is no count of tokens") from None
