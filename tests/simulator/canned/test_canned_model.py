"""The canned model over real HTTP, and what it writes: valid, and the same for equal steps of equal tasks."""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.child_process import SidecarProcess
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import (
    AddedNotesReply,
    CaptionReply,
    DecideReply,
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)
from manyhands.simulator.canned.replies import canned_reply
from manyhands.simulator.canned.server import LETTERS_PER_TOKEN, CannedServer
from manyhands.simulator.serving.settings import ServerSettings
from tests.simulator.rehearsal.parts import body

KINDS: tuple[type[Reply], ...] = (
    *(PlanReply, DecideReply, CaptionReply, NoteReply, AddedNotesReply),
    *(ReflectReply, ReflectSubgoalReply, ReflectChangeReply, ReflectChangeSubgoalReply),
)


async def ask(session: aiohttp.ClientSession, url: str, kind: type[Reply], episode: str, step: int) -> dict[str, Any]:
    headers = {"x-manyhands-episode": episode, "x-manyhands-step": str(step)}
    async with session.post(f"{url}/chat/completions", json=body(kind, {}, [b"no picture"]), headers=headers) as told:
        assert told.status == 200
        answer: dict[str, Any] = await told.json()
        return answer


async def metric(session: aiohttp.ClientSession, url: str, name: str) -> float:
    async with session.get(url.removesuffix("/v1") + "/metrics") as told:
        found = re.search(rf"^{name}\{{.*\}} (\S+)$", await told.text(), re.MULTILINE)
    assert found is not None
    return float(found[1])


async def test_each_role_gets_its_reply_without_a_look_at_pictures(tmp_path: Path) -> None:
    canned = SidecarProcess("manyhands.simulator.canned.model", [], tmp_path / "model.log")
    async with canned, aiohttp.ClientSession() as session:
        url = canned.ready["url"]
        for kind in KINDS:
            answer = await ask(session, url, kind, "task-1-abc", 2)
            (choice,) = answer["choices"]
            assert kind.model_validate_json(choice["message"]["content"])
            assert answer["usage"]["prompt_tokens"] > 300
        text = answer["choices"][0]["message"]["content"]
        assert answer["usage"]["completion_tokens"] == -(-len(text) // LETTERS_PER_TOKEN)
        assert await metric(session, url, "vllm:num_requests_running") == 0
        assert await metric(session, url, "vllm:generation_tokens_total") > 100
        async with session.post(f"{url}/chat/completions", json=body(None, {})) as told:
            assert told.status == 400


async def test_a_client_that_hangs_up_gives_its_place_back() -> None:
    settings = ServerSettings(latency_s={Role.PLAN: 3600.0}, max_running=1)

    async def until(server: CannedServer, session: aiohttp.ClientSession, name: str, value: float) -> None:
        while await metric(session, server.url, name) != value:
            await asyncio.sleep(0.01)

    async with CannedServer(settings) as server, aiohttp.ClientSession() as session:
        asking = asyncio.create_task(ask(session, server.url, PlanReply, "e", 0))
        await until(server, session, "vllm:num_requests_running", 1)
        asking.cancel()
        await until(server, session, "stand_in_requests_aborted_total", 1)
        assert (await ask(session, server.url, DecideReply, "e", 0))["choices"]


async def test_an_unknown_role_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="plann=1"):
        await SidecarProcess(
            "manyhands.simulator.canned.model", ["--latency", "plann=1"], tmp_path / "model.log"
        ).__aenter__()


@given(st.sampled_from(sorted(registered_profiles().reply_types)), st.integers(0, 300))
def test_replies_depend_on_the_task_and_the_step_alone(kind: str, step: int) -> None:
    one = canned_reply(kind, "shop-2-0af3", step)
    assert one == canned_reply(kind, "shop-2-77", step)
    assert type(one).__name__ == kind
    assert type(one).model_validate_json(one.model_dump_json()) == one


def test_no_action_comes_twice_in_a_row() -> None:
    replies = [canned_reply("DecideReply", "t-1-a", step) for step in range(100)]
    actions = [reply.action for reply in replies if isinstance(reply, DecideReply)]
    assert all(one != other for one, other in itertools.pairwise(actions))
