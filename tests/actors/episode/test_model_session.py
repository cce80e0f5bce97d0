"""The session of an episode: each question to a model carries it, no phone and no journal gets it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import SecretStr

from manyhands.actors.episode.runtime import Collaborators
from manyhands.actors.frames import ModelImage
from manyhands.actors.interfaces import Agent
from manyhands.protocol.base import Ending
from manyhands.protocol.journals.records import Acted
from manyhands.protocol.messages import Answered, CallContext, ModelSession
from tests.actors.episode.interruption import cut_after
from tests.actors.episode.world import World, order
from tests.virtual_clock import run_virtual


@dataclass
class Heard:
    agent: Agent[Any, Any]
    contexts: list[CallContext]

    async def answer(self, request: Any, context: CallContext, *images: ModelImage) -> Answered[Any]:
        self.contexts.append(context)
        return await self.agent.answer(request, context, *images)


@dataclass
class HearingWorld(World):
    heard: list[CallContext] = field(default_factory=list)

    def collaborators(self) -> Collaborators:
        others = super().collaborators()
        return replace(others, agents={role: Heard(agent, self.heard) for role, agent in others.agents.items()})


def test_each_question_carries_the_session_and_no_journal_does_also_when_resumed() -> None:
    session = ModelSession(url="http://trainer/one", key=SecretStr("sesame"))
    world = HearingWorld()
    first = order().model_copy(update={"session": session})
    assert run_virtual(world.host().run_episode(first)).ending is Ending.FINISHED
    again = cut_after(world, first, lambda record: isinstance(record, Acted))
    before = len(world.heard)
    assert run_virtual(world.host().run_episode(again)).ending is Ending.FINISHED
    assert 4 < before < len(world.heard)
    assert {context.session for context in world.heard} == {session}
    assert {context.session for context in world.requests("capture")} == {None}
    assert "sesame" not in f"{first!r} {first.model_dump_json()} {world.heard!r} {world.journals!r}"
    assert not any(b"sesame" in journal or b"trainer" in journal for journal in world.on_disk.values())
