"""The server over real HTTP, with its real reader: what clients of the API see."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable

import aiohttp
import jsonschema
import openai
import pytest

from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply, Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal import RehearsalServer, RehearsalSettings, rehearse
from tests.simulator.rehearsal.parts import body, display_page, text_image

IMAGE = text_image("Settings", "Display", "Dark mode")


@pytest.fixture
async def server() -> AsyncIterator[RehearsalServer]:
    async with rehearse(RehearsalSettings()) as started:
        yield started


async def metrics(server: RehearsalServer) -> dict[str, float]:
    async with aiohttp.ClientSession() as session:
        async with session.get(server.url.removesuffix("/v1") + "/metrics") as response:
            text = await response.text()
    return {name: float(value) for name, value in re.findall(r"^(\S+?)\{.*\} (\S+)$", text, re.MULTILINE)}


async def until(server: RehearsalServer, name: str, value: float) -> None:
    await until_any(server, name, lambda figure: figure == value)


async def until_any(server: RehearsalServer, name: str, holds: Callable[[float], bool]) -> None:
    while not holds((await metrics(server))[name]):
        await asyncio.sleep(0.01)


async def test_the_openai_client_gets_replies_that_fit_the_schema(server: RehearsalServer) -> None:
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        models = await client.models.list()
        name = models.data[0].id
        for kind, images in ((PlanReply, 1), (DecideReply, 1), (ReflectReply, 2), (NoteReply, 1)):
            asked = body(kind, display_page(), [IMAGE] * images, model=name, temperature=0.0, seed=1, max_tokens=900)
            answer = await client.chat.completions.create(**asked)
            text = answer.choices[0].message.content
            assert text is not None
            jsonschema.validate(json.loads(text), asked["response_format"]["json_schema"]["schema"])
            assert kind.model_validate_json(text)
            assert answer.choices[0].finish_reason == "stop"
            assert answer.usage is not None
            assert answer.usage.prompt_tokens > images * 600
            assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
            assert answer.usage.prompt_tokens_details is not None
    assert (await metrics(server))["stand_in_requests_total"] == 4


async def test_the_same_prompt_again_is_cached(server: RehearsalServer) -> None:
    asked = body(DecideReply, display_page())
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        await client.chat.completions.create(**asked)
        usage = (await client.chat.completions.create(**asked)).usage
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cached_tokens == usage.prompt_tokens


async def test_a_reply_is_cut_at_max_tokens(server: RehearsalServer) -> None:
    asked = body(DecideReply, display_page(), max_tokens=8)
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        answer = await client.chat.completions.create(**asked)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens <= 8


async def test_a_stream_says_the_same_in_parts(server: RehearsalServer) -> None:
    asked = body(DecideReply, display_page(), [IMAGE])
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        whole = await client.chat.completions.create(**asked)
        parts = await client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in parts]
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert len([text for text in texts if text]) > 1
    assert "".join(texts) == whole.choices[0].message.content
    assert whole.usage is not None
    (usage,) = [chunk.usage for chunk in chunks if chunk.usage is not None]
    assert usage.completion_tokens == whole.usage.completion_tokens


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"messages": []}, "messages"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y"}}]}]},
            "data URL",
        ),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "Poem", "schema": {}}}}, "'Poem'"),
        ({"n": 2}, "n:"),
        ({"stream": "perhaps"}, "stream:"),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused_by_name(
    server: RehearsalServer, change: dict[str, object], complaint: str
) -> None:
    async with aiohttp.ClientSession() as session:
        asked = {**body(DecideReply, display_page()), **change}
        async with session.post(f"{server.url}/chat/completions", json=asked) as response:
            assert response.status == 400
            assert complaint in (await response.json())["error"]["message"]
        async with session.post(f"{server.url}/chat/completions", data=b"not json") as response:
            assert response.status == 400


async def test_an_image_that_is_none_is_refused(server: RehearsalServer) -> None:
    async with aiohttp.ClientSession() as session:
        asked = body(PlanReply, {}, [b"these bytes are no image"])
        async with session.post(f"{server.url}/chat/completions", json=asked) as response:
            assert response.status == 400
            assert "image" in (await response.json())["error"]["message"]


async def test_a_client_that_hangs_up_ends_its_request() -> None:
    settings = RehearsalSettings(latency_s={Role.DECIDE: 600.0})
    async with rehearse(settings) as server, aiohttp.ClientSession() as session:
        asked = body(DecideReply, display_page())
        call = asyncio.create_task(session.post(f"{server.url}/chat/completions", json=asked).__aenter__())
        await until_any(server, "vllm:prompt_tokens_total", lambda tokens: tokens > 0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await until(server, "vllm:num_requests_running", 0)
        counted = await metrics(server)
        assert counted["stand_in_requests_aborted_total"] == 1
        assert counted["vllm:prompt_tokens_total"] > 0
        assert counted["vllm:generation_tokens_total"] < 5  # of a reply that would have taken ten minutes


async def test_health_and_a_port_that_is_taken(server: RehearsalServer) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(server.url.removesuffix("/v1") + "/health") as response:
            assert response.status == 200
    with pytest.raises(BadInput, match=f"127.0.0.1:{server.port}"):
        async with rehearse(RehearsalSettings(port=server.port)):
            pass


async def start(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "manyhands.simulator.rehearsal",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.mark.parametrize("how", ["stdin closes", "SIGTERM"])
async def test_the_command_serves_until_it_is_told_to_stop(how: str) -> None:
    process = await start("--port", "0", "--json", "--until-stdin-closes", "--latency", "plan=0.1")
    assert process.stdout is not None
    assert process.stdin is not None
    ready = json.loads(await process.stdout.readline())
    assert ready["pid"] == process.pid
    async with aiohttp.ClientSession() as session:
        asked = body(PlanReply, {Section.GOAL: "Something else."}, [IMAGE])
        async with session.post(f"{ready['url']}/chat/completions", json=asked) as response:
            answer = await response.json()
    assert json.loads(answer["choices"][0]["message"]["content"])["status"] == "impossible"
    if how == "SIGTERM":
        process.send_signal(signal.SIGTERM)
    else:
        process.stdin.close()
    assert await process.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--mistakes", "2"], "mistakes"),
        (["--latency", "sing=1"], "ROLE=SECONDS"),
        (["--script", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
async def test_bad_arguments_give_one_line_and_exit_code_2(arguments: list[str], complaint: str) -> None:
    process = await start(*arguments)
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert complaint in errors.decode()
    assert errors.decode().count("\n") == 1
