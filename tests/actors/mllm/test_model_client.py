"""The model client against real HTTP servers."""

from __future__ import annotations

import asyncio
import json
import pickle
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import BasicAuth
from pydantic import ValidationError

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import (
    ModelClient,
    ModelSettings,
    Prompt,
    parse,
    restore_request,
    served_name,
    try_question,
)
from manyhands.actors.mllm.request.bodies import sent_schema
from manyhands.protocol.errors import (
    BadInput,
    DeadlinePassed,
    ModelAway,
    ModelRefused,
    ModelUnreachable,
    Overloaded,
    ReplyUnusable,
)
from manyhands.protocol.messages import CallContext, ModelCall, Usage
from manyhands.protocol.roles.role import DecideReply, NoteReply, Role
from tests.actors.mllm.model_servers import Drop, Fail, Hang, Hold, ModelServer, Raw, Say, serving, settings_for

BEFORE = ModelImage(content_id="0" * 32, jpeg=b"\xff\xd8 first picture")
AFTER = ModelImage(content_id="f" * 32, jpeg=b"\xff\xd8 second picture")
PROMPT = Prompt(system="The system text.", content=("First", BEFORE, AFTER, "Größe 大小 manyhands:" + "0" * 32))
IMAGES = {image.content_id: image.jpeg for image in PROMPT.images}
NOTES = '{"notes": "kept"}'


def context(seconds: float = 20.0) -> CallContext:
    return CallContext(episode="run/task-1", step=3, deadline=time.time() + seconds)


@asynccontextmanager
async def client_of(*servers: ModelServer, **others: object) -> AsyncIterator[ModelClient]:
    client = ModelClient(settings_for(*servers, **others))
    await client.start()
    try:
        yield client
    finally:
        await client.stop()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def ask(client: ModelClient, seconds: float = 20.0, route: str = "phone-1") -> ModelCall:
    return (await client.complete(Role.NOTE, PROMPT, NoteReply, route, context(seconds))).call


async def test_a_server_is_told_which_step_asks_also_by_each_retry() -> None:
    step = context().model_copy(update={"traceparent": f"00-{1:032x}-{2:016x}-01"})
    async with serving(ModelServer(Fail(500), Say(NOTES))) as server:
        async with client_of(server) as client:
            await client.complete(Role.NOTE, PROMPT, NoteReply, "phone-1", step)
    assert [one.headers["traceparent"] for one in server.received] == [step.traceparent] * 2


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize(
    ("others", "content", "text"),
    [
        (
            {"dialect": "ui-venus-2", "output": "native"},
            "<action>Wait()</action>",
            "<think>w</think>\n<action>Wait()</action>",
        ),
        ({"dialect": "ui-venus-2", "output": "native"}, "<think>v</think>x", "<think>v</think>x"),
        ({"dialect": "ui-venus-2"}, NOTES, NOTES),
        ({"dialect": "holo-3.1", "output": "native"}, NOTES, NOTES),
    ],
)
async def test_split_off_thoughts_are_put_back_where_the_makers_do_it(
    field: str, others: dict[str, str], content: str, text: str
) -> None:
    body = json.dumps({"choices": [{"message": {"content": content, field: "w"}, "finish_reason": "stop"}]})
    async with serving(ModelServer(Raw(body, "application/json"))) as server, client_of(server, **others) as client:
        done = await client.complete(Role.DECIDE, PROMPT, DecideReply, "phone-1", context())
    assert (done.text, done.call.reply) == (text, text)


async def test_a_call_is_sent_as_designed_and_recorded() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 640}}
    async with serving(ModelServer(Say(NOTES, usage))) as server:
        async with client_of(server, seed=7, max_tokens={"decide": 99}) as client:
            done = await client.complete(Role.DECIDE, PROMPT, DecideReply, "phone-1", context())
    body, headers = server.received[0].json, server.received[0].headers
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert [part["type"] for part in body["messages"][1]["content"]] == ["text", "image_url", "image_url", "text"]
    assert body["messages"][1]["content"][1]["image_url"]["url"].startswith("data:image/jpeg;base64,/9g")
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("stand-in", 0.0, 7, 99)
    schema = body["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"], schema["schema"]["title"]) == ("DecideReply", True, "DecideReply")
    assert (headers["x-manyhands-episode"], headers["x-manyhands-step"]) == ("run/task-1", "3")
    assert headers["X-Session-ID"] == "run/task-1"
    assert "Authorization" not in headers
    assert "traceparent" not in headers  # of calls that are no episode's

    call = done.call
    assert (done.text, call.reply, call.error, done.cut_off) == (NOTES, NOTES, None, False)
    assert call.usage == Usage(input_tokens=900, output_tokens=12, cached_tokens=640)
    assert (call.role, call.server, call.attempts) == (Role.DECIDE, server.url, 1)
    assert call.latency_ms > 0
    urls = [part["image_url"]["url"] for part in call.request["messages"][1]["content"][1:3]]
    assert urls == [f"manyhands:{BEFORE.content_id}", f"manyhands:{AFTER.content_id}"]


