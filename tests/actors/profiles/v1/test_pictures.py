"""Pictures that the agent of v1 keeps, while many chats are answered at once."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator

import pytest

from manyhands.actors.profiles.v1 import agent as agents
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v1.requests import OperateRequest
from manyhands.actors.roles import RoleSettings
from tests.actors.mllm.model_servers import ModelServer, Say, serving, settings_for
from tests.actors.profiles.v1.test_prompts import PACKAGE, operate, picture, step
from tests.actors.roles.test_roles import context

ANSWER = json.dumps({"observation": "o", "thought": "t", "action": {"name": "Back"}})
COUNT, AT_ONCE = 12, 24


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def chat(first: int) -> OperateRequest:
    return operate(*(step((first + place) % COUNT, answer="one") for place in range(3)))


@pytest.mark.usefixtures("hasty_threads")
async def test_more_phones_than_pictures_are_kept_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "KEPT_PICTURES", 3)
    pictures = {picture(number).content_id: picture(number) for number in range(COUNT)}
    async with serving(ModelServer(Say(ANSWER))) as server:
        agent = ChatAgent(RoleSettings(model=settings_for(server), templates=PACKAGE, replies=(ChatAgent.writes,)))
        await agent.start()
        try:
            for turn in range(10):
                requests = [chat(turn + number) for number in range(AT_ONCE)]
                answers = await asyncio.gather(
                    *(
                        agent.answer(one, context(), *(pictures[shot.content_id] for shot in one.screenshots))
                        for one in requests
                    )
                )
                for request, answered in zip(requests, answers, strict=True):
                    sent = json.dumps(answered.calls[0].request)
                    assert all(one.content_id in sent for one in request.pictures)
        finally:
            await agent.stop()
