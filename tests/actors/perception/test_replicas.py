"""Perception actors over Ray: one that dies is replaced, and what it had in hand is read all the same."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.remote import Actor, PerceptionProxy, spawn, stop
from manyhands.actors.remote.calls import call
from manyhands.protocol.screens.screen import Screen
from tests.actors.perception.pictures import as_png, sample, screenshot_of, within

pytestmark = pytest.mark.ray
SCREENS = 8

Replica = Callable[[], Awaitable[Actor]]


class Mortal(PerceptionService):
    """The service, which says in which process it runs."""

    async def pid(self) -> int:
        return os.getpid()


@pytest.fixture
async def replica(ray_local: str) -> AsyncIterator[Replica]:
    async with AsyncExitStack() as actors:

        async def create() -> Actor:
            actor = await spawn(Mortal, PerceptionSettings(workers=1), max_restarts=1)
            actors.push_async_callback(stop, actor)
            return actor

        yield create


async def ask(proxy: PerceptionProxy, number: int) -> Screen:
    rgb = sample(f"Phone {number}")
    shot = screenshot_of(rgb).model_copy(update={"serial": f"phone-{number}"})
    return await proxy.perceive(shot, as_png(rgb), within(100))


@pytest.mark.parametrize("count", [1, 2])
async def test_all_are_read_though_a_replica_is_killed_in_the_middle(replica: Replica, count: int) -> None:
    actors = [await replica() for _ in range(count)]
    proxy, only_first = PerceptionProxy(*actors), PerceptionProxy(actors[0])
    pid = await call(actors[0], "pid", ())
    asked = [asyncio.create_task(ask(proxy, number)) for number in range(SCREENS)]
    # The first one has a picture in hand and others in its queue.
    async with asyncio.timeout(60):
        while True:
            (counts,) = await only_first.counts()
            if counts.reading and counts.waiting:
                break
    os.kill(pid, signal.SIGKILL)
    screens = await asyncio.gather(*asked)
    assert [[element.content for element in screen.elements] for screen in screens] == [
        [f"Phone {number}"] for number in range(SCREENS)
    ]
    assert (await ask(only_first, SCREENS)).elements[0].content == f"Phone {SCREENS}"
    assert await call(actors[0], "pid", ()) != pid


async def test_counts_are_those_of_all_that_answer(replica: Replica) -> None:
    actors = [await replica() for _ in range(2)]
    proxy = PerceptionProxy(*actors)
    await asyncio.gather(*(ask(proxy, number) for number in range(4)))
    first, second = await proxy.counts()
    assert first.read + second.read == 4
    await stop(actors[0])
    assert await proxy.counts() == [second]
