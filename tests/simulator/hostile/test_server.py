"""The hostile model server: its answers are drawn from a seed, and it can be told to stop being hostile."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress

import aiohttp
import pytest

from manyhands.simulator.hostile.answers import HostileAnswer, draw_answer
from manyhands.simulator.hostile.server import HostileServer
from manyhands.simulator.hostile.settings import HostileSettings, Page
from tests.actors.mllm.model_servers import ModelServer, Say, serving
from tests.simulator.processes import started

ELSEWHERE = "http://127.0.0.1:9/v1"


def beginning(answer: HostileAnswer) -> tuple[object, ...]:
    return answer.kind, answer.status, answer.headers, answer.delivery, b"".join(itertools.islice(answer.body, 3))


@pytest.mark.parametrize("page", Page)
def test_the_same_seed_gives_the_same_answers(page: Page) -> None:
    first, second, other = ([beginning(draw_answer(page, seed, n, ELSEWHERE)) for n in range(40)] for seed in (1, 1, 2))
    assert first == second != other
    assert len({answer[0] for answer in first}) > 8
    assert len({answer[1] for answer in first}) > 8


async def test_every_answer_ends_and_the_server_goes_on() -> None:
    settings = HostileSettings(hang_s=0.1, endless_s=5.0)
    async with HostileServer(settings) as server, aiohttp.ClientSession() as session:

        async def ask(path: str) -> None:
            with suppress(aiohttp.ClientError, ValueError, OSError):
                async with session.get(server.url.removesuffix("/v1") + path, allow_redirects=False) as response:
                    await response.content.read(100_000)

        for _ in range(20):
            await asyncio.gather(*map(ask, ("/v1/chat/completions", "/s1/v1/models", "/health", "/s2/metrics", "/x")))
        async with session.get(server.url.removesuffix("/v1") + "/stand-in/counts") as response:
            counts = await response.json()
    # At least: a client may ask again where a connection ended without an answer.
    assert all(counts["asked"][page] >= 20 for page in Page)
    assert sum(counts["hostile"].values()) == sum(counts["asked"].values())


async def test_what_is_not_hostile_comes_from_the_server_behind_it() -> None:
    async with serving(ModelServer(Say("hello"))) as behind:
        settings = HostileSettings(upstream=behind.url, share=0.0)
        async with HostileServer(settings) as server, aiohttp.ClientSession() as session:
            for path in ("", "/s7"):
                url = server.url.removesuffix("/v1") + path + "/v1/chat/completions"
                async with session.post(url, json={"model": "m"}, headers={"x-manyhands-step": "3"}) as response:
                    assert (await response.json())["choices"][0]["message"]["content"] == "hello"
            assert [received.json for received in behind.received] == [{"model": "m"}] * 2
            assert behind.received[0].headers["x-manyhands-step"] == "3"
            assert not server.hostile
            server.share = 1.0
            with suppress(aiohttp.ClientError, ValueError):
                async with session.post(server.url + "/chat/completions", json={}) as response:
                    await response.content.read(1000)
            assert server.hostile
            assert len(behind.received) == 2


async def test_the_command_serves_until_its_input_ends_and_takes_a_share() -> None:
    arguments = ("manyhands.simulator.hostile", "--seed", "3", "--honest", "models", "--until-stdin-closes")
    async with started(*arguments) as (process, ready), aiohttp.ClientSession() as session:
        base = ready["url"].removesuffix("/v1")
        async with session.get(ready["url"] + "/models") as response:
            assert (await response.json())["data"] == [{"id": "manyhands-rehearsed"}]
        async with session.post(base + "/stand-in/share", data="0") as response:
            assert (await response.json())["share"] == 0
        async with session.get(base + "/health") as response:
            assert response.status == 200
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0
