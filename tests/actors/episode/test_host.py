"""A host's episodes belong to the host: they are joined, outlive who ordered them, and go on under newer leases."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import Overloaded
from manyhands.protocol.journals.records import EpisodeStarted
from manyhands.protocol.phones import Lease
from manyhands.protocol.runs.results import EpisodeOrder
from tests.actors.episode.world import World, order
from tests.virtual_clock import run_virtual


def slow() -> World:
    return World(latency=lambda method, count: 1.0 if method == "plan" else 0.0)


def under(epoch: int, given: EpisodeOrder) -> EpisodeOrder:
    lease = Lease(serial=given.lease.serial, holder=given.lease.holder, epoch=epoch, expires_at=0)
    return given.model_copy(update={"lease": lease})


def test_an_episode_that_runs_is_joined_and_one_that_ended_is_told_again() -> None:
    async def main() -> None:
        world = slow()
        host = world.host()
        first, second = (asyncio.create_task(host.run_episode(order())) for _ in range(2))
        await asyncio.sleep(1.5)
        assert [(at.episode, at.epoch) for at in await host.progress()] == [("run-task-1", 1)]
        assert await first == await second == await host.run_episode(order())
        assert first.result().ending is Ending.FINISHED
        assert sum(isinstance(record, EpisodeStarted) for record in world.journals["run-task-1"]) == 1
        assert await host.progress() == []

    run_virtual(main())


def test_cancelling_one_call_ends_the_episode_for_all_who_wait_for_it() -> None:
    async def main() -> None:
        world = slow()
        host = world.host()
        first, second = (asyncio.create_task(host.run_episode(order())) for _ in range(2))
        await asyncio.sleep(1.5)
        second.cancel()
        await asyncio.wait({first, second})
        assert first.cancelled()
        assert second.cancelled()
        (ended,) = [record for record in world.journals["run-task-1"] if record.kind == "episode_ended"]
        assert ended.ending is Ending.CANCELLED
        assert await host.progress() == []

    run_virtual(main())


def test_an_order_of_a_newer_lease_first_ends_that_of_the_older() -> None:
    async def main() -> None:
        world = slow()
        host = world.host()
        first = asyncio.create_task(host.run_episode(order()))
        await asyncio.sleep(1.5)
        world.epoch = 2
        second = asyncio.create_task(host.run_episode(under(2, order())))
        await asyncio.wait({first})
        assert first.cancelled()
        assert [at.epoch for at in await host.progress()] == [2]
        second.cancel()
        await asyncio.wait({second})

    run_virtual(main())


def test_of_results_only_the_last_are_kept_and_no_more_episodes_run_than_may() -> None:
    async def main() -> None:
        world = World(goal_screen="s0")
        host = world.host(results_kept=1, max_episodes=1)
        running = asyncio.create_task(host.run_episode(order("e1")))
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await host.run_episode(order("e2"))
        await running
        await host.run_episode(order("e2"))
        reads = world.count["read"]
        joins = order("e2").model_copy(update={"resume": "its dispatcher died"})
        await host.run_episode(joins)
        assert world.count["read"] == reads
        await host.run_episode(joins.model_copy(update={"episode": "e1"}))
        assert world.count["read"] == reads + 1  # it is no longer known, and goes on by its journal

    run_virtual(main())


def test_an_episode_that_is_cancelled_before_it_began_is_none_that_runs() -> None:
    async def main() -> None:
        world = World()
        host = world.host()
        running = asyncio.create_task(host.run_episode(order()))
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running})
        assert await host.progress() == []
        assert (await host.run_episode(order("e2"))).ending is Ending.FINISHED

    run_virtual(main())


def test_stopping_a_host_ends_its_episodes() -> None:
    async def main() -> None:
        world = slow()
        host = world.host()
        running = asyncio.create_task(host.run_episode(order()))
        await asyncio.sleep(1.5)
        await host.stop()
        await asyncio.wait({running})
        assert running.cancelled()
        assert world.journals["run-task-1"][-1].kind == "episode_ended"

    run_virtual(main())
