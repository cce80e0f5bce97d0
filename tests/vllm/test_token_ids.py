"""The tokens that a call records are those that the engine read and wrote: a second engine request says so."""

from __future__ import annotations

import json
import urllib.request
from itertools import groupby
from typing import Any

import pytest

from manyhands.actors.mllm import Prompt, dialect_named, restore_request, try_question
from manyhands.actors.prompts import Prompts
from manyhands.protocol.messages import CallTokens, ModelCall
from manyhands.protocol.roles.role import DecideReply, NoteReply, Role
from tests.vllm.asking import client_of, settings, within
from tests.vllm.screens import Shown
from tests.vllm.server import MAX_PIXELS, VllmServer
from tests.vllm.test_caches import IMAGE_TOKENS, asked, fresh

Screens = tuple[Shown, ...]
LONGEST = 48
"""Tokens of a reply. No schema holds it, so that the second request needs none."""
LIMITS = dict.fromkeys(("decide", "reflect", "note"), LONGEST)
RECORDING: dict[str, Any] = {"record_tokens": True, "output": "headers", "max_tokens": LIMITS}
CLOSE = 1e-3
"""How far a token's log probability may be off: the engine may cut the prompt into other batches."""


def post(server: VllmServer, path: str, body: Any) -> Any:
    address = f"{server.url.removesuffix('/v1')}{path}"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=300) as answer:
        return json.load(answer)


def generated(server: VllmServer, call: ModelCall, images: dict[str, bytes]) -> Any:
    """Let the engine write from the recorded ids, with one place for each picture, which it has to expand itself."""
    assert call.tokens is not None
    messages = json.loads(restore_request(call, images))["messages"]
    parts = [part for message in messages for part in message["content"] if isinstance(part, dict)]
    pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    places = place_of_pictures(call.tokens)
    ids = [one for id, same in groupby(call.tokens.prompt_ids) for one in ([id] if id == places else same)]
    body = {
        "model": call.request["model"],
        "token_ids": ids,
        "content_parts": [{"type": "image_url", "url": url} for url in pictures],
        "return_token_ids": True,
        "sampling_params": {"temperature": 0, "max_tokens": LONGEST, "logprobs": 0},
    }
    return post(server, "/inference/v1/generate", body)


def place_of_pictures(tokens: CallTokens) -> int:
    return max((len(list(same)), id) for id, same in groupby(tokens.prompt_ids))[1]


@pytest.mark.parametrize(("role", "pictures"), [(Role.DECIDE, 1), (Role.REFLECT, 2)])
async def test_the_engine_reads_and_writes_the_recorded_tokens(
    qwen3: VllmServer, shown: Screens, role: Role, pictures: int
) -> None:
    before, now = fresh(9101, shown[0]), fresh(9102, shown[1])
    async with client_of(qwen3, **RECORDING) as client:
        call = await asked(client, Prompts(dialect_named("qwen3-vl", MAX_PIXELS)), role, before, now)
    tokens = call.tokens
    assert tokens is not None
    assert len(tokens.prompt_ids) == call.usage.input_tokens
    assert len(tokens.reply_ids) == call.usage.output_tokens
    assert tokens.prompt_ids.count(place_of_pictures(tokens)) == pictures * IMAGE_TOKENS

    images = {one.image.content_id: one.image.jpeg for one in (before, now)}
    second = generated(qwen3, call, images)
    assert tuple(second["prompt_token_ids"]) == tokens.prompt_ids
    (choice,) = second["choices"]
    assert tuple(choice["token_ids"]) == tokens.reply_ids
    logprobs = [one["logprob"] for one in choice["logprobs"]["content"]]
    assert sum(tokens.reply_logprobs) == pytest.approx(sum(logprobs), abs=CLOSE * len(logprobs))
    assert all(logprob <= 0 for logprob in tokens.reply_logprobs)


async def test_a_stream_tells_the_same_tokens(qwen3: VllmServer, shown: Screens) -> None:
    prompts, now = Prompts(dialect_named("qwen3-vl", MAX_PIXELS)), fresh(9103, shown[0])
    async with client_of(qwen3, **RECORDING) as client:
        plain = await asked(client, prompts, Role.DECIDE, now, now)
        client.partial_replies(within().episode)
        streamed = await asked(client, prompts, Role.DECIDE, now, now)
    assert plain.tokens is not None
    assert streamed.tokens is not None
    assert streamed.tokens.prompt == plain.tokens.prompt
    assert streamed.tokens.reply == plain.tokens.reply
    assert streamed.tokens.reply_logprobs == pytest.approx(plain.tokens.reply_logprobs, abs=CLOSE)


async def test_the_ids_of_a_text_are_those_of_the_tokenizer(qwen3: VllmServer) -> None:
    prompt = Prompt("You take notes.", ("Grüße, 你好 <|im_end|>",))
    async with client_of(qwen3, **RECORDING) as client:
        call = (await client.complete(Role.NOTE, prompt, NoteReply, "tiny-1", within())).call
    assert call.tokens is not None
    body = {"model": call.request["model"], "messages": call.request["messages"], "add_generation_prompt": True}
    assert tuple(post(qwen3, "/tokenize", body)["tokens"]) == call.tokens.prompt_ids


async def test_a_vllm_passes_the_check_before_the_first_task(qwen3: VllmServer, shown: Screens) -> None:
    prompt = Prompt("You are the operator.", ("What next?", shown[0].image))
    await try_question(settings(qwen3, record_tokens=True), Role.DECIDE, prompt, DecideReply)
