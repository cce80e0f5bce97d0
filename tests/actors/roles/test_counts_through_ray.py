"""A role's figures, gathered from all its actors."""

from __future__ import annotations

import asyncio
import time

import pytest
import ray

from manyhands.actors.remote import AgentProxy, spawn, stop
from manyhands.actors.roles import Notetaker, RoleSettings
from manyhands.protocol.messages import CallContext
from tests.actors.mllm.model_servers import ModelServer, Say, serving, settings_for
from tests.actors.roles.examples import AFTER, note_request


@pytest.mark.ray
async def test_each_replica_tells_its_counts_and_one_that_is_gone_is_left_out(ray_local: str) -> None:
    async with serving(ModelServer(Say('{"notes": "kept"}'))) as server:
        settings = RoleSettings(model=settings_for(server))
        actors = [await spawn(Notetaker, settings) for _ in range(2)]
        notetaker = AgentProxy(*actors)
        context = CallContext(episode="e", step=0, deadline=time.time() + 60)
        await asyncio.gather(*(notetaker.answer(note_request(), context, AFTER) for _ in range(4)))
        counts = await notetaker.counts()
        assert [sum(one.calls for one in each.calls) for each in counts] == [2, 2]
        assert {each.model for each in counts} == {"stand-in"}
        ray.kill(actors[0].handle)
        while len(left := await notetaker.counts()) == 2:  # Ray's kill returns before the actor is gone
            await asyncio.sleep(0.02)
        (one,) = left
        assert one.servers[0].server == server.url
        await stop(actors[1])
