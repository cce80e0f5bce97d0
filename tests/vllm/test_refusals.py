"""What a server does not take is a typed error with the server's reason."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from manyhands.actors.mllm import Prompt, dialect_named
from manyhands.protocol.errors import ManyhandsError, ModelRefused, Overloaded
from manyhands.protocol.roles.role import NoteReply, Role
from tests.vllm.asking import client_of, within
from tests.vllm.many import Varied, varied
from tests.vllm.screens import noise
from tests.vllm.server import CONTEXT, MAX_IMAGES, QUEUE, VllmServer


async def test_more_pictures_than_the_server_allows(qwen3: VllmServer) -> None:
    pictures = tuple(noise(8000 + number, 140, 140) for number in range(MAX_IMAGES + 1))
    async with client_of(qwen3) as client:
        with pytest.raises(ModelRefused, match=rf"400.*At most {MAX_IMAGES} image") as refused:
            await client.complete(
                Role.NOTE, Prompt("Look.", (*pictures, "What is there?")), NoteReply, "tiny-1", within()
            )
    (call,) = refused.value.calls
    assert (call.attempts, call.reply) == (1, None)


async def test_a_context_too_long(qwen3: VllmServer) -> None:
    words = "one two three four five six " * (CONTEXT // 4)
    async with client_of(qwen3) as client:
        with pytest.raises(ModelRefused, match=rf"400.*{CONTEXT} tokens") as refused:
            await client.complete(Role.NOTE, Prompt("Read.", (words,)), NoteReply, "tiny-1", within())
    assert refused.value.calls[0].attempts == 1


async def test_a_full_queue_is_waited_out(qwen3: VllmServer) -> None:
    """More requests at a time than the server takes: it answers 503 to the rest, and every call ends well."""
    requests = varied(2 * QUEUE, dialect_named("qwen3-vl"), seed=5)
    rejected = _rejections(qwen3)
    async with client_of(qwen3, max_in_flight=len(requests), max_attempts=100) as client:

        async def ask(one: Varied) -> int:
            return (await client.complete(one.role, one.prompt, one.reply, one.route, within())).call.attempts

        attempts = await asyncio.gather(*map(ask, requests))
    assert _rejections(qwen3) > rejected, "the queue was never full"
    assert max(attempts) > 1


async def test_our_own_queue_refuses_by_type(qwen3: VllmServer) -> None:
    requests = varied(12, dialect_named("qwen3-vl"), seed=6)
    async with client_of(qwen3, max_in_flight=2, max_waiting=4) as client:

        async def ask(one: Varied) -> str:
            try:
                await client.complete(one.role, one.prompt, one.reply, one.route, within())
            except ManyhandsError as error:
                return type(error).__name__
            return "answered"

        ended = Counter(await asyncio.gather(*map(ask, requests)))
    assert ended == {"answered": 6, Overloaded.__name__: 6}


def _rejections(server: VllmServer) -> float:
    return sum(value for name, value in server.metrics().items() if name.startswith("vllm:admission_rejections_total"))
