"""With ``record_tokens``, each call holds its tokens, plain or streamed; servers without them are refused at start."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import ModelClient, ModelSettings, Prompt, try_question
from manyhands.actors.mllm.client.answers import read_completion, read_tokens, read_weights
from manyhands.actors.mllm.client.errors import TokensMissing
from manyhands.protocol.errors import BadInput, ModelUnreachable
from manyhands.protocol.messages import CallTokens, ModelCall, WeightSpan
from manyhands.protocol.roles.role import DecideReply, NoteReply, Role
from manyhands.simulator.rehearsal import RehearsalSettings, rehearse
from manyhands.simulator.serving.made_tokens import PICTURE
from tests.actors.mllm.model_servers import Answer, ModelServer, Raw, Say, Stream, serving, settings_for
from tests.actors.mllm.test_live_texts import EPISODE, SSE, events
from tests.actors.mllm.test_model_client import NOTES, PROMPT, client_of, context
from tests.simulator.rehearsal.parts import text_image

PROMPT_IDS = [5, *[PICTURE] * 20, 2**31]
REPLY_IDS, LOGPROBS = [7, 8, 9], [-0.5, -0.25, 0.0]
CONTENT = {"content": [{"token": "x", "logprob": one, "bytes": None, "top_logprobs": []} for one in LOGPROBS]}
SPANS = [{"version": "3", "start": 0, "end": 2}, {"version": "4", "start": 2, "end": 3}]
USAGE = {"prompt_tokens": len(PROMPT_IDS), "completion_tokens": 3}


def answer(choice: dict[str, Any], **others: Any) -> Raw:
    message = {"message": {"content": NOTES}, "finish_reason": "stop", "logprobs": CONTENT}
    return Raw(json.dumps({"choices": [message | choice], "usage": USAGE, **others}), "application/json")


def of_vllm(prompt: list[int] = PROMPT_IDS) -> Raw:
    return answer({"token_ids": REPLY_IDS, "weight_versions": SPANS}, prompt_token_ids=prompt)


def of_sglang() -> Raw:
    ids = {"prompt_token_ids": PROMPT_IDS, "response_token_ids": REPLY_IDS}
    return answer(ids, metadata={"weight_version": "4", "weight_versions": SPANS})


def in_events(with_ids: bool = True) -> list[bytes]:
    """What vLLM streams: the prompt's ids first, each token with its piece, the weights at the end."""
    pieces = [json.loads(event[6:]) for event in events(NOTES, 3) if event.startswith(b"data: {")]
    if with_ids:
        pieces[0]["prompt_token_ids"] = PROMPT_IDS
        for number in range(3):
            choice = pieces[1 + number]["choices"][0]
            choice |= {"token_ids": [REPLY_IDS[number]], "logprobs": {"content": [CONTENT["content"][number]]}}
        pieces[4]["choices"][0] |= {"token_ids": [], "weight_versions": SPANS}
    return [*(f"data: {json.dumps(piece)}\n\n".encode() for piece in pieces), b"data: [DONE]\n\n"]


async def call(client: ModelClient) -> ModelCall:
    return (await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())).call


def held(call: ModelCall) -> None:
    assert call.tokens is not None
    assert (list(call.tokens.prompt_ids), list(call.tokens.reply_ids)) == (PROMPT_IDS, REPLY_IDS)
    assert list(call.tokens.reply_logprobs) == LOGPROBS
    assert [span.model_dump() for span in call.weights] == SPANS


@pytest.mark.parametrize("said", [of_vllm(), of_sglang()], ids=["vllm", "sglang"])
async def test_a_call_holds_its_tokens_and_the_weights_that_wrote_it(said: Answer) -> None:
    async with serving(ModelServer(said)) as server:
        async with client_of(server, record_tokens=True) as client:
            held(await call(client))
    sent = server.received[0].json
    assert (sent["logprobs"], sent["top_logprobs"], sent["return_token_ids"]) == (True, 0, True)


async def test_nobody_asks_for_tokens_without_the_setting() -> None:
    async with serving(ModelServer(of_vllm())) as server, client_of(server) as client:
        found = await call(client)
    assert found.tokens is None
    assert not {"logprobs", "return_token_ids"} & server.received[0].json.keys()
    assert [span.version for span in found.weights] == ["3", "4"]


