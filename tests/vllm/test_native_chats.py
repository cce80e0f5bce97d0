"""64 chats of ``native`` at once, on a server that takes half as many: cancelled in the middle, then resumed."""

from __future__ import annotations

import asyncio
from typing import Any

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.profiles.native import PROFILE
from manyhands.actors.profiles.native.agent import NativeAgent
from manyhands.actors.profiles.native.requests import ActRequest, StepSoFar
from manyhands.actors.roles import RoleSettings
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.messages import Answered, ModelCall
from manyhands.protocol.roles.requests import Brief
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from tests.actors.roles import examples
from tests.vllm.asking import settings, started, within
from tests.vllm.many import WORDS
from tests.vllm.screens import noise
from tests.vllm.server import QUEUE, SEQUENCES, VllmServer

CHATS = 64
STEPS = 3
SIDE = 140
LONGEST_REPLY = 64
"""Tokens: a reply that is cut off there was written as well, and that is all that is asked here."""
LONGEST_IDLE_S = 120
ANSWER = (
    '{"notes":"","thought":"The list has what is wanted.","action":{"name":"Tap","x":500,"y":%d},'
    '"expectation":"A page opens."}'
)


def chat(number: int) -> tuple[ActRequest, tuple[ModelImage, ...]]:
    """The chat of one phone at its third step, with its pictures."""
    images = tuple(noise(20_000 + STEPS * number + step, SIDE, SIDE) for step in range(STEPS))
    steps = tuple(
        StepSoFar(
            screenshot=examples.shot(image).model_copy(update={"serial": f"phone-{number}"}),
            shown=True,
            asks_verdict=step > 0,
            reply=None if step == STEPS - 1 else ANSWER % (100 + number),
        )
        for step, image in enumerate(images)
    )
    return ActRequest(brief=Brief(goal=f"{number}. {WORDS[number % len(WORDS)]}"), steps=steps), images


async def ask(agent: NativeAgent, number: int) -> tuple[ModelCall, ...]:
    """The calls of a chat's question. A reply may be cut off, or name no place on the screen."""
    request, images = chat(number)
    try:
        answered: Answered[Any] = await agent.answer(request, within(), *images)
        return answered.calls
    except ReplyUnusable as error:
        return error.calls


def agent_of(model: ModelSettings) -> NativeAgent:
    replies = PROFILE.replies(EpisodeSettings(profile=PROFILE.name))
    return NativeAgent(RoleSettings(model=model, templates=PROFILE.package, replies=replies))


async def until_left(server: VllmServer, most: int, least: int = 0) -> None:
    """Until the server itself says that so many requests run or wait."""
    async with asyncio.timeout(LONGEST_IDLE_S):
        while not least <= await left(server) <= most:
            await asyncio.sleep(0.05)


async def left(server: VllmServer) -> float:
    counted = await asyncio.to_thread(server.metrics)
    return counted["vllm:num_requests_running"] + counted["vllm:num_requests_waiting"]


async def test_64_chats_are_cancelled_and_resumed_and_leave_no_request(qwen3: VllmServer) -> None:
    assert CHATS == 2 * QUEUE
    await until_left(qwen3, most=0)
    model = settings(qwen3, max_in_flight=CHATS, max_waiting=CHATS, repairs=0, max_tokens={Role.DECIDE: LONGEST_REPLY})
    async with started(agent_of(model)) as agent:
        cut = [asyncio.create_task(ask(agent, number)) for number in range(CHATS)]
        await until_left(qwen3, most=QUEUE, least=SEQUENCES)
        for one in cut:
            one.cancel()
        ended = await asyncio.gather(*cut, return_exceptions=True)
        assert sum(isinstance(one, asyncio.CancelledError) for one in ended) > CHATS / 2
        assert all(isinstance(one, tuple | asyncio.CancelledError) for one in ended)
        await until_left(qwen3, most=0)

        resumed = await asyncio.gather(*(ask(agent, number) for number in range(CHATS)))
        await until_left(qwen3, most=0)
    assert len(resumed) == CHATS
    for calls in resumed:
        assert calls[-1].reply is not None
        assert calls[0].request["messages"][-1]["content"][0]["type"] == "image_url"
