"""Counting tokens by asking the server that has the tokenizer: vLLM's POST /tokenize."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

import openai
from pydantic import BaseModel, Field, ValidationError

from actors.mllm.answers import described
from actors.mllm.transport import LOOPBACK
from protocol.errors import BadInput

CONCURRENCY = 8
TIMEOUT_S = 60.0


class _Counted(BaseModel):
    count: int = Field(ge=0)


async def count_tokens(
    url: str, model: str, texts: Iterable[str], api_key: str | None, counted: Callable[[], None]
) -> dict[str, int]:
    """The number of tokens of each text, without any that a template would add. ``counted`` is told of each.

    ``url`` is the server's base URL, which mostly ends in /v1; /tokenize stands beside it. Raises BadInput where
    the server does not offer it.
    """
    waiting = iter(dict.fromkeys(texts))
    found: dict[str, int] = {}
    root = url.rstrip("/").removesuffix("/v1")
    http = openai.DefaultAsyncHttpxClient(trust_env=urlsplit(url).hostname not in LOOPBACK)
    async with openai.AsyncOpenAI(
        base_url=root, api_key=api_key or "none", timeout=TIMEOUT_S, http_client=http
    ) as client:

        async def work() -> None:
            for text in waiting:
                found[text] = await _count(client, root, {"model": model, "prompt": text, "add_special_tokens": False})
                counted()

        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(CONCURRENCY):
                    workers.create_task(work())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
    return found


async def _count(client: openai.AsyncOpenAI, root: str, body: dict[str, Any]) -> int:
    try:
        answer = await client.post("/tokenize", cast_to=str, body=body)
    except openai.APIError as error:
        raise BadInput(
            f"--mllm-url: exact tokens need a server with /tokenize, as vLLM: {described(root, error)}"
        ) from None
    try:
        return _Counted.model_validate_json(answer).count
    except ValidationError:
        raise BadInput(f"--mllm-url: {root}/tokenize answered something that is no count of tokens") from None
