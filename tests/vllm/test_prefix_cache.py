"""What ``doctor`` and ``bench model`` say of the prefix cache of a real engine: of a dense model and of a hybrid."""

from __future__ import annotations

from manyhands.actors.mllm import ModelSettings
from manyhands.actors.mllm.client.transport import Transport
from manyhands.deploy.fleet.model_servers.prefix_cache import CacheJudgement, judge_cache
from tests.vllm.conftest import Serve
from tests.vllm.server import VllmServer

BLOCK = 128
"""Tokens of a block of a dense model on vLLM's CPU backend."""
HYBRID_BLOCK = 1152
"""Tokens of a block of the tiny hybrid in bfloat16, by vLLM's log."""


async def judged(server: VllmServer) -> CacheJudgement:
    transport = Transport(ModelSettings(urls=(server.url,)))
    transport.open()
    try:
        judgement = await judge_cache(transport, server.url, server.model.name)
    finally:
        await transport.close()
    print(judgement.description)  # noqa: T201
    return judgement


async def test_a_chat_of_a_dense_model_is_cached_but_for_its_last_blocks(qwen3: VllmServer) -> None:
    judgement = await judged(qwen3)
    assert judgement.has_hits
    assert max(judgement.text.new_tokens, judgement.picture.new_tokens) <= 2 * BLOCK


async def test_a_chat_of_a_hybrid_is_cached_up_to_a_state(serve: Serve) -> None:
    with serve("qwen3_5") as server:
        judgement = await judged(server)
    assert judgement.has_hits
    assert max(judgement.text.new_tokens, judgement.picture.new_tokens) <= 2 * HYBRID_BLOCK