async def test_a_probe_belongs_to_no_session() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        await try_question(settings_for(server), Role.NOTE, PROMPT, NoteReply)
    (probe,) = server.received
    assert not {"X-Session-ID", "x-manyhands-episode"} & probe.headers.keys()


def test_the_schema_keeps_string_lengths_where_the_grammar_can_hold_them() -> None:
    bounded, sent = json.dumps(DecideReply.model_json_schema()), json.dumps(sent_schema(DecideReply, "other"))
    assert json.dumps(sent_schema(DecideReply, "guidance")) == bounded
    assert "maxLength" in bounded
    assert "maxLength" not in sent
    assert sent == re.sub(r'"maxLength": \d+, ', "", bounded)
    too_long = {"thought": "x" * 801, "action": {"name": "Home"}, "expectation": ""}
    assert parse(DecideReply, json.dumps(too_long)).thought == "x" * 800
    named = {"thought": "", "action": {"name": "Open_App", "app": "x" * 101}, "expectation": ""}
    with pytest.raises(ReplyUnusable, match=r"Open_App\.app: must have at most 100"):
        parse(DecideReply, json.dumps(named))


async def test_a_recorded_call_gives_back_the_very_bytes() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        async with client_of(server) as client:
            call = await ask(client)
    stored = ModelCall.model_validate(json.loads(json.dumps(call.model_dump(mode="json"))))
    assert restore_request(stored, IMAGES) == server.received[0].body
    with pytest.raises(BadInput, match=AFTER.content_id):
        restore_request(stored, {BEFORE.content_id: BEFORE.jpeg})


@pytest.mark.parametrize("first", [Fail(503), Fail(429, headers={"Retry-After": "0"}), Fail(500), Drop()])
async def test_what_may_pass_is_tried_again(first: Fail | Drop) -> None:
    async with serving(ModelServer(first, Say(NOTES))) as server:
        async with client_of(server) as client:
            call = await ask(client)
    assert (call.attempts, call.reply, len(server.received)) == (2, NOTES, 2)
    assert server.received[0].body == server.received[1].body


async def test_what_another_try_does_not_mend_is_refused_at_once_and_keeps_the_key_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "sesame-123")
    async with serving(ModelServer(Fail(400, "context too long for sesame-123"))) as server:
        async with client_of(server, api_key_env="A_KEY") as client:
            with pytest.raises(ModelRefused, match=r"400.*context too long") as refused:
                await ask(client)
    (call,) = refused.value.calls
    assert server.received[0].headers["Authorization"] == "Bearer sesame-123"
    assert (len(server.received), call.attempts, call.reply) == (1, 1, None)
    assert call.error == str(refused.value)
    assert "sesame" not in call.model_dump_json() + str(refused.value)
    again = pickle.loads(pickle.dumps(refused.value))
    assert again.calls == refused.value.calls


@pytest.mark.parametrize("answer", [Raw("<html>a login page</html>"), Raw('{"choices": []}', "application/json")])
async def test_a_server_that_answers_with_no_completion_is_unreachable_after_all_attempts(answer: Raw) -> None:
    async with serving(ModelServer(answer)) as server:
        async with client_of(server, max_attempts=2) as client:
            with pytest.raises(ModelUnreachable, match=r"2 attempts.*other than a chat completion") as failed:
                await ask(client)
    assert len(failed.value.calls) == 1


async def test_a_server_that_breaks_at_each_attempt_is_unreachable_after_them() -> None:
    async with serving(ModelServer(Drop())) as server:
        server.pages["/health"] = (200, "")
        async with client_of(server, max_attempts=2) as client:
            with pytest.raises(ModelUnreachable, match=r"2 attempts.*cannot be reached") as failed:
                await ask(client)
    assert (failed.value.calls[0].attempts, len(server.received)) == (2, 2)


