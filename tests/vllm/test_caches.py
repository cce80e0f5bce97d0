"""What one role has paid for, the next one finds in the server's caches."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.actors.mllm import ModelClient, dialect_named
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply, Role
from tests.vllm.asking import client_of, decide_of, note_of, plan_of, reflect_of, within
from tests.vllm.screens import Shown, noise
from tests.vllm.server import MAX_PIXELS, VllmServer

Screens = tuple[Shown, ...]
BLOCK = 128
"""Tokens of a block of vLLM's CPU backend: less than two blocks of what is shared may be missed."""
IMAGE_TOKENS = 987
"""A 1080x2400 screenshot at the tests' pixel cap."""


def fresh(seed: int, like: Shown) -> Shown:
    """A screen whose picture no server has seen, of the same size."""
    image = noise(seed, like.screenshot.size.width // 28 * 28, like.screenshot.size.height // 28 * 28)
    return Shown(like.screenshot.model_copy(update={"content_id": image.content_id}), like.screen, image)


async def asked(client: ModelClient, prompts: Prompts, role: Role, before: Shown, now: Shown) -> ModelCall:
    """A role's call about ``now`` (and ``before``, for the reflector)."""
    route, context = "tiny-1", within()
    match role:
        case Role.PLAN:
            prompt = Planner.prompt(prompts, plan_of(now), [now.image])
            return (await client.complete(role, prompt, PlanReply, route, context)).call
        case Role.DECIDE:
            prompt = Operator.prompt(prompts, decide_of(now), [now.image])
            return (await client.complete(role, prompt, DecideReply, route, context)).call
        case Role.REFLECT:
            prompt = Reflector.prompt(prompts, reflect_of(before, now), [before.image, now.image])
            return (await client.complete(role, prompt, ReflectReply, route, context)).call
        case Role.NOTE:
            prompt = Notetaker.prompt(prompts, note_of(now), [now.image])
            return (await client.complete(role, prompt, NoteReply, route, context)).call


def risen(server: VllmServer, before: Mapping[str, float], name: str) -> float:
    return server.metrics()[name] - before[name]


async def test_an_equal_request_is_in_the_cache_but_for_its_last_block(qwen3: VllmServer, shown: Screens) -> None:
    prompts = Prompts(dialect_named("qwen3-vl", MAX_PIXELS))
    now = fresh(9001, shown[0])
    async with client_of(qwen3) as client:
        first = await asked(client, prompts, Role.DECIDE, now, now)
        counted = qwen3.metrics()
        second = await asked(client, prompts, Role.DECIDE, now, now)
    assert first.usage.input_tokens == second.usage.input_tokens
    assert second.usage.input_tokens - second.usage.cached_tokens <= 2 * BLOCK
    assert risen(qwen3, counted, "vllm:prefix_cache_hits_total") == second.usage.cached_tokens
    assert risen(qwen3, counted, "vllm:prefix_cache_queries_total") == second.usage.input_tokens
    assert risen(qwen3, counted, "vllm:mm_cache_queries_total") == 1
    assert risen(qwen3, counted, "vllm:mm_cache_hits_total") == 1


async def test_all_roles_of_a_step_share_what_comes_first(qwen3: VllmServer, shown: Screens) -> None:
    """The planner's picture is the operator's; what the operator saw comes first for the reflector."""
    prompts = Prompts(dialect_named("qwen3-vl", MAX_PIXELS))
    before, now = fresh(9002, shown[0]), fresh(9003, shown[1])
    async with client_of(qwen3) as client:
        plan = await asked(client, prompts, Role.PLAN, before, before)
        counted = qwen3.metrics()
        decide = await asked(client, prompts, Role.DECIDE, before, before)
        reflect = await asked(client, prompts, Role.REFLECT, before, now)
    # The planner paid for the picture; only the system text and the brief may have been there.
    assert plan.usage.input_tokens - plan.usage.cached_tokens > IMAGE_TOKENS - BLOCK
    assert decide.usage.cached_tokens > IMAGE_TOKENS
    # The picture before, with its elements, is there; the one after is new.
    assert reflect.usage.cached_tokens > IMAGE_TOKENS
    assert reflect.usage.input_tokens - reflect.usage.cached_tokens > IMAGE_TOKENS - BLOCK
    assert risen(qwen3, counted, "vllm:mm_cache_queries_total") == 3
    assert risen(qwen3, counted, "vllm:mm_cache_hits_total") == 2
    hits = decide.usage.cached_tokens + reflect.usage.cached_tokens
    assert risen(qwen3, counted, "vllm:prefix_cache_hits_total") == hits


async def test_another_picture_shares_the_words_before_it_only(qwen3: VllmServer, shown: Screens) -> None:
    prompts = Prompts(dialect_named("qwen3-vl", MAX_PIXELS))
    one, other = fresh(9004, shown[0]), fresh(9005, shown[0])
    async with client_of(qwen3) as client:
        first = await asked(client, prompts, Role.DECIDE, one, one)
        second = await asked(client, prompts, Role.DECIDE, other, other)
    assert first.usage.input_tokens - first.usage.cached_tokens > IMAGE_TOKENS - BLOCK
    assert 0 < second.usage.cached_tokens < second.usage.input_tokens - IMAGE_TOKENS + BLOCK
