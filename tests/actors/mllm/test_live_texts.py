"""Replies are streamed while somebody watches their episode, and only then; the answer is the same either way."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.mllm.client.client import LONGEST, WATCHED_S, LiveTexts
from manyhands.actors.mllm.client.errors import InvalidAnswer
from manyhands.actors.mllm.client.transport import CompletionStream
from manyhands.protocol.errors import ModelUnreachable
from manyhands.protocol.roles.role import NoteReply, Role
from tests.actors.mllm.model_servers import Answer, Fail, ModelServer, Raw, Say, Stream, serving
from tests.actors.mllm.test_model_client import NOTES, PROMPT, client_of, context

EPISODE = context().episode
SSE = {"Content-Type": "text/event-stream; charset=utf-8"}


def events(text: str, parts: int = 3, finish: str | None = "stop") -> list[bytes]:
    """What vLLM streams for a reply: the role first, then pieces, the reason of the end, the usage, and the end."""
    length = max(1, -(-len(text) // parts))
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[start : start + length]} for start in range(0, len(text), length)]
    chunks: list[dict[str, object]] = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
    return [f"data: {json.dumps(one)}\n\n".encode() for one in chunks] + [b": a comment\n\n", b"data: [DONE]\n\n"]


async def test_only_the_calls_of_watched_episodes_are_streamed() -> None:
    server = ModelServer(Say(NOTES), Stream(lambda: events(NOTES), SSE))
    async with serving(server), client_of(server) as client:
        plain = await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())
        assert client.partial_replies("another") == ()
        assert client.partial_replies(EPISODE) == ()
        streamed = await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())
        assert client.partial_replies(EPISODE) == ()  # the call is over
    sent = [received.json for received in server.received]
    assert "stream" not in sent[0]
    assert sent[1] == {**sent[0], "stream": True, "stream_options": {"include_usage": True}}
    assert streamed.text == plain.text == NOTES
    assert streamed.call.request == plain.call.request  # so a replay sends the same
    assert (streamed.call.usage.input_tokens, streamed.call.usage.output_tokens) == (7, 3)


async def test_a_text_grows_while_it_is_written() -> None:
    halves = asyncio.Queue[bytes]()
    pieces = events(NOTES, 2)
    server = PiecewiseServer(halves)
    async with serving(server), client_of(server) as client:
        client.partial_replies(EPISODE)
        call = asyncio.create_task(client.complete(Role.NOTE, PROMPT, NoteReply, "p", context()))
        for piece in pieces[:2]:
            halves.put_nowait(piece)
        async with asyncio.timeout(20):
            while not any(one.text for one in client.partial_replies(EPISODE)):
                await asyncio.sleep(0)
        (one,) = client.partial_replies(EPISODE)
        assert (one.role, one.text) == (Role.NOTE, NOTES[: -(-len(NOTES) // 2)])
        for piece in [*pieces[2:], b""]:
            halves.put_nowait(piece)
        assert (await call).text == NOTES


class PiecewiseServer(ModelServer):
    """Streams what is put into a queue; an empty piece is the end."""

    def __init__(self, pieces: asyncio.Queue[bytes]) -> None:
        super().__init__(Say(NOTES))
        self._pieces = pieces

    async def complete(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        while piece := await self._pieces.get():
            await response.write(piece)
        await response.write_eof()
        return response


async def test_a_server_that_refuses_to_stream_is_asked_without() -> None:
    server = ModelServer(Fail(400, "stream: not supported"), Say(NOTES))
    async with serving(server), client_of(server) as client:
        for _ in range(2):
            client.partial_replies(EPISODE)
            done = await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())
            assert (done.text, done.call.attempts) == (NOTES, 1)
    assert [received.json.get("stream") for received in server.received] == [True, None, None]


async def test_a_server_that_does_not_stream_is_understood() -> None:
    server = ModelServer(Say(NOTES))
    async with serving(server), client_of(server) as client:
        client.partial_replies(EPISODE)
        assert (await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())).text == NOTES


@pytest.mark.parametrize("place", ["choice", "metadata"])
async def test_a_stream_tells_which_weights_wrote_it_also_if_no_tokens_are_recorded(place: str) -> None:
    spans = [{"version": "3", "start": 0, "end": 2}, {"version": "4", "start": 2, "end": 5}]
    *pieces, end = events(NOTES)
    last: dict[str, Any] = {"choices": [{"delta": {}, "weight_versions": spans}]}
    if place == "metadata":
        last = {"choices": [{"delta": {}}], "metadata": {"weight_versions": spans}}
    told = f"data: {json.dumps(last)}\n\n".encode()
    server = ModelServer(Stream(lambda: [*pieces, told, end], SSE))
    async with serving(server), client_of(server) as client:
        client.partial_replies(EPISODE)
        call = (await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())).call
    assert [span.model_dump() for span in call.weights] == spans


def broken() -> Iterator[tuple[str, Answer]]:
    whole = events(NOTES)
    yield "ended in the middle", Stream(lambda: whole[:2], SSE)
    yield (
        "an error in the stream",
        Stream(lambda: [whole[1], b'data: {"error": {"message": "out of memory"}}\n\n'], SSE),
    )
    yield "no JSON", Raw("data: <html>\n\n", "text/event-stream")
    yield "nothing", Raw("", "text/event-stream")


@pytest.mark.parametrize("answer", [pytest.param(answer, id=name) for name, answer in broken()])
async def test_a_broken_stream_is_asked_again(answer: Answer) -> None:
    server = ModelServer(answer, Stream(lambda: events(NOTES), SSE))
    async with serving(server), client_of(server) as client:
        client.partial_replies(EPISODE)
        done = await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())
    assert (done.text, done.call.attempts) == (NOTES, 2)


async def test_a_stream_that_never_ends_is_cut_off() -> None:
    def forever() -> Iterator[bytes]:
        piece = events("x" * 60_000, 1)[1]
        while True:
            yield piece

    server = ModelServer(Stream(forever, SSE))
    async with serving(server), client_of(server, max_attempts=1) as client:
        client.partial_replies(EPISODE)
        with pytest.raises(ModelUnreachable, match="more than"):
            await client.complete(Role.NOTE, PROMPT, NoteReply, "p", context())


@given(text=st.text(st.characters(codec="utf-8")), cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_a_stream_is_the_same_wherever_it_is_cut(text: str, cuts: list[int]) -> None:
    content = b"".join(events(text))
    told: list[str] = []
    stream = CompletionStream("http://a", told.append)
    places = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    for start, end in itertools.pairwise(places):
        stream.feed(content[start:end])
    answer = json.loads(stream.body())
    assert answer["choices"] == [{"message": {"content": text}, "finish_reason": "stop"}]
    assert "".join(told) == text


@given(st.binary(max_size=400))
def test_damaged_streams_are_refused_or_ignored(content: bytes) -> None:
    stream = CompletionStream("http://a", lambda text: None)
    try:
        stream.feed(b"data: " + content + b"\n\n")
        body = stream.body()
    except InvalidAnswer:
        return
    assert len(json.loads(body)["choices"]) == 1


def test_an_episode_is_watched_for_some_seconds() -> None:
    now = 100.0
    texts = LiveTexts(lambda: now)
    texts.watch("e")
    now += WATCHED_S - 0.1
    with texts.keep(Role.PLAN, "e") as add:
        assert add is not None
        add("a" * LONGEST)
        add("b")
        (one,) = texts.watch("e")
        assert one.text == "a" * (LONGEST - 1) + "b"
        assert texts.watch("f") == ()
    now += WATCHED_S
    with texts.keep(Role.PLAN, "e") as add:
        assert add is None