async def test_no_wait_goes_beyond_the_deadline() -> None:
    async with serving(ModelServer(Fail(503, headers={"Retry-After": "30"}))) as server:
        async with client_of(server) as client:
            with pytest.raises(ModelAway, match=r"no model server takes requests now: http.*503: not now") as away:
                await ask(client, seconds=0.5)
    assert (len(server.received), away.value.calls) == (1, ())


async def test_the_deadline_closes_the_connection_and_leaves_a_record() -> None:
    async with serving(ModelServer(Hang())) as server:
        async with client_of(server) as client:
            with pytest.raises(DeadlinePassed) as passed:
                await ask(client, seconds=0.2)
            await asyncio.wait_for(server.hung_up.wait(), 5)
    (call,) = passed.value.calls
    assert (call.reply, call.error, call.attempts) == (None, str(passed.value), 1)


async def test_a_call_that_is_too_late_sends_nothing() -> None:
    async with serving(ModelServer(Say(NOTES))) as server:
        async with client_of(server) as client:
            with pytest.raises(DeadlinePassed):
                await ask(client, seconds=-1.0)
    assert server.received == []


async def test_cancelling_reaches_the_server_within_50_ms() -> None:
    delays: list[float] = []
    for _ in range(3):  # the machine may be busy with something else once
        async with serving(ModelServer(Hang())) as server:
            async with client_of(server) as client:
                call = asyncio.create_task(ask(client))
                await asyncio.wait_for(server.arrived.wait(), 5)
                cancelled_at = asyncio.get_running_loop().time()
                call.cancel()
                await asyncio.wait_for(server.hung_up.wait(), 5)
                with pytest.raises(asyncio.CancelledError):
                    await call
                assert server.hung_up_at is not None
                delays.append(server.hung_up_at - cancelled_at)
    assert min(delays) < 0.05


async def test_so_many_run_so_many_wait_and_the_next_is_refused() -> None:
    release = asyncio.Event()
    async with serving(ModelServer(Hold(release, NOTES))) as server:
        async with client_of(server, max_in_flight=1, max_waiting=1) as client:
            async with asyncio.TaskGroup() as group:
                running = group.create_task(ask(client))
                await server.arrived.wait()
                waiting = group.create_task(ask(client))
                await asyncio.sleep(0)
                with pytest.raises(Overloaded, match="1 model calls run and 1 wait"):
                    await ask(client)
                release.set()
    assert running.result().queue_ms < waiting.result().queue_ms
    assert len(server.received) == 2


async def test_a_call_cancelled_in_the_queue_gives_its_place_back() -> None:
    release = asyncio.Event()
    async with serving(ModelServer(Hold(release, NOTES))) as server:
        async with client_of(server, max_in_flight=1, max_waiting=1) as client:
            running = asyncio.create_task(ask(client))
            await server.arrived.wait()
            for _ in range(3):
                waiting = asyncio.create_task(ask(client))
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            release.set()
            assert (await running).reply == NOTES
            assert (await ask(client)).reply == NOTES


async def test_a_phone_keeps_to_its_server_until_that_is_down() -> None:
    async with serving(ModelServer(Say(NOTES))) as one, serving(ModelServer(Say(NOTES))) as two:
        async with client_of(one, two) as client, client_of(one, two) as other_role:
            used = {route: {(await ask(client, route=route)).server for _ in range(3)} for route in map(str, range(12))}
            assert all(len(servers) == 1 for servers in used.values())
            assert set.union(*used.values()) == {one.url, two.url}
            assert {(await ask(other_role, route="5")).server} == used["5"]

            favourite, reserve = (one, two) if used["5"] == {one.url} else (two, one)
            favourite.script[0] = Fail(503)
            call = await ask(client, route="5")
            assert (call.server, call.attempts) == (reserve.url, 2)
            assert (await ask(client, route="5")).attempts == 1


async def test_the_name_is_asked_where_it_is_not_given() -> None:
    async with serving(ModelServer(models=("qwen-a", "qwen-b"))) as server:
        assert await served_name(settings_for(server, model=None)) == "qwen-a"


async def test_servers_of_different_models_need_a_name() -> None:
    async with serving(ModelServer(Say(""), models=("a",))) as one, serving(ModelServer(Say(""), models=("b",))) as two:
        with pytest.raises(BadInput, match="name the model"):
            await served_name(settings_for(one, two, model=None))


