"""What a server sends ends no call but by a typed error, and no process: bytes, depth and numbers are bounded."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc

import pytest

from manyhands.actors.mllm import served_name
from manyhands.actors.mllm.client.answers import read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import LONGEST_ANSWER_BYTES, CompletionStream
from manyhands.actors.mllm.load import pool
from manyhands.actors.mllm.load.admission import read_queue
from manyhands.protocol.errors import ModelRefused, ModelUnreachable
from manyhands.protocol.journals.journal import decode, encode
from manyhands.protocol.journals.records import NotesTaken, Span
from manyhands.protocol.messages import Usage
from manyhands.protocol.roles.requests import Notes
from manyhands.simulator.hostile.bodies import endless, gzip_bomb
from tests.actors.mllm.model_servers import Fail, ModelServer, Raw, Say, Stream, serving, settings_for
from tests.actors.mllm.test_model_client import client_of
from tests.actors.mllm.test_serving import NOTES, ask, states, until

DEEP = "[" * 200_000
GOOD = {"choices": [{"message": {"content": NOTES}, "finish_reason": "stop"}]}
HUGE_S = "3600"


def completion(**others: object) -> Raw:
    return Raw(json.dumps({**GOOD, **others}), "application/json")


# ---------------------------------------------------------------------------- bytes and depth
@pytest.mark.parametrize("body", [DEEP, '{"error": ' * 100_000, '{"error": {"message": ' + DEEP + "]" * 200_000 + "}}"])
async def test_an_error_nested_too_deeply_is_an_error_like_others(body: str) -> None:
    async with serving(ModelServer(Raw(body, "application/json", 500), Say(NOTES))) as server:
        server.pages["/health"] = (200, "")
        async with client_of(server) as client:
            assert (await ask(client)).attempts == 2


@pytest.mark.parametrize(
    "answer",
    [
        Raw(DEEP, "application/json"),
        Raw('{"choices": [{"message": {"content": ' + DEEP, "application/json"),
        Raw("9" * 5000, "application/json"),
        Raw(json.dumps({"choices": [0] * 1_000_000}), "application/json"),
        Raw("<html>a login page</html>"),
        Raw('{"choices": []}', "application/json"),
        Stream(lambda: endless(b" ")),
        Stream(lambda: gzip_bomb(4096), {"Content-Encoding": "gzip"}),
        Stream(lambda: [gzip.compress(b" " * (LONGEST_ANSWER_BYTES + 1))], {"Content-Encoding": "gzip"}),
        Stream(lambda: [b"no gzip at all"], {"Content-Encoding": "gzip"}),
        Stream(lambda: [b"{"], {"Content-Type": "application/json; charset=nonsense"}),
    ],
    ids=["deep", "deep-content", "number", "choices", "html", "none", "endless", "bomb", "gzip", "no-gzip", "cut"],
)
async def test_an_answer_that_cannot_be_read_is_asked_for_again(answer: Raw | Stream) -> None:
    async with serving(ModelServer(answer, Say(NOTES))) as server:
        async with client_of(server) as client:
            tracemalloc.start()
            try:
                call = await ask(client)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
    assert (call.attempts, call.reply) == (2, NOTES)
    assert peak < 100e6


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"message": "upstream rate limited"}, 429),
        ({"message": "no capacity", "code": 429}, 429),
        ({"message": "slow down", "code": "429"}, 429),
        ({"message": "slow down", "type": "rate_limit_exceeded"}, 429),
        ({"message": "upstream died", "code": 502}, 502),
        ({"message": "no such model", "code": 404}, 404),
        ({"message": "upstream died", "code": "server_error"}, None),
        ("upstream died", None),
    ],
)
@pytest.mark.parametrize("streams", [False, True])
def test_an_error_in_an_accepted_answer_is_quoted_with_its_status(
    error: object, status: int | None, streams: bool
) -> None:
    body = json.dumps({"choices": None, "error": error})
    stream = CompletionStream("http://m", lambda text: None)
    with pytest.raises(RequestFailed) as failed:
        stream.feed(f"data: {body}\n".encode()) if streams else read_completion("http://m", body)
    assert getattr(failed.value, "status", None) == status
    assert str(error["message"] if isinstance(error, dict) else error) in str(failed.value)
    assert "is it an OpenAI-compatible server" not in str(failed.value)


async def test_a_key_in_an_accepted_error_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_THE_TEST", "sk-secret")
    broken = Raw(json.dumps({"choices": None, "error": {"message": "bad key sk-secret"}}), "application/json")
    async with serving(ModelServer(broken)) as server:
        async with client_of(server, api_key_env="KEY_OF_THE_TEST", max_attempts=1) as client:
            with pytest.raises(ModelUnreachable, match=r"answered with an error: bad key \*\*\*"):
                await ask(client)


async def test_an_answer_within_the_limit_is_read_also_compressed() -> None:
    whole = gzip.compress(json.dumps(GOOD).encode() + b" " * (LONGEST_ANSWER_BYTES - 1000))
    async with serving(ModelServer(Stream(lambda: [whole], {"Content-Encoding": "gzip"}))) as server:
        async with client_of(server) as client:
            assert (await ask(client)).reply == NOTES


async def test_a_server_whose_answers_cannot_be_read_gives_way_to_a_healthy_one() -> None:
    async with serving(ModelServer(Raw("{}"))) as bad, serving(ModelServer(Say(NOTES))) as good:
        async with client_of(bad, good, max_attempts=3) as client:
            for route in map(str, range(12)):
                assert (await ask(client, route=route)).server == good.url
            assert len(bad.received) < 6
    async with serving(ModelServer(Raw("{}"))) as bad, client_of(bad, max_attempts=2) as client:
        with pytest.raises(ModelUnreachable, match=r"2 attempts.*other than a chat completion"):
            await ask(client)


# ---------------------------------------------------------------------------- figures and characters
@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": None, "completion_tokens": 5},
        {"prompt_tokens": 10**30, "completion_tokens": 5},
        {"prompt_tokens": -1, "completion_tokens": 5},
        {"prompt_tokens": "x", "completion_tokens": 5, "prompt_tokens_details": []},
        {"prompt_tokens": True, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2**64}},
    ],
)
async def test_a_figure_of_tokens_that_is_none_counts_as_not_reported(usage: dict[str, object]) -> None:
    async with serving(ModelServer(completion(usage=usage))) as server, client_of(server) as client:
        call = await ask(client)
        assert client.counts().calls[0].output_tokens == 5
    assert call.usage == Usage(output_tokens=5)
    record = NotesTaken(step=0, span=Span(start=0, end=1), notes=Notes(text="a"), calls=(call,))
    assert decode(encode(record, "e"))[0].body == record


@pytest.mark.parametrize("usage", [7, [], "x", 10**30, [[]]])
async def test_a_usage_that_is_none_is_not_looked_at(usage: object) -> None:
    async with serving(ModelServer(completion(usage=usage))) as server, client_of(server) as client:
        assert (await ask(client)).usage == Usage()


async def test_half_a_character_is_replaced() -> None:
    async with serving(ModelServer(Say('{"notes": "a \ud800 b \U0001f642"}'))) as server, client_of(server) as client:
        assert (await ask(client)).reply == '{"notes": "a \ufffd b \U0001f642"}'


async def test_names_of_models_are_bounded() -> None:
    for page in (DEEP, json.dumps({"data": [{"id": "\ud800"}]}), json.dumps({"data": [{"id": 7}] * 300_000})):
        server = ModelServer()
        server.models_text = page
        async with serving(server):
            with pytest.raises(ModelUnreachable, match="lists no model"):
                await served_name(settings_for(server, model=None))


# ---------------------------------------------------------------------------- redirects and refusals
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_refused_and_the_prompt_goes_nowhere_else(status: int) -> None:
    async with serving(ModelServer(Say(NOTES))) as other:
        there = other.url + "/chat/completions"
        async with serving(ModelServer(Fail(status, headers={"Location": there}))) as server:
            async with client_of(server) as client:
                with pytest.raises(ModelRefused, match=rf"answered {status}.*redirect"):
                    await ask(client)
        assert not other.received


async def test_what_one_server_refuses_is_asked_of_the_others() -> None:
    async with serving(ModelServer(Fail(404, "no such model"))) as one, serving(ModelServer(Say(NOTES))) as two:
        async with client_of(one, two) as client:
            for route in map(str, range(12)):
                assert (await ask(client, route=route)).server == two.url
            assert 1 <= len(one.received) < 6, "it cools off once another has answered what it refused"
    async with serving(ModelServer(Fail(400, "too long"))) as one, serving(ModelServer(Fail(400, "too long"))) as two:
        async with client_of(one, two) as client:
            with pytest.raises(ModelRefused, match="too long") as refused:
                await ask(client)
            assert refused.value.calls[0].attempts == 2
            assert states(client.counts()) == ["up", "up"]


@pytest.mark.parametrize("said", [HUGE_S, "1e400", "inf", "9" * 400])
async def test_a_server_that_names_a_huge_time_is_asked_again_and_others_before(said: str) -> None:
    busy = Fail(429, headers={"Retry-After": said})
    async with serving(ModelServer(busy)) as one, serving(ModelServer(Say(NOTES))) as two:
        async with client_of(one, two) as client:
            assert {(await ask(client, route=str(route))).server for route in range(12)} == {two.url}
            assert len(one.received) == 1


async def test_a_huge_time_counts_no_longer_than_the_longest_that_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LONGEST_ASKED_S", 1.2)
    async with serving(ModelServer(Fail(429, headers={"Retry-After": HUGE_S}), Say(NOTES))) as server:
        async with client_of(server) as client:
            assert (await ask(client)).attempts == 2


# ---------------------------------------------------------------------------- beside the calls
@pytest.mark.parametrize("page", [DEEP, '{"error": {"message": ' + DEEP + "]" * 200_000 + "}}"])
async def test_the_monitor_outlives_a_health_page_nested_too_deeply(page: str) -> None:
    async with serving(ModelServer(*[Fail(500)] * 2, Say(NOTES))) as server:
        server.pages["/health"] = (500, page)
        async with client_of(server) as client:
            asking = asyncio.create_task(ask(client))
            await until(client, lambda counts: states(counts) == ["out"] and server.asked["/health"] >= 2)
            server.pages["/health"] = (200, "")
            assert (await asking).attempts == 3


INFINITE = "vllm:num_requests_waiting 1e308\n" * 9 + "vllm:num_requests_running 1\n"


@pytest.mark.parametrize(
    "page",
    [
        INFINITE,
        "vllm:num_requests_waiting 1e308\nvllm:num_requests_running 1\n",
        "vllm:num_requests_waiting -1\nvllm:num_requests_running 1\n",
        "vllm:num_requests_waiting NaN\nvllm:num_requests_running 1\n",
        "vllm:num_requests_waiting 1\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 1e300\n",
        "vllm:num_requests_waiting 1e\nvllm:num_requests_running 1\n",
    ],
)
def test_a_queue_of_impossible_figures_is_none(page: str) -> None:
    assert read_queue(page) is None


async def test_the_monitor_outlives_metrics_that_sum_to_infinity() -> None:
    async with serving(ModelServer(Fail(500), Say(NOTES))) as server:
        server.pages |= {"/health": (200, ""), "/metrics": (200, INFINITE)}
        async with client_of(server) as client:
            assert (await ask(client)).attempts == 2
            await until(client, lambda _: server.asked["/metrics"] >= 1)
            server.script.extend((Fail(500), Say(NOTES)))
            assert (await ask(client)).reply == NOTES
