"""A cancelled call stops the server's work."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.actors.mllm import ModelClient
from manyhands.protocol.errors import DeadlinePassed
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import SpeculationSettings
from tests.vllm.asking import client_of, within
from tests.vllm.endless import EndlessReply
from tests.vllm.many import varied
from tests.vllm.server import VllmServer

LONGEST = 12_000
"""Tokens of an answer that would take minutes."""


async def until_running(server: VllmServer, wanted: int) -> None:
    """Until the server itself says so."""
    async with asyncio.timeout(60):
        while (await asyncio.to_thread(server.metrics))["vllm:num_requests_running"] != wanted:
            await asyncio.sleep(0.05)


def endless(client: ModelClient, number: int, seconds: float, speculative: bool = False) -> asyncio.Task[object]:
    one = varied(8, client.dialect, seed=77)[number]
    context = within(seconds).model_copy(update={"speculative": speculative})
    asked = client.complete(Role.NOTE, one.prompt, EndlessReply, one.route, context)
    return asyncio.create_task(asked)


async def test_cancelling_ends_the_requests_at_the_server(qwen3: VllmServer) -> None:
    await until_running(qwen3, 0)
    finished = (await asyncio.to_thread(qwen3.metrics)).get("vllm:request_success_total", 0.0)
    async with client_of(
        qwen3, max_tokens={Role.NOTE: LONGEST}, speculation=SpeculationSettings(wait_s=0, ramp_s=0)
    ) as client:
        calls = [endless(client, number, 600, speculative=number % 2 == 1) for number in range(4)]
        await until_running(qwen3, len(calls))
        for call in calls:
            call.cancel()
        assert all(
            isinstance(ended, asyncio.CancelledError) for ended in await asyncio.gather(*calls, return_exceptions=True)
        )
        await until_running(qwen3, 0)
    assert (await asyncio.to_thread(qwen3.metrics)).get("vllm:request_success_total", 0.0) == finished


async def test_a_passed_deadline_ends_the_request_at_the_server(qwen3: VllmServer) -> None:
    await until_running(qwen3, 0)
    async with client_of(qwen3, max_tokens={Role.NOTE: LONGEST}) as client:
        call = endless(client, 0, 5.0)
        await until_running(qwen3, 1)
        with pytest.raises(DeadlinePassed):
            await call
        await until_running(qwen3, 0)