async def test_a_stream_tells_the_same_tokens() -> None:
    async with serving(ModelServer(Stream(in_events, SSE))) as server:
        async with client_of(server, record_tokens=True) as client:
            client.partial_replies(EPISODE)
            held(await call(client))
    assert [received.json.get("stream") for received in server.received] == [True]


async def test_a_server_that_streams_no_tokens_is_asked_without_a_stream() -> None:
    async with serving(ModelServer(Stream(lambda: in_events(False), SSE), of_vllm())) as server:
        async with client_of(server, record_tokens=True) as client:
            client.partial_replies(EPISODE)
            found = await call(client)
            held(found)
    assert found.attempts == 1
    assert [received.json.get("stream") for received in server.received] == [True, None]


async def test_a_server_that_stops_telling_tokens_fails_the_call() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        async with client_of(server, record_tokens=True, max_attempts=2) as client:
            with pytest.raises(ModelUnreachable, match="record_tokens"):
                await call(client)
    assert len(server.received) == 2


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (Say(NOTES), "does not tell the ids of all tokens"),
        (answer({"token_ids": REPLY_IDS[1:]}, prompt_token_ids=PROMPT_IDS), "does not tell the ids of all tokens"),
        (of_vllm([1, PICTURE, 2]), "without the places of its pictures"),
    ],
)
async def test_a_server_without_tokens_is_refused_before_the_first_task(said: Answer, problem: str) -> None:
    async with serving(ModelServer(said)) as server:
        with pytest.raises(BadInput, match=problem):
            await try_question(settings_for(server, record_tokens=True), Role.NOTE, PROMPT, NoteReply)
        await try_question(settings_for(server), Role.NOTE, PROMPT, NoteReply)


async def test_a_prompt_without_pictures_needs_no_places() -> None:
    async with serving(ModelServer(of_vllm([1, 2]))) as server:
        await try_question(settings_for(server, record_tokens=True), Role.NOTE, Prompt("", ("a",)), NoteReply)


@pytest.mark.parametrize("is_watched", [False, True])
async def test_the_rehearsed_model_tells_tokens_by_a_made_tokenizer(is_watched: bool) -> None:
    picture = ModelImage(content_id="0" * 32, jpeg=text_image("Settings", "Display"))
    prompt = Prompt("You are the operator.", ("What next?", picture))
    async with rehearse(RehearsalSettings()) as server:
        settings = ModelSettings(urls=(server.url,), model=server.model, record_tokens=True)
        await try_question(settings, Role.DECIDE, prompt, DecideReply)
        client = ModelClient(settings)
        await client.start()
        try:
            if is_watched:
                client.partial_replies(EPISODE)
            found = (await client.complete(Role.DECIDE, prompt, DecideReply, "p", context())).call
        finally:
            await client.stop()
    assert found.tokens is not None
    assert len(found.tokens.prompt_ids) == found.usage.input_tokens
    assert len(found.tokens.reply_ids) == len(found.tokens.reply_logprobs) == found.usage.output_tokens
    assert found.tokens.prompt_ids.count(PICTURE) >= 64
    assert found.weights == (WeightSpan(version="made", start=0, end=found.usage.output_tokens),)


values = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["content", "logprob"]), inner),
    max_leaves=5,
)


@given(st.lists(values, min_size=6, max_size=6))
def test_any_tokens_are_whole_or_a_typed_error(fields: list[Any]) -> None:
    names = ("prompt_token_ids", "token_ids", "response_token_ids", "logprobs", "weight_versions")
    choice = {"message": {"content": ""}, **dict(zip(names, fields[:5], strict=True))}
    completion = read_completion("u", json.dumps({"choices": [choice], "metadata": fields[5]}))
    assert all(isinstance(span, WeightSpan) for span in read_weights(completion))
    try:
        tokens = read_tokens("u", completion)
    except TokensMissing:
        return
    assert tokens.prompt_ids
    assert len(tokens.reply) == len(tokens.logprobs)


def test_tokens_take_eight_bytes_each_and_survive_json() -> None:
    tokens = CallTokens.pack(PROMPT_IDS, REPLY_IDS, LOGPROBS)
    assert len(tokens.prompt) + len(tokens.reply) + len(tokens.logprobs) == 4 * len(PROMPT_IDS) + 8 * len(REPLY_IDS)
    assert CallTokens.model_validate_json(tokens.model_dump_json()) == tokens
