"""Sessions at trainers' gateways: an address or a key for each episode, and one reward, whatever is repeated."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from manyhands.actors.interfaces import ModelSessions
from manyhands.actors.mllm import ModelClient, ModelSettings
from manyhands.actors.mllm.sessions import SessionKind, SessionSettings, check_gateway, sessions_of
from manyhands.protocol.errors import BadInput, ModelRefused, ModelUnreachable
from manyhands.protocol.messages import CallContext, ModelCall, ModelSession, SessionFacts
from manyhands.protocol.roles.role import NoteReply, Role
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from tests.actors.mllm.model_servers import Fail, ModelServer, Raw, Say, completion, serving
from tests.actors.mllm.test_busy import clock  # noqa: F401
from tests.actors.mllm.test_model_client import PROMPT, free_port
from tests.actors.mllm.trainer_gateways import (
    ADMIN,
    REPLY,
    AgentLightning,
    Areal,
    Handler,
    serving_agent_lightning,
    serving_app,
    serving_areal,
)
from tests.virtual_clock import run_virtual


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINER_KEY", ADMIN)


def facts(episode: str) -> SessionFacts:
    return SessionFacts(run="r", episode=episode, task="t-r1", group="t", attempt=1)


def gateway(kind: SessionKind, url: str) -> ModelSessions:
    return sessions_of(SessionSettings(kind=kind, url=url, api_key_env="TRAINER_KEY"))


def answering(handler: Handler) -> web.Application:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    return app


def soon(seconds: float = 20.0) -> float:
    return HOST_CLOCK.now() + seconds


@asynccontextmanager
async def client_at(url: str, **others: object) -> AsyncIterator[ModelClient]:
    asked = {"urls": (url,), "model": "m", "has_sessions": True, "api_key_env": "TRAINER_KEY", **others}
    client = ModelClient(ModelSettings.model_validate(asked))
    await client.start()
    try:
        yield client
    finally:
        await client.stop()


async def ask(client: ModelClient, session: ModelSession | None, seconds: float = 20.0) -> ModelCall:
    context = CallContext(episode="e", step=0, deadline=time.time() + seconds, session=session)
    return (await client.complete(Role.NOTE, PROMPT, NoteReply, "phone", context)).call


async def test_areal_gets_each_episodes_calls_under_its_own_key_and_one_reward() -> None:
    areal = Areal()
    async with serving_areal(areal) as url, client_at(url) as client:
        sessions = gateway("areal", url)
        opened = {name: await sessions.open(facts(name), soon()) for name in ("one", "two")}
        for name, calls in (("one", 2), ("two", 1)):
            for _ in range(calls):
                call = await ask(client, opened[name])
                assert (call.reply, call.server) == (REPLY, url)
        # a process that resumes the episode knows nothing but its name
        again = await gateway("areal", url).open(facts("one"), soon())
        await ask(client, again)
        for _ in range(2):
            await gateway("areal", url).close("one", 1.0, soon())
        areal.export()
        await sessions.close("one", 1.0, soon())
        await sessions.discard("two", soon())
    assert areal.calls == {"one-0": 3, "two-0": 1}
    assert set(areal.rewards["one-0"]) == {1.0}
    assert areal.ended == {"one-0"}, "one that ended without a reward would count as 0"
    assert areal.rewards["two-0"] == []
    assert len({opened["one"].key_text, opened["two"].key_text, ADMIN}) == 3


async def test_agent_lightning_gets_each_rollouts_events_and_one_reward() -> None:
    server = AgentLightning()
    async with serving_agent_lightning(server) as url, client_at(url) as client:
        sessions = gateway("agent-lightning", url)
        opened = {name: await sessions.open(facts(name), soon()) for name in ("one", "two", "one")}
        assert server.states == {"one": "running", "two": "running"}
        assert (server.inputs["one"]["data_id"], server.inputs["one"]["task"]) == ("t", "t-r1")
        await ask(client, opened["one"])
        server.paused = 2
        call = await ask(client, opened["one"])
        assert (call.reply, call.attempts) == (REPLY, 3)
        for _ in range(2):
            await gateway("agent-lightning", url).close("one", 0.5, soon())
            await sessions.discard("two", soon())
    assert server.states == {"one": "succeeded"}
    asked, reward = {"event_type": "model_request"}, {"event_type": "reward", "data": {"value": 0.5}}
    assert server.events["one"] == [asked, asked, reward]


async def test_a_watched_episode_is_asked_without_a_stream_where_the_gateway_has_none() -> None:
    server = AgentLightning()
    async with serving_agent_lightning(server) as url, client_at(url) as client:
        session = await gateway("agent-lightning", url).open(facts("one"), soon())
        client.partial_replies("e")
        assert (await ask(client, session)).reply == REPLY


async def test_no_key_is_in_a_session_as_text_nor_in_errors_nor_in_calls() -> None:
    areal = Areal()
    async with serving_areal(areal) as url, client_at(url) as client:
        sessions = gateway("areal", url)
        session = await sessions.open(facts("one"), soon())
        await sessions.close("one", 1.0, soon())
        areal.ended.add("one-0")
        areal.export()
        with pytest.raises(ModelRefused, match=r"401.*expired session API key \*\*\*") as refused:
            await ask(client, session)
        said = f"{session!r} {session} {session.model_dump_json()} {refused.value} {refused.value.calls!r}"
    assert session.key_text is not None
    assert session.key_text not in said
    assert ADMIN not in said


async def test_a_reward_whose_answer_was_lost_is_not_told_twice() -> None:
    server = AgentLightning(loses_answers=1)
    async with serving_agent_lightning(server) as url:
        sessions = gateway("agent-lightning", url)
        await sessions.open(facts("one"), soon())
        await sessions.close("one", 1.0, soon())
    assert server.events["one"] == [{"event_type": "reward", "data": {"value": 1.0}}]
    assert server.states == {"one": "succeeded"}


@pytest.mark.parametrize("kind", ["rllm", "agent-lightning"])
async def test_a_session_that_the_trainer_has_deleted_is_neither_made_again_nor_missed(kind: SessionKind) -> None:
    posts: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        posts.append(f"{request.method} {request.path}")
        return web.json_response({}, status=200 if request.path == "/admin/flush" else 404)

    async with serving_app(answering(answer)) as url:
        await gateway(kind, url).close("gone", 1.0, soon(5))
        await gateway(kind, url).discard("gone", soon(5))
    assert not {"POST /sessions", "POST /api/rollouts/gone/attempt/0/events"} & set(posts)


async def test_no_key_that_a_gateway_repeats_is_in_a_message(caplog: pytest.LogCaptureFixture) -> None:
    areal = Areal(refuses=True)
    async with serving_areal(areal) as url:
        with pytest.raises(ModelRefused, match=r"422.*api_key.*\*\*\*") as refused:
            await gateway("areal", url).open(facts("one"), soon(5))
    key = hmac.new(ADMIN.encode(), b"one", "sha256").hexdigest()
    assert key not in f"{refused.value} {refused.value.__cause__} {caplog.text}"


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("asked_s", "limit_s", "again_at"),
    [("20", 100.0, 20.0), ("1e9", 100.0, 85.0), ("inf", 100.0, 85.0), ("1e9", math.inf, 600.0)],
)
def test_a_gateway_that_asks_for_too_much_time_is_asked_again_before_the_deadline(
    asked_s: str, limit_s: float, again_at: float
) -> None:
    asked_at: list[float] = []

    async def answer(_: web.Request) -> web.Response:
        asked_at.append(asyncio.get_running_loop().time())
        return web.json_response({}, status=429 if len(asked_at) == 1 else 200, headers={"Retry-After": asked_s})

    async def main() -> None:
        async with serving_app(answering(answer)) as url:
            await gateway("rllm", url).open(facts("one"), soon(limit_s))
        assert asked_at == [pytest.approx(0, abs=1), pytest.approx(again_at, abs=1)]

    run_virtual(main())


async def test_a_gateway_that_is_full_is_waited_for_and_one_that_refuses_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    areal = Areal(capacity=0)
    async with serving_areal(areal) as url:
        with pytest.raises(ModelUnreachable, match=r"does not serve: .*429: .*No available capacity"):
            await gateway("areal", url).open(facts("one"), soon(0.8))
        monkeypatch.setenv("TRAINER_KEY", "another-sesame")
        began = HOST_CLOCK.now()
        with pytest.raises(ModelRefused, match=r"403: .*Invalid admin API key: \*\*\*"):
            await gateway("areal", url).open(facts("one"), soon(60))
        assert HOST_CLOCK.now() - began < 30


async def test_a_gateway_that_is_not_there_is_bad_input_before_a_run() -> None:
    with pytest.raises(
        BadInput, match=r"--model-sessions-url: the trainer's gateway does not serve: .*cannot be reach"
    ):
        await check_gateway(SessionSettings(kind="rllm", url=f"http://127.0.0.1:{free_port()}"))
    with pytest.raises(BadInput, match="--model-sessions-key-env"):
        sessions_of(SessionSettings(kind="areal", url="http://trainer:8000"))


async def test_a_client_without_sessions_sends_no_episodes_key_and_asks_its_own_server() -> None:
    session = ModelSession.model_validate(
        {"url": "http://127.0.0.1:9/v1", "key": "of-the-session", "headers": [("a", "b")]}
    )
    async with serving(ModelServer(Say(REPLY))) as server:
        async with client_at(server.url, has_sessions=False) as client:
            await ask(client, session)
        async with client_at(server.url.removesuffix("/v1")) as client:
            await ask(client, session.model_copy(update={"url": server.url}))
    own, gone = (received.headers for received in server.received)
    assert (own["Authorization"], own.get("a")) == (f"Bearer {ADMIN}", None)
    assert (gone["Authorization"], gone.get("a")) == ("Bearer of-the-session", "b")


async def test_each_reply_tells_which_weights_wrote_it_and_an_episode_may_span_versions() -> None:
    def reply(*spans: tuple[str, int, int]) -> Raw:
        body = completion(Say(REPLY))
        body["choices"][0]["weight_versions"] = [{"version": name, "start": a, "end": b} for name, a, b in spans]
        return Raw(json.dumps(body), "application/json")

    script = reply(("3", 0, 5)), reply(("3", 0, 2), ("4", 2, 5)), Fail(503), reply(("5", 0, 5))
    async with serving(ModelServer(*script)) as server, client_at(server.url.removesuffix("/v1")) as client:
        session = ModelSession(url=server.url)
        calls = [await ask(client, session) for _ in range(3)]
    assert [[span.version for span in call.weights] for call in calls] == [["3"], ["3", "4"], ["5"]]
    assert [received.json["return_weight_versions"] for received in server.received] == [True] * 4