async def test_no_server_to_ask_is_one_clear_error() -> None:
    settings = ModelSettings(urls=(f"http://127.0.0.1:{free_port()}/v1",))
    with pytest.raises(ModelUnreachable, match=r"http://127.0.0.1.*cannot be reached"):
        await served_name(settings)


async def test_a_key_that_is_not_there_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    settings = ModelSettings(urls=("http://127.0.0.1:1/v1",), model="any", api_key_env="NO_SUCH_KEY")
    with pytest.raises(BadInput, match="NO_SUCH_KEY"):
        await ModelClient(settings).start()


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(ValidationError, match="api_key_env") as refused:
        ModelSettings(urls=("http://user:sesame@host/v1",))
    assert "sesame" not in str(refused.value.errors(include_input=False))


async def test_a_local_server_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{free_port()}")
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    async with serving(ModelServer(Say(NOTES))) as server:
        async with client_of(server, max_attempts=1) as client:
            assert (await ask(client)).reply == NOTES


async def test_another_server_is_reached_by_the_proxy_and_gets_our_key_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("HTTP_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "netrc").write_text("default login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("MODEL_KEY", "sesame")
    async with serving(ModelServer(Say(NOTES))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        far = ModelServer()
        far.url = "http://model.invalid:8000/v1"
        async with client_of(far, api_key_env="MODEL_KEY", max_attempts=1) as client:
            assert (await ask(client)).reply == NOTES
        assert proxy.received[0].headers["Host"] == "model.invalid:8000"
        assert proxy.received[0].headers["Authorization"] == "Bearer sesame"


async def test_the_password_of_a_proxy_reaches_the_proxy_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    far = ModelServer()
    async with serving(ModelServer(Say(NOTES))) as proxy:
        address = proxy.url.removesuffix("/v1").replace("//", "//user:sesame@")
        monkeypatch.setenv("http_proxy", address.removeprefix("http://"))
        monkeypatch.setenv("https_proxy", address)
        far.url = "http://model.invalid:8000/v1"
        async with client_of(far, max_attempts=1) as client:
            assert (await ask(client)).reply == NOTES
        assert proxy.received[0].headers["Proxy-Authorization"] == BasicAuth("user", "sesame").encode()
        far.url = "https://model.invalid:8000/v1"
        async with client_of(far, max_attempts=1) as client:
            with pytest.raises(ModelUnreachable) as refused:
                await ask(client)
    assert "cannot be reached" in str(refused.value)
    assert "sesame" not in f"{refused.value} {refused.value.calls}"


@pytest.mark.parametrize("proxy", ["socks5://user:sesame@host:1080", "http://user:sesame@host:port"])
async def test_a_proxy_that_cannot_be_used_is_refused_without_repeating_it(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(BadInput, match="proxy") as refused:
        await ModelClient(ModelSettings(urls=("http://model.invalid/v1",), model="any")).start()
    assert "sesame" not in str(refused.value)


async def test_what_no_journal_could_hold_never_gets_into_a_record() -> None:
    async with serving(ModelServer(Say("a \ud800 b"), Fail(400, "half \ud83d of a character"), Say(None))) as server:
        async with client_of(server) as client:
            assert (await ask(client)).reply == "a \ufffd b"
            with pytest.raises(ModelRefused, match=r"half \? of") as refused:
                await ask(client)
            assert refused.value.calls[0].model_dump_json()
            assert (await ask(client)).reply == ""


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"urls": ()}, "at least 1"),
        ({"urls": ("localhost:8000",)}, "no http"),
        ({"urls": ("http://a/v1", "http://a/v1/")}, "twice"),
        ({"urls": ("http://a/v1",), "dialect": "qwen9"}, "known are qwen3-vl"),
        ({"urls": ("http://a/v1",), "max_tokens": {"plan": 0}}, "at least one token"),
        ({"urls": ("http://a/v1",), "speed": 1}, "Extra inputs"),
    ],
)
def test_settings_say_what_is_wrong(given: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        ModelSettings.model_validate(given)


def test_settings_travel() -> None:
    settings = ModelSettings(urls=("http://a/v1/",), max_tokens={Role.PLAN: 9})
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert (settings.urls, settings.max_tokens[Role.PLAN], settings.max_tokens[Role.NOTE]) == (
        ("http://a/v1",),
        9,
        1024,
    )
