"""Captions behind Ray: one memory for all phones, a deadline that holds, an actor that dies."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

import pytest
import ray

from manyhands.actors.remote import Actor, CaptionerProxy, spawn, stop
from manyhands.actors.remote.calls import call
from manyhands.actors.roles import CaptionSettings, IconCaptioner, RoleSettings
from manyhands.protocol.errors import ActorLost, DeadlinePassed
from tests.actors.mllm.model_servers import Hang, ModelServer, Say, serving, settings_for
from tests.actors.roles.test_captioner import captions, page, said, within

pytestmark = pytest.mark.ray

Spawned = Callable[..., Awaitable[Actor]]


class Mortal(IconCaptioner):
    """The captioner, which says in which process it runs."""

    async def pid(self) -> int:
        return os.getpid()


@pytest.fixture
async def spawned(ray_local: str) -> AsyncIterator[Spawned]:
    async with AsyncExitStack() as actors:

        async def create(server: ModelServer, max_restarts: int = 0) -> Actor:
            settings = CaptionSettings(role=RoleSettings(model=settings_for(server)))
            actor = await spawn(Mortal, settings, max_restarts=max_restarts)
            actors.push_async_callback(stop, actor)
            return actor

        yield create


async def ask(
    proxy: CaptionerProxy, numbers: Sequence[int], phone: str = "phone-1", wait_s: float = 30, seconds: float = 60
) -> list[str]:
    """As an episode does: the pixels are a reference, and only the captioner looks at them."""
    screen, frame = page(numbers)
    captioned = await proxy.caption(screen, ray.put(frame), phone, wait_s, within(seconds))
    assert captioned.elements[:2] == screen.elements[:2]
    return captions(captioned)


async def test_all_phones_share_captions_and_a_silent_captioner_is_given_up(spawned: Spawned) -> None:
    async with serving(ModelServer(Say(said("car", "cat", "house")))) as server:
        actor = await spawned(server)
        proxy = CaptionerProxy(actor)
        assert await ask(proxy, [1, 2, 3]) == ["car", "cat", "house"]
        assert await ask(proxy, [3, 1], "phone-2", wait_s=0) == ["house", "car"]
        (counts,) = await proxy.counts()
        assert len(server.received) == 1
        assert [(one.role.value, one.calls) for one in counts.calls] == [("caption", 1)]

        pid = await call(actor, "pid", ())
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(DeadlinePassed):
                await ask(proxy, [4], wait_s=0, seconds=0.5)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert await ask(proxy, [5, 2]) == ["car", "cat"]


async def test_an_answer_comes_by_the_deadline_whatever_the_model_does(spawned: Spawned) -> None:
    async with serving(ModelServer(Say(said("car")), Hang())) as server:
        actor = await spawned(server)
        proxy = CaptionerProxy(actor)
        assert await ask(proxy, [2]) == ["car"], "what an actor's first call loads is no part of the deadline"
        assert await ask(proxy, [1], wait_s=30, seconds=5.0) == [""]
        assert len(server.received) == 2
        await stop(actor)
        await asyncio.wait_for(server.hung_up.wait(), 10)


async def test_one_that_is_killed_is_asked_again_and_one_that_is_gone_for_good_says_so(spawned: Spawned) -> None:
    async with serving(ModelServer(Hang(), Say(said("car")))) as server:
        actor = await spawned(server, max_restarts=1)
        proxy = CaptionerProxy(actor)
        pid = await call(actor, "pid", ())
        asked = asyncio.create_task(ask(proxy, [1]))
        await server.next_arrival()
        os.kill(pid, signal.SIGKILL)
        assert await asked == ["car"]
        restarted = await call(actor, "pid", ())
        assert restarted != pid
        assert len(server.received) == 2

        os.kill(restarted, signal.SIGKILL)
        with pytest.raises(ActorLost):
            await ask(proxy, [2])
    assert len(server.received) == 2
